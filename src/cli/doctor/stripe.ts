import { ClientError } from '../../client/send.ts'
import type { Facts } from '../../http/facts.ts'
import { madeUpId } from '../../stripe/notification-types.ts'
import { deliver } from '../simulate.ts'
import { SET_CLOCK } from './clock.ts'
import { type Finding, fail, pass, skip, warn } from './finding.ts'
import { AS_DOCTOR } from './get.ts'

/** No kind that Stripe has. The service verifies it, and ignores it without a trace in the history. */
const KIND = 'placard.doctor'

interface Signing {
  secret: string | undefined
  origin: string | null
}

/** Whether a notification that is signed with the secret of here is taken, and whether Stripe's were. */
export async function checkNotifications(
  url: string,
  signing: Signing,
  facts: Pick<Facts, 'notifications' | 'mismatches'> | undefined,
  ms: number,
): Promise<Finding> {
  const { mismatches = 0 } = facts ?? {}
  if (facts?.notifications === false) {
    if (mismatches === 0) {
      return skip('notifications', 'STRIPE_WEBHOOK_SECRET is not set, so notifications get 503')
    }
    const message = `Notifications refused because STRIPE_WEBHOOK_SECRET is not set: ${mismatches}`
    const mend =
      "Set STRIPE_WEBHOOK_SECRET to the signing secret of the destination in Stripe's dashboard, and restart"
    return fail('notifications', message, mend)
  }
  const sent = await send(url, signing, ms)
  if (sent.status === 'fail' || mismatches === 0) return sent
  const message = `Notifications refused for another secret since Stripe's last that was taken: ${mismatches}`
  const mend =
    "Look at the destination in Stripe's dashboard. If deliveries fail with 400, set STRIPE_WEBHOOK_SECRET to its" +
    ' signing secret and restart; if none does, a stranger sends these'
  return warn('notifications', message, mend)
}

/** Sends a signed notification that changes nothing, as Stripe would. */
async function send(url: string, { secret, origin }: Signing, ms: number): Promise<Finding> {
  if (secret === undefined) {
    return skip('notifications', 'There is no STRIPE_WEBHOOK_SECRET here to sign one with')
  }
  const created = Math.floor(Date.now() / 1000)
  const notification = {
    id: madeUpId(),
    object: 'event',
    type: KIND,
    created,
    data: { object: {} },
  }
  try {
    const init = { signal: AbortSignal.timeout(ms), headers: AS_DOCTOR }
    const { outcome } = await deliver(notification, secret, url, init)
    if (outcome === 'ignored') return pass('notifications', 'A signed notification is taken')
    return fail(
      'notifications',
      `A notification of no kind was ${outcome}, not ignored`,
      'Whatever answers there is no Placard: give the address of the service with --url',
    )
  } catch (error) {
    const { message, status } = error as ClientError
    const signed = `signed with the secret from ${origin}`
    const found = `A notification ${signed} is not taken: ${message}`
    if (!(error instanceof ClientError) || status !== 400) {
      return fail('notifications', found, 'Look into the log of the service')
    }
    const mend = message.includes('clock')
      ? SET_CLOCK
      : 'If it was changed, restart the service; else set STRIPE_WEBHOOK_SECRET to that of the service'
    return fail('notifications', found, mend)
  }
}

/** Whether the key may do what the service asks with it. */
export function checkKey({ stripe }: Pick<Facts, 'stripe'>): Finding {
  if (stripe === null) return skip('stripe-key', 'STRIPE_API_KEY is not set: Stripe is not asked')
  const { coupons, events, codes, unknown } = stripe
  if (!coupons || !events) return skip('stripe-key', 'Stripe was not asked in time')
  const all = [coupons, events]
  if (all.some(({ status }) => status === 401)) {
    const message = 'Stripe refuses the key (401): it is wrong, or was revoked'
    const mend =
      'In the dashboard, make a restricted key that may read coupons and events. Set STRIPE_API_KEY to it, and restart'
    return fail('stripe-key', message, mend)
  }
  const rights = { coupons, events, 'promotion codes': codes }
  const denied = Object.entries(rights).filter(([, it]) => it?.result === 'denied')
  if (denied.length > 0) {
    const what = denied.map(([name]) => name).join(' and ')
    const mend = `In the dashboard under API keys, give this key the right to read ${what}`
    return fail('stripe-key', `The key may not read ${what} (403)`, mend)
  }
  const limited = all.find(({ result }) => result === 'limited')
  if (limited) {
    const message = `Stripe takes no more questions for now: ${limited.reason ?? '429'}`
    const mend =
      'Find out which program uses up what the account may ask, in the dashboard under Developers. This service waits' +
      ' as long as Stripe says, then asks ever more seldom'
    return warn('stripe-key', message, mend)
  }
  const silent = all.find(({ result }) => result !== 'answered')
  if (!silent && unknown !== undefined) {
    const message = `The key does not know ${unknown}: it is of another account or mode`
    const mend =
      'Set STRIPE_API_KEY to a key of the account and mode (live, test, sandbox) that sends the notifications, and' +
      ' restart. If you have just changed both, this ends with the next coupon'
    return fail('stripe-key', message, mend)
  }
  if (!silent) return pass('stripe-key', 'The key may read coupons and events')
  const message = `Stripe gave no answer: ${silent.reason ?? silent.result}`
  const mend = 'Look at status.stripe.com, and whether this machine reaches api.stripe.com'
  return warn('stripe-key', message, mend)
}
