/**
 * What is published is on every page at once, so Enter in a field only leads to the button, which stands beside the
 * preview and what it will do. There, Enter publishes. With Ctrl or ⌘ it does from anywhere in the form.
 */
export function enter(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('.primary')
  if (!button) return
  form.addEventListener('keydown', (event) => {
    const { target, key, repeat, isComposing, keyCode } = event
    // Enter also takes an icon that was found, or what an input method proposes. Safari tells by the code alone.
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
      // A key that is held leads here, and no further.
      event.preventDefault()
    }
  })
}
