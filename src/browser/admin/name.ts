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

/** Tells the service the zone of the browser, in which times are typed. A page in another zone is loaded again. */
export function keepZone(base: string): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (document.cookie.split('; ').includes(`placard-zone=${encodeURIComponent(timeZone)}`)) return
  setCookie(base, 'placard-zone', timeZone)
  const isKept = document.cookie.includes('placard-zone=')
  if (isKept && document.querySelector('[data-compose]')) location.reload()
}

function setCookie(base: string, name: string, value: string) {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const rest = `Path=${base}; Max-Age=31536000; SameSite=Lax${secure}`
  // biome-ignore lint/suspicious/noDocumentCookie: no browser but Chrome has the other way on http
  document.cookie = `${name}=${encodeURIComponent(value)}; ${rest}`
}
