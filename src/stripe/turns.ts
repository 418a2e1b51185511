import { type Clock, later } from '../core/clock.ts'

/** The shortest time between two of a node's background turns, however many triggers arrive. */
export const GAP_MS = 1_000
/** How long to wait before the next turn if the database doesn't answer, or another turn is in progress. */
export const RETRY_MS = 1_000

/**
 * - `waiting`: for the timer of the next turn, or for a tick;
 * - `working`: a turn is in progress;
 * - `triggered`: a turn is in progress, but may be past the step that a change affects, so another turn follows it;
 * - `closed`: no turn starts any more.
 */
type State = 'waiting' | 'working' | 'triggered' | 'closed'

export interface TurnsOptions {
  clock: Clock
  /** Whether the process runs between requests. If not, turns are taken only by {@link createTurns}' `next`. */
  background: boolean
  /** How long to wait before the first turn. */
  firstMs: number
  /** Never rejects. @returns how many ms to wait before the next turn */
  take(): Promise<number>
}

/** Takes turns, one at a time. */
export function createTurns({ clock, background, firstMs, take }: TurnsOptions) {
  let state: State = 'waiting'
  let cancelTimer = () => {}
  /** The earliest start of the next turn, by the monotonic clock. */
  let notBefore = Number.NEGATIVE_INFINITY
  let current: Promise<number> = Promise.resolve(RETRY_MS)

  function plan(ms: number) {
    cancelTimer()
    const gapMs = notBefore - clock.monotonic()
    if (background) cancelTimer = later(clock, Math.max(ms, gapMs), next)
  }

  /** Takes a turn, unless one is in progress. @returns how many ms to wait before the next turn */
  async function next(): Promise<number> {
    if (state !== 'waiting') return RETRY_MS
    state = 'working'
    current = take()
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
    /** Called by a turn that may send requests, which the next turn must not follow at once. */
    keepGap() {
      notBefore = clock.monotonic() + GAP_MS
    },
    /** Plans an early turn. */
    soon() {
      if (state === 'working') state = 'triggered'
      else if (state === 'waiting') plan(0)
    },
    isClosed: () => state === 'closed',
    /** @returns the turn that was in progress */
    close(): Promise<unknown> {
      state = 'closed'
      cancelTimer()
      return current
    },
  }
}
