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
