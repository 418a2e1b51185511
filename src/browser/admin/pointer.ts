/** The longest time between the release of a press and its click. */
const CLICK_MS = 100

let press: PromiseWithResolvers<void> | undefined

/**
 * Tracks presses, so that nothing moves away from under one: an answer is shown after the click. A slider is updated while
 * it is held.
 */
export function notePresses(): void {
  const end = () => {
    const ended = press
    setTimeout(() => {
      ended?.resolve()
      if (press === ended) press = undefined
    }, CLICK_MS)
  }
  addEventListener('pointerup', end)
  addEventListener('pointercancel', end)
  addEventListener('pointerdown', ({ button, target }) => {
    if (button !== 0 || (target as Element).matches('[type=range]')) return
    press?.resolve()
    press = Promise.withResolvers()
  })
}

/** Resolves once nothing is pressed. */
export const released = async (): Promise<void> => press?.promise
