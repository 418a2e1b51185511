import type { Announcement } from '../core/announcement.ts'
import { type Clock, within } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import type { Questions, Quiet, StripeClient } from './client.ts'
import { judged, type Told, unretrieved } from './notification.ts'
import { isMadeUp, isMadeUpCoupon } from './notification-types.ts'
import { type Coupon, codeToJudge, offerOf, type PromotionCode } from './offer.ts'
import type { Report } from './report.ts'
import { Unanswered } from './unanswered.ts'

/** How long a client may wait for Stripe (contract T2). */
export const WAIT_MS = 2_000

/** Judges coupons by what Stripe has of them (contract T2). */
export function createJudging({
  client,
  quiet,
  clock,
  report,
}: {
  client: StripeClient
  quiet: Quiet
  clock: Clock
  report: Report
}) {
  /** @throws Unanswered */
  async function read(ask: Questions, told: Told): Promise<Told> {
    const { effect, coupon, id: event, live } = told.notification
    if (effect.kind !== 'publish') return told
    if (!isSameMode(live, client.live)) report.say('mode')
    const askedAt = clock.now()
    const reading = isAskable(coupon, live, client.live)
      ? await retrieve(ask, { coupon, event }, report, askedAt)
      : undefined
    if (!reading) return unretrieved(told, clock.now())
    const result = judged(told, reading, askedAt, clock.now())
    const { effect: outcome } = result.notification
    if (outcome.kind === 'publish' && outcome.refused) report.refused()
    return result
  }

  /** Asks, but waits no longer than a client may have to. @returns `undefined` without an answer by then */
  async function inTime<T>(question: (ask: Questions) => Promise<T>): Promise<T | undefined> {
    let result: T | undefined
    const done = question(client.questions(quiet, WAIT_MS)).then((it) => {
      result = it
    })
    try {
      await within(WAIT_MS, done, 'Stripe')
    } catch (error) {
      done.catch(() => {})
      report.unanswered('coupons', error)
    }
    return result
  }

  return {
    /** Retrieves and judges the coupon of a notification, in 2 s at most. @returns `undefined` without an answer by then */
    judge: (told: Told) => inTime((ask) => read(ask, told)),
    /** The same without a limit, for notifications that were missed. Without an answer, the snapshot counts. */
    async judgeOr(ask: Questions, told: Told): Promise<Told> {
      try {
        return await read(ask, told)
      } catch (error) {
        // One coupon that Stripe can't give must not hold up others. It is asked about again.
        if (!(error instanceof Unanswered)) throw error
        report.unanswered('coupons', error)
        return unretrieved(told, clock.now())
      }
    },
    /** Why the checkout would refuse an announcement's coupon; `null` if it would not, `undefined` without an answer. */
    async refusalOf({ coupon, couponLive, by }: Announcement): Promise<Reason | null | undefined> {
      if (!isAskable(coupon, couponLive, client.live)) return undefined
      const subject = { coupon, event: by.notification }
      const reading = await inTime((ask) => retrieve(ask, subject, report, clock.now()))
      const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
      return offer && ('refused' in offer ? offer.refused : null)
    },
  }
}

/** The subject of a question: a coupon, and the event that it came from. */
export interface Subject {
  coupon: string
  /** The event that published the coupon, or is about it. */
  event: string | null | undefined
  seen?: boolean
}

/** Stripe's data about a coupon, deleted or not. */
export interface Reading {
  coupon: Coupon
  /** The promotion codes by the name in the metadata; left out without a name, or if the key may not read them. */
  codes?: readonly PromotionCode[]
}

/**
 * Whether the key can know a coupon: it isn't simulated, and is of the key's mode, as far as that is known.
 *
 * @param keyLive whether the key is of live mode
 */
export function isAskable(
  coupon: string | null,
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): coupon is string {
  if (coupon === null || isMadeUpCoupon(coupon)) return false
  return isSameMode(live, keyLive)
}

/** An unknown mode counts as the same. */
export function isSameMode(
  live: boolean | null | undefined,
  keyLive: boolean | undefined,
): boolean {
  return live == null || keyLive === undefined || live === keyLive
}

/**
 * Retrieves a coupon with its promotion codes. A missing coupon was deleted if the key has retrieved it before or knows
 * its event; else the key is of another account (contract T2).
 *
 * @returns `undefined` if the coupon belongs to another account
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
