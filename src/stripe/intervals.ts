/** How often the service sends requests to Stripe, and how long it waits, in ms (contract T2, T3). */
import type { Limit } from '../core/coupon.ts'

const NEARLY_GONE_MS = 5_000
const LIMITED_MS = 30_000
const UNLIMITED_MS = 10 * 60_000
const FIRST_BACKOFF_MS = 1_000

/** How long to wait before the next poll if no coupon has to be checked. */
export const IDLE_MS = UNLIMITED_MS
/** How long to wait before checking a coupon again if a bug of ours kept it from being judged. */
export const UNJUDGED_MS = 30_000
/** After this long without an answer, an offer with a limit is paused, because it may be sold out. */
export const SILENCE_MS = 5 * 60_000
/** How often to list events, to find missed notifications. */
export const LIST_MS = 60 * 60_000

/** How long a process waits after its start before it asks Stripe, so that it can serve requests first. */
export const FIRST_POLL_MS = 500
/** The shortest time between two of a node's polls that may send requests, however many triggers arrive. */
export const GAP_MS = 1_000
/** How long to wait before the next poll if the database doesn't answer, or another poll is in progress. */
export const RETRY_MS = 1_000

/** The timeout of a request that no client waits for. */
export const REQUEST_TIMEOUT_MS = 4_000
/** How long a client may wait for Stripe. */
export const CLIENT_WAIT_MS = 2_000
/** The longest `Retry-After` that we respect. The real Stripe never asks for a longer wait. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** How long a lease lasts. It is renewed before each request, so it must outlast one request. */
export const LEASE_MS = 10_000
/**
 * A longer stored wait is ignored, because a clock may have been set back. {@link nextCheckMs} and {@link backoffMs}
 * return shorter waits, unless Stripe asks for a longer one, which each request checks for separately.
 */
export const LONGEST_WAIT_MS = { limited: 2 * LIMITED_MS, unlimited: UNLIMITED_MS + 100_000 }

/** How long to wait, after an answer, before checking the coupon again. */
export function nextCheckMs(limits: readonly Limit[]): number {
  const isNearlyGone = ({ max, redeemed }: Limit) => max - redeemed <= Math.max(1, max / 10)
  if (limits.some(isNearlyGone)) return NEARLY_GONE_MS
  return limits.length > 0 ? LIMITED_MS : UNLIMITED_MS
}

/**
 * How long to wait before the next request if there was no answer. The first wait is 1 s, or longer if Stripe asks for
 * that. Each further wait is twice as long, up to 30 s for an offer with a limit and 10 min for any other offer, but
 * never shorter than Stripe asks for.
 *
 * @param failures how many requests in a row got no answer, including the last one
 * @param waitMs how long Stripe asks us to wait
 */
export function backoffMs(failures: number, limited: boolean, waitMs: number): number {
  const most = Math.max(waitMs, limited ? LIMITED_MS : UNLIMITED_MS)
  const first = Math.max(waitMs, FIRST_BACKOFF_MS)
  return Math.min(most, first * 2 ** Math.min(failures - 1, 20))
}
