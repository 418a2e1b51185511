import { StripeRequestError, type StripeRequests } from './client.ts'
import { backoffMs, IDLE_MS, nextCheckMs, SILENCE_MS } from './intervals.ts'
import { type AskingParts, isAskable, retrieve } from './judging.ts'
import type { Memory } from './lease.ts'
import { offerOf } from './offer.ts'

/**
 * Asks Stripe about the published coupon and acts on the answer (contract T3).
 *
 * @returns how many ms to wait before the next check and, if there was no answer, the error
 */
export async function checkOffer(
  ask: StripeRequests,
  memory: Memory,
  { store, commands, client, clock, report }: AskingParts,
): Promise<{ nextMs: number; unanswered?: StripeRequestError }> {
  const one = await store.publishedOffer()
  const isPaused = one !== null && memory.paused === one.id
  const resume = () => isPaused && commands.resumeOffer()
  if (!one || !isAskable(one.coupon, one.couponLive, client.live)) {
    await resume()
    return { nextMs: IDLE_MS }
  }
  const { time, asked_at } = memory
  const began = clock.monotonic()
  try {
    const subject = { coupon: one.coupon, event: one.by.notification, seen: memory.seen === 1 }
    const reading = await retrieve(ask, subject, report, clock.now())
    const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
    if (offer && 'refused' in offer) {
      report.refused()
      const { refused } = offer
      await commands.takeDownOffer(one.id, refused, asked_at)
      return { nextMs: IDLE_MS }
    }
    // A coupon that this key has no access to is treated as unlimited, as if there were no key.
    const { limits = [], endsAt } = offer ?? {}
    const end = endsAt ?? Number.POSITIVE_INFINITY
    // If Stripe doesn't answer by `end`, the offer may be over while its announcement still shows.
    const endsEarly = end < (one.expiresAt ?? Number.POSITIVE_INFINITY)
    const known = { limited: limits.length > 0 || endsEarly ? 1 : 0, seen: reading ? 1 : 0 }
    await store.remember({ asked_at: time, ...known }, { asked_at }, one.id)
    await resume()
    // The wait must not outlast the promotion code, which may expire before the announcement ends.
    return { nextMs: Math.min(nextCheckMs(limits), end - clock.now()) }
  } catch (error) {
    if (!(error instanceof StripeRequestError)) throw error
    report.unanswered('coupons', error)
    const isLimited = memory.limited === 1
    const nextMs = backoffMs(memory.failures + 1, isLimited, error.waitMs)
    if (!isLimited || isPaused) return { nextMs, unanswered: error }
    const leftMs = SILENCE_MS - (time - asked_at) - (clock.monotonic() - began)
    if (leftMs <= 0) await commands.pauseOffer(one.id, error.reason, asked_at)
    return { nextMs: leftMs > 0 ? Math.min(nextMs, leftMs) : nextMs, unanswered: error }
  }
}
