/** Time as an argument: tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970, as the operator's clock has it; may step back. */
  now(): number
  /** Milliseconds since some fixed point; never steps back. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** Lets the process end while a timer waits, in runtimes where it otherwise could not. */
export function inBackground<Timer>(timer: Timer): Timer {
  if (typeof timer === 'object') (timer as { unref?(): void } | null)?.unref?.()
  return timer
}
