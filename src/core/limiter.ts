import { Problem } from './problem.ts'

/** The state of an address's rate limit after a request. */
export interface LimitState {
  /** Whether this request is within the limit. */
  admitted: boolean
  /** How many more requests the limiter would admit now. */
  remaining: number
  /** Milliseconds until the oldest admitted request leaves the window and makes room for another. */
  resetMs: number
}

/**
 * Decides whether a request from an address is admitted, and counts it if it is.
 *
 * @throws StoreUnavailable, or Problem `unavailable`, instead of admitting a request that it can't count (contract A3)
 */
export interface Limiter {
  /** Counts a request from a client address, unless the limit is reached. @returns the state after this request */
  count(address: string): LimitState | Promise<LimitState>
}

/** The rate limit: 10 requests in any 10 s (spec 8). */
export const LIMIT = 10
export const WINDOW_MS = 10_000

/**
 * Decides whether a request is admitted. A rejected request isn't recorded, so a client that waits for the time in
 * `Retry-After` will be admitted (contract A1).
 *
 * @param admittedAt when the address's earlier requests were admitted, oldest first
 * @returns the decision, and the times that are still in the window, including `now` if the request was admitted
 */
export function decide(
  admittedAt: readonly number[],
  now: number,
): { state: LimitState; times: number[] } {
  const times = admittedAt.filter((time) => time > now - WINDOW_MS)
  const admitted = times.length < LIMIT
  if (admitted) times.push(now)
  const remaining = LIMIT - times.length
  const oldest = times[0] ?? now
  return { state: { admitted, remaining, resetMs: WINDOW_MS - (now - oldest) }, times }
}

/** The maximum number of addresses that the limiter remembers, which bounds its memory (contract A3). */
const MAX_ADDRESSES = 100_000

/** A synchronous limiter, which can also report the state of an address's limit without counting a request. */
export interface MemoryLimiter extends Limiter {
  count(address: string): LimitState
  peek(address: string): LimitState
}

/**
 * Creates a limiter for one process. The limiter forgets an address 10 to 20 s after its last admitted request. While
 * the limiter remembers 100,000 addresses, other addresses get 503. Counting a request takes two look-ups.
 *
 * @param monotonic returns milliseconds, and must never step back
 */
export function memoryLimiter(monotonic: () => number): MemoryLimiter {
  // The limiter drops a whole map at a time, because deleting entries from the front of a map slows the map down.
  let recent = new Map<string, number[]>()
  let older = new Map<string, number[]>()
  let since = monotonic()

  function forget(now: number) {
    if (now - since < WINDOW_MS) return
    older = now - since < 2 * WINDOW_MS ? recent : new Map()
    recent = new Map()
    since = now
  }

  return {
    peek(address) {
      const now = monotonic()
      return decide(recent.get(address) ?? older.get(address) ?? [], now).state
    },
    count(address) {
      const now = monotonic()
      forget(now)
      const known = recent.get(address) ?? older.get(address)
      if (!known && recent.size + older.size >= MAX_ADDRESSES) {
        throw Problem.unavailable('Too many clients at once; try again in a few seconds')
      }
      const { state, times } = decide(known ?? [], now)
      if (state.admitted) {
        older.delete(address)
        recent.set(address, times)
      }
      return state
    },
  }
}
