import { base, focusOn } from './page.ts'

const isSignIn = () => document.querySelector('[data-sign-in]') !== null

/**
 * Redeems the code of a link. The code is in the fragment, so servers don't see it, and is removed from the address at
 * once, so the browser's history doesn't keep it (contract O1).
 */
export async function signIn(): Promise<void> {
  const code = location.hash.slice(1)
  // Any other fragment is a link within the page.
  if (/^[\w-]{22}$/.test(code)) {
    history.replaceState(null, '', location.pathname)
    document.querySelector('.busy')?.removeAttribute('hidden')
    // A form, because browsers then show any answer as a page.
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: `${base}/session`, hidden: true })
    form.append(Object.assign(document.createElement('input'), { name: 'code', value: code }))
    document.body.append(form)
    form.submit()
    return
  }
  // A link from another site arrives without the cookie (SameSite=Strict). A request of our own page has it.
  const isFromHere = document.referrer.startsWith(`${location.origin}/`)
  if (!isSignIn() || isFromHere || !document.querySelector('.notice[hidden]')) return
  if ((await fetch(`${base}/live`)).ok) location.reload()
}

/** Keeps a person's name for the history in this browser, or that they skipped it. */
export function askName(): void {
  const form = document.querySelector<HTMLFormElement>('.ask-name')
  const keep = (name: string) => {
    setCookie('name', name)
    const shown = Object.assign(document.createElement('bdi'), { textContent: name })
    if (name) document.querySelector('.who')?.prepend(shown)
    form?.remove()
    focusOn(document.querySelector('h1'))
    document.querySelector<HTMLElement>('#text')?.focus()
  }
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    keep(form.querySelector('input')?.value.trim() ?? '')
  })
  form?.querySelector('[data-skip-name]')?.addEventListener('click', () => keep(''))
  // By keyboard, the first announcement is a few keys away, without a way through the header.
  form?.querySelector('input')?.focus({ preventScroll: true })
}

/** Tells the service the zone of the browser, in which times are shown and typed. A page in another zone is loaded again. */
export function keepZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (document.cookie.split('; ').includes(`placard-zone=${encodeURIComponent(timeZone)}`)) return
  setCookie('zone', timeZone)
  if (document.cookie.includes('placard-zone=') && !isSignIn()) location.reload()
}

/** Makes the links in the footer open this page in their language, from now on. */
export function keepLanguage(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
    link.search = location.search
    link.addEventListener('click', () => setCookie('lang', link.lang))
  }
}

export function setCookie(name: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const rest = `Path=${base}; Max-Age=31536000; SameSite=Lax${secure}`
  // biome-ignore lint/suspicious/noDocumentCookie: no browser but Chrome has the other way on http
  document.cookie = `placard-${name}=${encodeURIComponent(value)}; ${rest}`
}
