import type { Clock } from '../core/clock.ts'
import type { Offers as StoredOffers } from '../store/store.ts'
import type { StripeClient } from '../stripe/client.ts'
import { judged, type Told, unretrieved } from '../stripe/coupons.ts'
import { isMadeUp } from '../stripe/notification-types.ts'
import { type Coupon, isSame } from '../stripe/offer.ts'
import { Unanswered } from '../stripe/unanswered.ts'
import type { Report } from './report.ts'

/** How long somebody who waits may wait for Stripe (contract T2). */
export const WAIT_MS = 2_000
/** Stripe keeps events for 30 days. A day less, so that none is looked for that has just gone. */
const KEPT_MS = 29 * 86_400_000

export interface Asking {
  store: StoredOffers
  client: StripeClient
  clock: Clock
  report: Report
}

/** What tells whether a coupon is the one that is meant. Another may have its id: in the other mode, or made after it. */
interface Origin {
  /** The event that put it up, or tells of it. */
  event: string | null | undefined
  /** The coupon as that event has it. */
  snapshot?: Coupon | undefined
  /** Since when it stands: milliseconds since 1970. */
  since?: number
}

/**
 * Whether the event can't tell what account and mode something is of. Then the id of the coupon has to do, and the mode as
 * far as it is known.
 *
 * @param since when the event was, as far as that is known; like `now` in milliseconds since 1970
 */
export function goesById(event: string | null | undefined, since: number, now: number): boolean {
  return !event || now - since > KEPT_MS
}

/**
 * A coupon, deleted or not; `undefined` if it isn't one of the key's account and mode. There, an event of the coupon is
 * known too, so a coupon that isn't there is deleted (contract T2).
 *
 * @param origin `true` where the key has retrieved it before
 * @throws Unanswered
 */
export async function retrieve(
  { store, client, clock, report }: Asking,
  id: string,
  origin: Origin | true,
  patienceMs?: number,
): Promise<Coupon | undefined> {
  const found = await client.coupon(id, patienceMs)
  report.answered('coupons')
  if (origin === true) return found ?? { deleted: true }
  const { event, snapshot, since = clock.now() } = origin
  // A coupon that was made up to try things out is of no account.
  if (isMadeUp(event)) return found ?? undefined
  if (found && snapshot && isSame(found, snapshot)) return found
  const candidate = snapshot ? null : found
  const isOfMode = candidate && isSame(candidate, { livemode: (await store.heard())?.live })
  if (isOfMode && goesById(event, since, clock.now())) return candidate
  const isOurs =
    event &&
    (await client.knowsEvent(event, patienceMs).catch((error) => {
      if (candidate && error instanceof Unanswered && error.result === 'denied') return isOfMode
      throw error
    }))
  if (isOurs) return candidate ?? { deleted: true }
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
  const { snapshot, notification } = told
  const { effect, coupon: id, id: event } = notification
  if (effect.kind !== 'publish' || id === null) return told
  const coupon = await retrieve(asking, id, { event, snapshot }, patienceMs)
  if (coupon === undefined) return unretrieved(told, asking.clock.now())
  const result = judged(told, coupon, asking.clock.now())
  const { effect: outcome } = result.notification
  if (outcome.kind === 'publish' && outcome.refused) asking.report.refused()
  return result
}
