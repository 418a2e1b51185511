import { Problem } from '../core/problem.ts'

/** The allowance of an address after a request. */
export interface Standing {
  admitted: boolean
  /** How many requests would be admitted right now. */
  remaining: number
  /** Milliseconds until the oldest admitted request leaves the window, so that one more is admitted. */
  resetMs: number
}

/**
 * Decides whether a request from an address is admitted, and counts it if it is.
 *
 * @throws StoreUnavailable, or Problem `unavailable`, if it can't count. The request isn't admitted then (contract A3)
 */
export interface Limiter {
  count(address: string): Standing | Promise<Standing>
}

/** 10 requests in any 10 s (spec 8). */
export const LIMIT = 10
export const WINDOW_MS = 10_000

/**
 * Decides whether a request is admitted. A rejected request isn't recorded, so the service admits a client that has
 * waited as long as it was told (contract A1).
 *
 * @param admittedAt when requests of the address were admitted, oldest first
 * @returns the decision, and the times that still count, including `now` if it was admitted
 */
export function decide(
  admittedAt: readonly number[],
  now: number,
): { standing: Standing; times: number[] } {
  const times = admittedAt.filter((time) => time > now - WINDOW_MS)
  const admitted = times.length < LIMIT
  if (admitted) times.push(now)
  const remaining = LIMIT - times.length
  const oldest = times[0] ?? now
  return { standing: { admitted, remaining, resetMs: WINDOW_MS - (now - oldest) }, times }
}

/** How many addresses are remembered at the same time. More would take too much memory. */
const MAX_ADDRESSES = 100_000

/** A synchronous limiter, which can also report the allowance of an address without counting a request. */
export interface MemoryLimiter extends Limiter {
  count(address: string): Standing
  peek(address: string): Standing
}

/**
 * A limiter for one process. Its memory is bounded: an address is forgotten 10 to 20 s after its last admitted request,
 * and if more than 100,000 addresses arrive in that time, further ones get 503. Cost of a request: two look-ups.
 *
 * @param monotonic milliseconds; must never step back
 */
export function memoryLimiter(monotonic: () => number): MemoryLimiter {
  // Addresses are forgotten a whole map at a time, because deleting entries from the front of a map slows it down.
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
      return decide(recent.get(address) ?? older.get(address) ?? [], now).standing
    },
    count(address) {
      const now = monotonic()
      forget(now)
      const known = recent.get(address) ?? older.get(address)
      if (!known && recent.size + older.size >= MAX_ADDRESSES) {
        throw Problem.unavailable('Too many clients at once; try again in a few seconds')
      }
      const { standing, times } = decide(known ?? [], now)
      if (standing.admitted) {
        older.delete(address)
        recent.set(address, times)
      }
      return standing
    },
  }
}
