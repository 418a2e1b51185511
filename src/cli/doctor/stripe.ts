import { ClientError } from '../../client/send.ts'
import type { Facts } from '../../core/facts.ts'
import { simulatedId } from '../../stripe/notification-types.ts'
import { deliver } from '../service/deliver.ts'
import { AS_DOCTOR } from '../service/get.ts'
import { by, type Finding, problemAndFix } from './finding.ts'
import type { OwnSecret } from './service.ts'
import { SET_CLOCK } from './surroundings.ts'

/** A type that Stripe never sends. The service verifies such a notification, then ignores it and writes no history. */
const KIND = 'placard.doctor'

/**
 * Checks whether the service accepts this machine's signing secret, and whether it rejected other notifications.
 *
 * @param sent the finding of {@link sendNotification}; `undefined` if notifications are off, so none was sent
 */
export function checkNotifications(
  facts: Pick<Facts, 'notifications' | 'mismatches' | 'connected'> | undefined,
  sent: Finding | undefined,
): Finding {
  const { skip, warn, fail } = by('notifications')
  const { mismatches = 0, connected = 0 } = facts ?? {}
  if (sent === undefined) {
    const off = 'STRIPE_WEBHOOK_SECRET is not set'
    if (mismatches === 0) return skip(`${off}, so notifications get 503`)
    const fix =
      "Set STRIPE_WEBHOOK_SECRET to the destination's signing secret from Stripe's dashboard, and restart the service"
    return fail(`Notifications rejected because ${off}: ${mismatches}`, fix)
  }
  if (sent.status === 'fail') return sent
  if (mismatches === 0) return connected === 0 ? sent : warn(...fromConnected(connected))
  const message = `Notifications signed with another secret since Stripe's last accepted notification: ${mismatches}`
  const fix =
    "Look at the destination in Stripe's dashboard. If deliveries fail with 400, set STRIPE_WEBHOOK_SECRET to the" +
    " destination's signing secret and restart the service; if none fail, somebody else sends these notifications"
  return warn(message, fix)
}

const fromConnected = (count: number): [message: string, fix: string] => [
  `Notifications from connected accounts ignored since the service started: ${count}`,
  "In Stripe's dashboard, change the destination to send events from Your account, not from Connected accounts",
]

/** Sends a notification without effect, with a signature like Stripe's, and says whether the service accepts it. */
export async function sendNotification(
  url: string,
  signing: OwnSecret,
  ms: number,
): Promise<Finding> {
  const { pass, skip, fail } = by('notifications')
  const { secret, origin, fault } = signing
  if (fault !== undefined) return fail(...problemAndFix(fault))
  if (secret === undefined)
    return skip("STRIPE_WEBHOOK_SECRET isn't set here, so the doctor can't sign a notification")
  const created = Math.floor(Date.now() / 1000)
  const about = { object: 'event', type: KIND, created, data: { object: {} } }
  try {
    const init = { signal: AbortSignal.timeout(ms), headers: AS_DOCTOR }
    await deliver({ id: simulatedId(), ...about }, secret, url, init)
    return pass('The service accepts a signed notification')
  } catch (error) {
    const { message, status } = error as ClientError
    const found = `The service rejected a notification signed with the secret from ${origin}: ${message}`
    if (!(error instanceof ClientError) || status !== 400) {
      return fail(found, "Look in the service's log")
    }
    const fix =
      'If you changed the secret, restart the service; otherwise, set STRIPE_WEBHOOK_SECRET to the secret of the service'
    return fail(found, message.includes('clock') ? SET_CLOCK : fix)
  }
}

/** Checks whether the Stripe key has the necessary permissions, and belongs to the right account and mode. */
export function checkKey({ stripe }: Pick<Facts, 'stripe'>): Finding {
  const { pass, skip, warn, fail } = by('stripe-key')
  if (stripe === null)
    return skip("STRIPE_API_KEY is not set, so the service doesn't ask Stripe about coupons")
  const { coupons, events, codes, unknown } = stripe
  if (!coupons || !events) return skip("The service couldn't ask Stripe in time")
  if (coupons.status === 401 || events.status === 401) {
    const fix =
      'In Stripe, create a restricted key that may read coupons and events. Set STRIPE_API_KEY to it, and restart'
    return fail('Stripe rejects the key (401): it is wrong or has been revoked', fix)
  }
  const rights = Object.entries({ coupons, events, 'promotion codes': codes })
  const denied = rights.filter(([, it]) => it?.result === 'denied').map(([name]) => name)
  if (denied.length > 0) {
    const what = denied.join(' and ')
    const fix = `In Stripe's dashboard, under API keys, give this key permission to read ${what}`
    return fail(`The key lacks permission to read ${what} (403)`, fix)
  }
  const silent = [coupons, events].find(({ result }) => result !== 'answered')
  if (silent) {
    const fix =
      'Check status.stripe.com and the connection to api.stripe.com. On a 429, find the program that calls Stripe too often'
    return warn(`Stripe gave no answer: ${silent.reason ?? silent.result}`, fix)
  }
  if (unknown === undefined) return pass('The key can read coupons and events')
  const fix =
    'Set STRIPE_API_KEY to a key of the account and mode (live, test, sandbox) that sends the notifications, and' +
    ' restart the service. If you have just moved to a new account or mode, the next notification clears this error'
  const message = `With this key, Stripe can't find ${unknown}`
  return fail(`${message}: the key belongs to another account or mode`, fix)
}
