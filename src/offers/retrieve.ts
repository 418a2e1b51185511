import { type Clock, within } from '../clock.ts'
import type { StripeClient } from '../stripe/client.ts'
import { judged, type Told, unretrieved } from '../stripe/coupons.ts'
import { isMadeUp } from '../stripe/notification-types.ts'
import type { Coupon } from '../stripe/offer.ts'
import type { Report } from './report.ts'

/** How long somebody who waits may wait for Stripe (contract T2). */
const WAIT_MS = 2_000

export interface Asking {
  client: StripeClient
  clock: Clock
  report: Report
}

/**
 * A coupon, deleted or not; `undefined` if it isn't one of the key's account and mode. There, an event of the coupon is
 * known too, so a coupon that isn't there is deleted (contract T2).
 *
 * @param ours an event that is about the coupon, or `true` where the key has retrieved it before
 * @throws Unanswered
 */
export async function retrieve(
  { client, report }: Asking,
  id: string,
  ours: string | true | null | undefined,
  patienceMs?: number,
): Promise<Coupon | undefined> {
  const coupon = await client.coupon(id, patienceMs)
  report.answered('coupons')
  if (coupon) return coupon
  // A coupon that was made up to try things out is of no account.
  if (ours !== true && isMadeUp(ours)) return undefined
  const isOurs = ours === true || (ours && (await client.knowsEvent(ours, patienceMs)))
  if (isOurs) return { deleted: true }
  report.foreign()
  return undefined
}

/**
 * A notification, after its coupon was retrieved and judged.
 *
 * @param patienceMs how long an answer may take; shorter where somebody waits
 * @throws Unanswered
 */
export async function retrieved(asking: Asking, told: Told, patienceMs = WAIT_MS): Promise<Told> {
  const { effect, coupon: id, id: event } = told.notification
  if (effect.kind !== 'publish' || id === null) return told
  const coupon = await retrieve(asking, id, event, patienceMs)
  if (coupon === undefined) return unretrieved(told, asking.clock.now())
  const result = judged(told, coupon, asking.clock.now())
  const { effect: outcome } = result.notification
  if (outcome.kind === 'publish' && outcome.refused) asking.report.refused()
  return result
}

/** Waits no longer than somebody may have to. @returns `undefined` without an answer by then */
export async function inTime<T>({ report }: Asking, work: Promise<T>): Promise<T | undefined> {
  let result: T | undefined
  const done = work.then((it) => {
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
