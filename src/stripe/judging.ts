import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Offers } from '../store/store.ts'
import { type StripeClient, StripeRequestError, type StripeRequests } from './client.ts'
import { judged, type ParsedNotification, unretrieved } from './notification.ts'
import { isSimulatedCoupon } from './notification-types.ts'
import { type Coupon, codeToJudge, type PromotionCode } from './offer.ts'
import type { Report } from './report.ts'

/** The dependencies for asking Stripe and acting on its answers. */
export interface AskingParts {
  store: Offers
  commands: Commands
  client: StripeClient
  clock: Clock
  log: Log
  report: Report
  /** Warns about parts of a notification that may not show as intended. */
  warn(parsed: ParsedNotification): Promise<void>
}

/**
 * Retrieves and judges the coupon of a publishing notification (contract T2).
 *
 * @throws StripeRequestError
 */
export async function judge(
  ask: StripeRequests,
  parsed: ParsedNotification,
  { client, clock, report }: AskingParts,
): Promise<ParsedNotification> {
  const { effect, coupon, id: event, live } = parsed.notification
  if (effect.kind !== 'publish') return parsed
  if (!isSameMode(live, client.live)) report.warnOnce('mode')
  const askedAt = clock.now()
  const reading = isAskable(coupon, live, client.live)
    ? await retrieve(ask, { coupon, event }, report, askedAt)
    : undefined
  if (!reading) return unretrieved(parsed, clock.now())
  const result = judged(parsed, reading, askedAt, clock.now())
  const { effect: outcome } = result.notification
  if (outcome.kind === 'publish' && outcome.refused) report.refused()
  return result
}

/** The subject of a request: a coupon, and an event that shows whether the key belongs to the coupon's account. */
export interface Subject {
  coupon: string
  /** The id of an event that published the coupon or is about it. */
  event: string | null | undefined
  seen?: boolean
}

/** Stripe's data about a coupon, deleted or not. */
export interface Reading {
  coupon: Coupon
  /**
   * The promotion codes that the coupon's metadata names; absent if it names none, the coupon itself can't be redeemed,
   * or the key can't read codes.
   */
  codes?: readonly PromotionCode[]
}

/**
 * Whether to ask Stripe about a coupon: yes, unless it is simulated or known to have a different mode than the key.
 *
 * @param keyLive whether the key is for live mode
 */
export function isAskable(
  coupon: string | null,
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): coupon is string {
  return coupon !== null && !isSimulatedCoupon(coupon) && isSameMode(live, keyLive)
}

/** Whether a coupon and the key have the same mode. Assumes that an unknown mode is the same. */
export function isSameMode(
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): boolean {
  return live == null || keyLive === undefined || live === keyLive
}

/**
 * Retrieves a coupon with its promotion codes. A coupon that Stripe doesn't find counts as deleted if the key has
 * retrieved it before or can retrieve its event; otherwise, it belongs to another account (contract T2).
 *
 * @returns `undefined` if the coupon belongs to another account
 * @throws StripeRequestError
 */
export async function retrieve(
  ask: StripeRequests,
  { coupon: id, event, seen = false }: Subject,
  report: Report,
  now: number,
): Promise<Reading | undefined> {
  const coupon = await ask.coupon(id)
  report.answered('coupons')
  if (coupon === null) {
    const isOurs = seen || (event != null && (await ask.knowsEvent(event)))
    if (isOurs) return { coupon: { deleted: true } }
    report.warnOnce('foreign')
    return undefined
  }
  const code = codeToJudge(coupon, now)
  if (code === undefined) return { coupon }
  try {
    const codes = await ask.codes(code)
    report.answered('codes')
    return { coupon, codes }
  } catch (error) {
    if (!(error instanceof StripeRequestError) || error.result !== 'denied') throw error
    report.unanswered('codes', error)
    return { coupon }
  }
}
