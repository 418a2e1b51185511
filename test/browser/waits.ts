/** Functions that measure in the page itself, for `page.evaluate`: they can't refer to anything outside themselves. */

/** Resolves when the page's bar shows a text, with the time: milliseconds since 1970. */
export function seeing(wanted: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector('.placard')?.textContent?.includes(wanted)) return
      observer.disconnect()
      resolve(performance.timeOrigin + performance.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    // The text may already be there.
    look()
  })
}

declare global {
  interface Window {
    waits: number[]
  }
}

/** Records, for each keystroke, how long the preview takes to show it, in milliseconds. */
export function noteKeystrokes(): void {
  const field = document.querySelector('#text') as HTMLInputElement
  let pressed: number | undefined
  window.waits = []
  field.addEventListener('keydown', ({ timeStamp }) => {
    pressed = timeStamp
  })
  new MutationObserver(() => {
    const shown = document.querySelector('.stage .placard-text')?.textContent
    if (pressed === undefined || shown !== field.value) return
    window.waits.push(performance.now() - pressed)
    pressed = undefined
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}
