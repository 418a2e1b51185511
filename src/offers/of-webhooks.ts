import type { Announcement } from '../core/announcement.ts'
import type { Clock } from '../core/clock.ts'
import type { Heard, Offers as StoredOffers } from '../store/store.ts'
import type { ListedEvent, StripeClient } from '../stripe/client.ts'
import { isMadeUp } from '../stripe/notification-types.ts'
import { goesById } from './retrieve.ts'

/**
 * The notification that tells of which account and mode the webhooks are: the last that was delivered.
 *
 * @param about what stands: where no delivery is known, as after an update of the service, what put it up tells
 */
export async function lastHeard(
  store: StoredOffers,
  about: Announcement | null,
): Promise<Heard | null> {
  const heard = await store.heard()
  const event = about?.by.notification
  if (heard || !about || event === undefined || isMadeUp(event)) return heard
  return { event, since: about.timestamp, live: null }
}

/**
 * Whether events that the key lists are of the account and mode of the webhooks (contract T4). If nothing tells, they are.
 *
 * Cost: a question at most.
 *
 * @throws Unanswered
 */
export async function isOfWebhooks(
  { client, clock }: { client: StripeClient; clock: Clock },
  listed: readonly ListedEvent[],
  heard: Heard | null,
): Promise<boolean> {
  if (!heard) return true
  const { event, since, live } = heard
  if (listed.some(({ id }) => id === event)) return true
  if (live !== null && listed.some(({ livemode }) => livemode === !live)) return false
  return goesById(event, since, clock.now()) || client.knowsEvent(event)
}
