/** The clock and the timers, which are passed as a parameter so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970, by the machine's clock; may step back. */
  now(): number
  /** Milliseconds since some fixed point; never steps back. */
  monotonic(): number
  /** Calls `work` after `ms`, unless the returned function is called first. Default: `setTimeout`. */
  later?(ms: number, work: () => unknown): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** Calls `work` after `ms`, with the clock's own timers if it has any. */
export function later(clock: Clock, ms: number, work: () => unknown): () => void {
  if (clock.later) return clock.later(ms, work)
  const timer = inBackground(setTimeout(work, ms))
  return () => clearTimeout(timer)
}

/** Lets the process exit while a timer is pending, in runtimes where the timer would otherwise keep it alive. */
export function inBackground<Timer>(timer: Timer): Timer {
  if (typeof timer === 'object') (timer as { unref?(): void } | null)?.unref?.()
  return timer
}

/**
 * Resolves with the result of `work`, or rejects if that takes longer than `ms`. Late work isn't cancelled.
 *
 * @param who the party that does the work, named in the error
 */
export async function withTimeout<T>(ms: number, work: T, who: string): Promise<Awaited<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer from ${who} within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
