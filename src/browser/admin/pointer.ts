/** How long after its release the click of a press comes at the latest. */
const CLICK_MS = 100

let press: PromiseWithResolvers<void> | undefined

/**
 * Notes presses, so that nothing that can be clicked moves away from under one: what has just arrived is shown after its
 * click. A slider shows what comes while it is held.
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
