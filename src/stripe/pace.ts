import type { Limit } from '../store/store.ts'

const FEW_LEFT_MS = 5_000
const LIMITED_MS = 30_000
const UNLIMITED_MS = 10 * 60_000
const FIRST_BACKOFF_MS = 1_000

/** When to ask about a coupon again, after an answer (contract T3). */
export function nextQuestionMs(limits: readonly Limit[]): number {
  const isNearlyGone = ({ max, redeemed }: Limit) => max - redeemed <= Math.max(1, max / 10)
  if (limits.some(isNearlyGone)) return FEW_LEFT_MS
  return limits.length > 0 ? LIMITED_MS : UNLIMITED_MS
}

/**
 * When to ask again without an answer: soon at first, or when Stripe allows it, then twice as late each time. For an
 * offer with a limit, at least every 30 s, unless Stripe wants a longer wait.
 *
 * @param failures how many questions in a row were sent and not answered
 * @param waitMs how long Stripe asks us to wait
 */
export function backoffMs(failures: number, limited: boolean, waitMs: number): number {
  const most = Math.max(waitMs, limited ? LIMITED_MS : UNLIMITED_MS)
  const first = Math.max(waitMs, FIRST_BACKOFF_MS)
  return Math.min(most, first * 2 ** Math.min(Math.max(failures, 1) - 1, 20))
}
