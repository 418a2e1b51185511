/**
 * Publishing changes every page at once, so Enter in a field only moves to the button, beside the preview and the outcome.
 * There, Enter publishes. Ctrl+Enter or ⌘+Enter publishes from anywhere in the form.
 */
export function enter(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  if (!button) return
  form.addEventListener('keydown', (event) => {
    const { target, key, repeat, isComposing, keyCode } = event
    // Enter also selects an icon, or a suggestion of an input method, which Safari reveals only by the key code.
    if (key !== 'Enter' || event.defaultPrevented || isComposing || keyCode === 229) return
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      if (!repeat) button.click()
    } else if (isField) {
      event.preventDefault()
      button.focus({ preventScroll: true })
      button.scrollIntoView({ block: 'nearest' })
    } else if (repeat && target === button) {
      // Holding the key moves here, and does nothing more.
      event.preventDefault()
    }
  })
}
