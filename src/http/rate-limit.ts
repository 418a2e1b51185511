import { Problem } from '../problem.ts'
import type { Decision, Limiter } from '../store/store.ts'

/** 10 requests in any 10 s (spec 8). */
export const LIMIT = 10
export const WINDOW_MS = 10_000

/**
 * Decides purely: the times at which an address was admitted, oldest first, and now. A refused request leaves
 * no trace, so that who waits as long as told is admitted (contract A1).
 *
 * @returns the decision, and the times that still count, `now` among them if it was admitted
 */
export function decide(
  admittedAt: readonly number[],
  now: number,
): { decision: Decision; times: number[] } {
  const times = admittedAt.filter((time) => time > now - WINDOW_MS)
  const admitted = times.length < LIMIT
  if (admitted) times.push(now)
  const remaining = LIMIT - times.length
  const oldest = times[0] ?? now
  return { decision: { admitted, remaining, resetMs: WINDOW_MS - (now - oldest) }, times }
}

/** Addresses remembered at once; beyond it, counting would take more memory than a limiter may. */
const MAX_ADDRESSES = 100_000

/** Answers at once, and tells where an address stands without counting. */
export interface MemoryLimiter extends Limiter {
  count(address: string): Decision
  peek(address: string): Decision
}

/**
 * A limiter for one process. Memory is bounded: an address is forgotten 10 to 20 s after its last admitted
 * request, and a flood from more than 100,000 addresses in that time is answered 503 for those that come on
 * top. Cost of a request: two look-ups.
 *
 * @param monotonic milliseconds; must never step back
 */
export function memoryLimiter(monotonic: () => number): MemoryLimiter {
  // Forgotten by the mapful: a map that is emptied from the front gets slower with every entry that is gone.
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
      return decide(recent.get(address) ?? older.get(address) ?? [], now).decision
    },
    count(address) {
      const now = monotonic()
      forget(now)
      const known = recent.get(address) ?? older.get(address)
      if (!known && recent.size + older.size >= MAX_ADDRESSES) {
        throw Problem.unavailable('Too many clients at once; try again in a few seconds')
      }
      const { decision, times } = decide(known ?? [], now)
      if (decision.admitted) {
        older.delete(address)
        recent.set(address, times)
      }
      return decision
    },
  }
}

/** The headers that tell a client where it stands (contract A1). */
export function rateLimitHeaders({ remaining, resetMs }: Decision): Record<string, string> {
  return {
    'RateLimit-Policy': `"write";q=${LIMIT};w=${WINDOW_MS / 1000}`,
    RateLimit: `"write";r=${remaining};t=${waitSeconds(resetMs)}`,
  }
}

/** @throws Problem `too_many_requests` unless the request was admitted */
export function assertAdmitted(decision: Decision): void {
  if (decision.admitted) return
  const retryAfter = waitSeconds(decision.resetMs)
  throw new Problem('too_many_requests', 'Too many requests', {
    details: { retryAfter },
    headers: { 'Retry-After': String(retryAfter) },
  })
}

function waitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
