import type { Commands } from '../commands.ts'
import type { Announcement } from '../core/announcement.ts'
import type { Clock } from '../core/clock.ts'
import type { Offers, Turn } from '../store/store.ts'
import type { Questions, StripeClient } from './client.ts'
import { isAskable, retrieve } from './judging.ts'
import { offerOf } from './offer.ts'
import type { Report } from './report.ts'
import { backoffMs, nextQuestionMs, Unanswered } from './unanswered.ts'

/** After this long without an answer, an offer with a limit may be sold out (contract T3). */
const SILENCE_MS = 5 * 60_000
/** When to look again while there is nothing to ask about. */
const IDLE_MS = 60 * 60_000

/** The result of a question about the published coupon. */
export interface Asked {
  nextMs: number
  /** Whether the question was sent and not answered; left out if none was sent. */
  failed?: boolean
  /** There was no answer, so notifications may be missed. */
  isSilent?: true
  /** There was an answer, after others without one. */
  isBack?: true
}

/** Makes the question about the published coupon, which acts on its answer (contract T3). */
export function createQuestion({
  store,
  commands,
  client,
  clock,
  report,
}: {
  store: Pick<Offers, 'answer'>
  commands: Commands
  client: Pick<StripeClient, 'live'>
  clock: Clock
  report: Report
}): (ask: Questions, turn: Turn) => Promise<Asked> {
  async function withoutAnswer(
    { sent, waitMs, reason }: Unanswered,
    { failures, limited, paused, silentMs }: Turn,
    one: Announcement,
    tookMs: number,
  ): Promise<Asked> {
    const nextMs = backoffMs(failures + (sent ? 1 : 0), limited, waitMs)
    const asked = { isSilent: true as const, ...(sent && { failed: true }) }
    const leftMs = SILENCE_MS - silentMs - tookMs
    if (!limited || paused) return { ...asked, nextMs }
    if (leftMs > 0) return { ...asked, nextMs: Math.min(nextMs, leftMs) }
    await commands.pauseOffer(one.id, reason, SILENCE_MS)
    return { ...asked, nextMs }
  }

  return async (ask, turn) => {
    const { standing: one } = turn
    if (!one || !isAskable(one.coupon, one.couponLive, client.live)) {
      if (turn.paused) await commands.resumeOffer()
      return { nextMs: IDLE_MS }
    }
    const askedAt = clock.now()
    const began = clock.monotonic()
    try {
      const subject = { coupon: one.coupon, event: one.by.notification, seen: turn.seen }
      const reading = await retrieve(ask, subject, report, clock.now())
      const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
      if (offer && 'refused' in offer) {
        report.refused()
        await commands.takeDownOffer(one.id, offer.refused, askedAt)
        return { nextMs: IDLE_MS, failed: false }
      }
      // A coupon that the key doesn't have counts as unlimited, as it does without a key.
      const { limits = [], endsAt = null } = offer ?? {}
      const limited = limits.length > 0
      const answer = { id: one.id, askedAt, limited, seen: reading !== undefined }
      await store.answer(answer, clock.now())
      if (turn.paused) await commands.resumeOffer()
      // The promotion code may end before the announcement does.
      const endsInMs = endsAt === null ? Number.POSITIVE_INFINITY : endsAt - clock.now()
      const nextMs = Math.min(nextQuestionMs(limits), endsInMs)
      return { nextMs, failed: false, ...(turn.failures > 0 && { isBack: true as const }) }
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      report.unanswered('coupons', error)
      return withoutAnswer(error, turn, one, clock.monotonic() - began)
    }
  }
}
