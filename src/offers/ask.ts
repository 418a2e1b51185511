import type { Commands } from '../commands.ts'
import type { Announcement } from '../core/announcement.ts'
import type { OfferTurn, TurnEnd } from '../store/store.ts'
import { backoffMs, nextQuestionMs, SILENCE_MS } from '../stripe/asking.ts'
import { offerOf } from '../stripe/offer.ts'
import { Unanswered } from '../stripe/unanswered.ts'
import { type Asking, retrieve } from './retrieve.ts'

type End = Omit<TurnEnd, 'token' | 'quietMs'>

/**
 * Asks about what stands, or may come back, and does what follows from the answer (contract T3).
 *
 * @param refusal Stripe's, of any question in this turn
 */
export async function ask(
  options: Asking & { commands: Commands },
  turn: OfferTurn,
  one: Announcement & { coupon: string },
  refusal?: Unanswered,
): Promise<End> {
  const { commands, client, clock, report } = options
  const { coupon: id, by, timestamp: since } = one
  // Another key may have retrieved it, and that may be of another account.
  const isSeen = turn.seen && turn.caughtUp?.mark === (await client.mark())
  try {
    if (refusal) throw refusal
    const coupon = await retrieve(options, id, isSeen || { event: by.notification, since })
    const offer = coupon && offerOf(coupon, clock.now())
    if (offer && 'refused' in offer) {
      report.refused()
      await commands.takeDownOffer(one.id, offer.because, offer.refused)
      return { nextMs: 0 }
    }
    if (turn.suspended) await commands.bringBackOffer(one.id)
    // Of a coupon that the key doesn't have no limit is known, as without the key.
    const limit = offer?.limit ?? null
    const answer = { coupon: id, limit, seen: coupon !== undefined }
    return { nextMs: nextQuestionMs(limit), answer }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    report.unanswered('coupons', error)
    return await withoutAnswer(error)
  }

  async function withoutAnswer(error: Unanswered): Promise<End> {
    const { waitMs, sent: failed } = error
    const { limit, suspended } = turn
    const failures = turn.failures + (failed ? 1 : 0)
    const againMs = backoffMs(failures, limit !== null || suspended !== null, waitMs)
    const leftMs = patienceMs(turn, clock.now())
    if (leftMs > 0) return { nextMs: Math.min(againMs, leftMs), failed }
    await commands.takeDownOffer(one.id, `Stripe: no answer for 5 minutes${whyIn(error)}`, null)
    return { nextMs: againMs, failed }
  }
}

/** For how long an offer that may have a limit may go on standing without an answer; infinity for others (contract T3). */
export function patienceMs({ limit, suspended, answeredAt }: OfferTurn, now: number): number {
  return limit !== null && !suspended ? answeredAt + SILENCE_MS - now : Number.POSITIVE_INFINITY
}

/** What somebody can mend. */
function whyIn({ status }: Unanswered): string {
  if (status === 401) return ', as it refuses the key (401)'
  return status === 403 ? ', as the key lacks a right (403)' : ''
}
