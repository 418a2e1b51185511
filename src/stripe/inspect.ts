import type { Announcement } from '../core/announcement.ts'
import { withTimeout } from '../core/clock.ts'
import type { Facts } from '../core/facts.ts'
import { lastDelivered, NO_COUPON } from './catch-up.ts'
import { StripeRequestError, type StripeRequests } from './client.ts'
import { type AskingParts, isAskable, isSameMode } from './judging.ts'
import { codeToJudge } from './offer.ts'

type StripeFacts = NonNullable<Facts['stripe']>
type Asked = NonNullable<StripeFacts['coupons']>

/** Finds out for the doctor which permissions the key has, with requests that change nothing. It never rejects. */
export async function inspectKey(
  { client, store, clock }: AskingParts,
  ask: StripeRequests,
  offer: Announcement | null,
  timeoutMs: number,
): Promise<StripeFacts> {
  const { coupon = null, couponLive, by } = offer ?? {}
  const askable = isAskable(coupon, couponLive, client.live) ? coupon : null
  const [found, listed] = await Promise.all([
    outcomeOf(ask.coupon(askable ?? NO_COUPON)),
    outcomeOf(ask.events(0, undefined, 1)),
  ])
  const result: StripeFacts = { coupons: found.asked, events: listed.asked }
  if (listed.asked.result === 'answered') {
    result.aheadMs = clock.now() - client.answeredAt() * 1000
  }
  await withTimeout(timeoutMs, more(), 'Stripe').catch(() => {})
  return result

  async function more() {
    const code = askable && found.answer ? codeToJudge(found.answer, clock.now()) : undefined
    if (code !== undefined) result.codes = (await outcomeOf(ask.codes(code))).asked
    const isGone = askable !== null && found.answer === null
    const isForeign = isGone && !(by?.notification && (await ask.knowsEvent(by.notification)))
    const heard = lastDelivered(await store.recall(clock.now()))
    if (isForeign || !isSameMode(couponLive, client.live)) {
      result.unknown = `the announced coupon ${coupon}`
    } else if (heard !== null && !(await ask.knowsEvent(heard))) {
      result.unknown = `the notification ${heard}`
    }
  }
}

async function outcomeOf<T>(answer: Promise<T>): Promise<{ asked: Asked; answer?: T }> {
  try {
    return { answer: await answer, asked: { result: 'answered' } }
  } catch (error) {
    if (!(error instanceof StripeRequestError)) {
      return { asked: { result: 'failed', reason: 'the service could not ask Stripe' } }
    }
    const { result, message: reason, status } = error
    return { asked: { result, reason, status } }
  }
}
