import type { Announcement } from '../announcement.ts'
import { type Clock, within } from '../clock.ts'
import type { Offers as StoredOffers } from '../store/store.ts'
import type { StripeClient } from '../stripe/client.ts'
import { isMadeUp } from '../stripe/notification-types.ts'
import { KEPT_MS } from './retrieve.ts'

/**
 * What has come from Stripe, and the key doesn't know: then the key is of another account or mode. It is the coupon that
 * stands, or else the last notification.
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
    const isKnown = standing ? await knowsCoupon(standing) : undefined
    if (isKnown === false) found = `the coupon ${standing?.coupon}, which is announced`
    if (isKnown !== undefined) return
    const since = Math.floor((clock.now() - KEPT_MS) / 1000)
    const last = (await store.lastNotifications(since)).find((id) => !isMadeUp(id))
    if (last && !(await client.knowsEvent(last, patienceMs))) found = `the notification ${last}`
  }
  await within(patienceMs, look(), 'Stripe').catch(() => {})
  return found

  /** @returns `undefined` where nothing of Stripe's stands */
  async function knowsCoupon({
    coupon,
    by,
    timestamp,
  }: Announcement): Promise<boolean | undefined> {
    if (coupon === null || isMadeUp(by.notification)) return undefined
    const [found, isKnown] = await Promise.all([
      client.coupon(coupon, patienceMs),
      by.notification === undefined ? false : client.knowsEvent(by.notification, patienceMs),
    ])
    // The key may have another coupon of the same id. Where no event can tell, the id has to do.
    const byId = by.notification === undefined || clock.now() - timestamp > KEPT_MS
    return isKnown || (byId && found !== null)
  }
}
