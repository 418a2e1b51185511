/**
 * Redeems the code of a link. The code is in the fragment, so servers don't see it, and is removed from the address at
 * once, so the browser's history doesn't keep it (contract O1).
 */
export async function signIn(base: string): Promise<void> {
  const code = location.hash.slice(1)
  const isSignIn = document.querySelector('[data-sign-in]') !== null
  // Any other fragment is a link within the page.
  if (/^[\w-]{22}$/.test(code)) {
    history.replaceState(null, '', location.pathname)
    const busy = document.querySelector<HTMLElement>('.busy')
    if (busy) busy.hidden = false
    // A form, because browsers then show any answer as a page.
    const form = Object.assign(document.createElement('form'), {
      method: 'post',
      action: `${base}/session`,
    })
    const field = { type: 'hidden', name: 'code', value: code }
    form.append(Object.assign(document.createElement('input'), field))
    document.body.append(form)
    form.submit()
    return
  }
  // A link from another site arrives without the cookie (SameSite=Strict). A request of our own page has it.
  if (!isSignIn || document.querySelector('.notice:not([hidden])')) return
  const { status } = await fetch(`${base}/live`, { headers: { Accept: 'application/json' } })
  if (status === 200) location.reload()
}

/** Keeps a person's name for the history in this browser, or that they skipped it. */
export function askName(base: string): void {
  const form = document.querySelector<HTMLFormElement>('.ask-name')
  const keep = (name: string) => {
    setCookie(base, 'placard-name', name)
    form?.remove()
    const title = document.querySelector('h1')
    if (title) title.tabIndex = -1
    const next = document.querySelector<HTMLElement>('#text') ?? title
    next?.focus()
  }
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    keep(form.querySelector('input')?.value.trim() ?? '')
  })
  form?.querySelector('[data-skip-name]')?.addEventListener('click', () => keep(''))
}

/** Tells the service the zone of the browser, in which times are shown and typed. A page in another zone is loaded again. */
export function keepZone(base: string): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (document.cookie.split('; ').includes(`placard-zone=${encodeURIComponent(timeZone)}`)) return
  setCookie(base, 'placard-zone', timeZone)
  const isKept = document.cookie.includes('placard-zone=')
  if (isKept && !document.querySelector('[data-sign-in]')) location.reload()
}

function setCookie(base: string, name: string, value: string) {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const rest = `Path=${base}; Max-Age=31536000; SameSite=Lax${secure}`
  // biome-ignore lint/suspicious/noDocumentCookie: no browser but Chrome has the other way on http
  document.cookie = `${name}=${encodeURIComponent(value)}; ${rest}`
}
