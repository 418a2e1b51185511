/** Confirmations are shown over the page. Escape closes them, and so does a click beside them. */
export function closePopovers(): void {
  const opened = () => document.querySelector<HTMLDetailsElement>('.sure[open]')
  document.addEventListener('keydown', ({ key }) => {
    const open = opened()
    if (key !== 'Escape' || !open) return
    open.open = false
    open.querySelector('summary')?.focus()
  })
  document.addEventListener('click', ({ target }) => {
    const open = opened()
    if (open && !open.contains(target as Node)) open.open = false
  })
}
