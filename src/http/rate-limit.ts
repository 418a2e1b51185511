import { Problem } from '../problem.ts'

/** 10 requests in any 10 s (spec 8). */
export const LIMIT = 10
export const WINDOW_MS = 10_000

export interface Decision {
  admitted: boolean
  /** Requests that would be admitted right now. */
  remaining: number
  /** Milliseconds until one more would be. */
  resetMs: number
}

/**
 * Counts a request of an address, whatever becomes of it.
 *
 * @throws Problem `unavailable` when it can't count: then nothing is admitted (contract A3)
 */
export interface Limiter {
  count(address: string): Decision | Promise<Decision>
}

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
  return { decision: { admitted, remaining, resetMs: oldest + WINDOW_MS - now }, times }
}

/** Addresses seen in one window; beyond it, counting would take more memory than a limiter may. */
const MAX_ADDRESSES = 100_000

/**
 * A limiter for one process. Memory is bounded: an address is forgotten 10 s after its last admitted request,
 * and a flood from more than 100,000 addresses within 10 s is answered 503 for those that come on top.
 *
 * @param monotonic milliseconds; must never step back
 */
export function memoryLimiter(monotonic: () => number): Limiter {
  /** In the order of the last admitted request, so that what can be forgotten stands in front. */
  const seen = new Map<string, number[]>()

  return {
    count(address) {
      const now = monotonic()
      for (const [oldest, times] of seen) {
        if ((times.at(-1) ?? 0) > now - WINDOW_MS) break
        seen.delete(oldest)
      }
      const known = seen.get(address)
      if (!known && seen.size >= MAX_ADDRESSES) {
        throw Problem.unavailable('Too many clients at once; try again in a few seconds')
      }
      const { decision, times } = decide(known ?? [], now)
      if (decision.admitted) {
        seen.delete(address)
        seen.set(address, times)
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
