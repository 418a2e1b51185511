import { Problem } from '../core/problem.ts'
import { LIMIT, type Standing, WINDOW_MS } from '../store/limiter.ts'

/** The headers that tell a client its allowance (contract A1). */
export function rateLimitHeaders({ remaining, resetMs }: Standing): Record<string, string> {
  return {
    'RateLimit-Policy': `"write";q=${LIMIT};w=${WINDOW_MS / 1000}`,
    RateLimit: `"write";r=${remaining};t=${waitSeconds(resetMs)}`,
  }
}

/** @throws Problem `too_many_requests` if the request isn't admitted */
export function assertAdmitted(standing: Standing): void {
  if (standing.admitted) return
  const retryAfter = waitSeconds(standing.resetMs)
  throw new Problem('too_many_requests', 'Too many requests', {
    details: { retryAfter },
    headers: { 'Retry-After': String(retryAfter) },
  })
}

function waitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
