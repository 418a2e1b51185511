import type { Questions } from './client.ts'
import { isMadeUp, isMadeUpCoupon } from './notification-types.ts'
import { type Coupon, codeToJudge, type PromotionCode } from './offer.ts'
import type { Report } from './report.ts'
import { Unanswered } from './unanswered.ts'

/** What is asked about: a coupon, and where it came from. */
export interface Subject {
  coupon: string
  /** The event that put it up, or tells of it. */
  event: string | null | undefined
  /** Whether this key has retrieved it before. */
  seen?: boolean
}

/** What Stripe has of a coupon, deleted or not. */
export interface Reading {
  coupon: Coupon
  /** The promotion codes of the name that its metadata has; left out if it has none, or the key may not read them. */
  codes?: readonly PromotionCode[]
}

/**
 * Whether the key can know a coupon: it is of the same mode as far as that is known, and was not made up to try things out.
 *
 * @param keyLive whether the key is of the live mode
 */
export function isAskable(
  coupon: string | null,
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): coupon is string {
  if (coupon === null || isMadeUpCoupon(coupon)) return false
  return isSameMode(live, keyLive)
}

/** What isn't known counts as the same. */
export function isSameMode(
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): boolean {
  return live == null || keyLive === undefined || live === keyLive
}

/**
 * Retrieves a coupon with its promotion codes. One that isn't there is deleted if the key has had it or knows its event; else
 * the key is of another account (contract T2).
 *
 * @returns `undefined` if the coupon isn't one of the key's account
 * @throws Unanswered
 */
export async function retrieve(
  ask: Questions,
  { coupon: id, event, seen = false }: Subject,
  report: Report,
  now: number,
): Promise<Reading | undefined> {
  const coupon = await ask.coupon(id)
  report.answered('coupons')
  if (coupon === null) {
    const isOurs = seen || (event != null && !isMadeUp(event) && (await ask.knowsEvent(event)))
    if (isOurs) return { coupon: { deleted: true } }
    report.say('foreign')
    return undefined
  }
  const code = codeToJudge(coupon, now)
  if (code === undefined) return { coupon }
  try {
    const codes = await ask.codes(code)
    report.answered('codes')
    return { coupon, codes }
  } catch (error) {
    if (!(error instanceof Unanswered) || error.result !== 'denied') throw error
    report.unanswered('codes', error)
    return { coupon }
  }
}
