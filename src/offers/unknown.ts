import type { Announcement } from '../core/announcement.ts'
import { type Clock, within } from '../core/clock.ts'
import type { Heard, Offers as StoredOffers } from '../store/store.ts'
import type { StripeClient } from '../stripe/client.ts'
import { isMadeUp } from '../stripe/notification-types.ts'
import { isSame } from '../stripe/offer.ts'
import { goesById } from './retrieve.ts'

/**
 * What has come from Stripe, and the key doesn't know: then the key is of another account or mode. It is the coupon that
 * stands, or the last notification that was delivered.
 *
 * @returns in words, or `undefined` if there is no such thing, or no answer by then
 */
export async function unknownToKey(
  { client, store, clock }: { client: StripeClient; store: StoredOffers; clock: Clock },
  standing: Announcement | null | undefined,
  patienceMs: number,
): Promise<string | undefined> {
  let found: string | undefined
  const look = async () => {
    const heard = await store.heard()
    const isKnown = standing ? await knowsCoupon(standing, heard) : undefined
    if (isKnown === false) found = `the coupon ${standing?.coupon}, which is announced`
    if (found || !heard || goesById(heard.event, heard.since, clock.now())) return
    const { event } = heard
    if (!(await client.knowsEvent(event, patienceMs))) found = `the notification ${event}`
  }
  await within(patienceMs, look(), 'Stripe').catch(() => {})
  return found

  /** @returns `undefined` where nothing of Stripe's stands */
  async function knowsCoupon(
    { coupon, by, timestamp }: Announcement,
    heard: Heard | null,
  ): Promise<boolean | undefined> {
    if (coupon === null || isMadeUp(by.notification)) return undefined
    const [found, isKnown] = await Promise.all([
      client.coupon(coupon, patienceMs),
      by.notification === undefined ? false : client.knowsEvent(by.notification, patienceMs),
    ])
    // The key may have another coupon of the same id.
    const byId = goesById(by.notification, timestamp, clock.now())
    return isKnown || (byId && found !== null && isSame(found, { livemode: heard?.live }))
  }
}
