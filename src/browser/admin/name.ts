/** Keeps a person's name for the history in this browser, or that they skipped it. */
export function askName(base: string): void {
  const form = document.querySelector<HTMLFormElement>('.ask-name')
  const keep = (name: string) => {
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    const rest = `Path=${base}; Max-Age=31536000; SameSite=Lax${secure}`
    // biome-ignore lint/suspicious/noDocumentCookie: no browser but Chrome has the other way on http
    document.cookie = `placard-name=${encodeURIComponent(name)}; ${rest}`
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
