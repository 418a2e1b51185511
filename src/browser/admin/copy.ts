/** Copies the code beside a button on a click. */
export function copyButtons(): void {
  const said = document.querySelector('.said')
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copied]') : null
    const code = button?.parentElement?.querySelector('code')
    if (!button || !code) return
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      // There is no permission, or no secure context. The code is selected, so a keystroke copies it.
      getSelection()?.selectAllChildren(code)
      return
    }
    const { copied = '' } = button.dataset
    const label = button.textContent
    if (label === copied) return
    button.textContent = copied
    if (said) said.textContent = copied
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}
