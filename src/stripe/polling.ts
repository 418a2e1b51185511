import { type Clock, later } from '../core/clock.ts'
import { GAP_MS, RETRY_MS } from './intervals.ts'

/**
 * - `waiting`: for the timer of the next poll, or for a tick;
 * - `polling`: a poll is in progress;
 * - `triggered`: a poll is in progress, but may be past the step that a change affects, so another poll follows it;
 * - `closed`: no poll starts any more.
 */
type State = 'waiting' | 'polling' | 'triggered' | 'closed'

export interface PollingOptions {
  clock: Clock
  /** Whether the process runs between requests. If not, it polls only when {@link createPolling}'s `next` is called. */
  background: boolean
  /** How long to wait before the first poll. */
  firstMs: number
  /** Never rejects. @returns how many ms to wait before the next poll */
  poll(): Promise<number>
}

/** Polls repeatedly, with one poll in progress at a time. */
export function createPolling({ clock, background, firstMs, poll }: PollingOptions) {
  let state: State = 'waiting'
  let cancelTimer = () => {}
  /** The earliest start of the next poll, by the monotonic clock. */
  let notBefore = Number.NEGATIVE_INFINITY
  let current: Promise<number> = Promise.resolve(RETRY_MS)

  function plan(ms: number) {
    cancelTimer()
    const gapMs = notBefore - clock.monotonic()
    if (background) cancelTimer = later(clock, Math.max(ms, gapMs), next)
  }

  /** Polls, unless a poll is in progress. @returns how many ms to wait before the next poll */
  async function next(): Promise<number> {
    if (state !== 'waiting') return RETRY_MS
    state = 'polling'
    current = poll()
    const waitMs = await current
    return settled(waitMs)
  }

  function settled(waitMs: number): number {
    if (state === 'closed') return RETRY_MS
    const ms = state === 'triggered' ? 0 : waitMs
    state = 'waiting'
    plan(ms)
    return ms
  }

  plan(firstMs)
  return {
    next,
    /** Called by a poll that may send requests, so that the next poll doesn't follow at once. */
    keepGap() {
      notBefore = clock.monotonic() + GAP_MS
    },
    /** Plans an early poll. */
    soon() {
      if (state === 'polling') state = 'triggered'
      else if (state === 'waiting') plan(0)
    },
    isClosed: () => state === 'closed',
    /** @returns the poll that was in progress */
    close(): Promise<unknown> {
      state = 'closed'
      cancelTimer()
      return current
    },
  }
}
