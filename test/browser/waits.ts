/** What a page notes of itself, for `page.evaluate`: nothing here may name what is outside of its function. */

/** When a text stands in the bar of a page, noted in the page itself: milliseconds since 1970. */
export function seeing(wanted: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector('.placard')?.textContent?.includes(wanted)) return
      observer.disconnect()
      resolve(performance.timeOrigin + performance.now())
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    // It may have come before this page was told to look.
    look()
  })
}

declare global {
  interface Window {
    waits: number[]
  }
}

/** Notes how long after each keystroke the preview shows what is in the field. */
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
