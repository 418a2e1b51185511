import { afterTest } from './after-file.ts'

const TICK_MS = 10

/**
 * Measures waiting by a timer, which a busy machine delays as much as what is measured. Work that blocks the event loop
 * isn't counted.
 *
 * @returns how many ms have passed, never more than by a clock
 */
export function stopwatch(): () => number {
  let ticks = 0
  const timer = setInterval(() => ticks++, TICK_MS)
  afterTest(() => clearInterval(timer))
  return () => ticks * TICK_MS
}
