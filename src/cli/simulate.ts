import { send } from '../client/send.ts'
import { isCouponNotification, madeUpId } from '../stripe/notification-types.ts'
import { couponNotification } from '../stripe/simulate.ts'
import { access, explaining } from './access.ts'
import { OPTIONS } from './options.ts'
import { type Answer, number, readArgs, UsageError } from './usage.ts'

/** The response to a notification (contract W2). */
type Receipt = { outcome: string; reason?: string }

/** `placard simulate`: sends a signed notification, as Stripe would. */
export async function simulate(args: string[]): Promise<Answer> {
  const { values, positionals } = readArgs(args, OPTIONS.simulate, true)
  const [type, ...more] = positionals
  if (more.length > 0 || !isCouponNotification(type)) {
    throw new UsageError('Give one type: coupon.created, coupon.updated or coupon.deleted')
  }
  const found = await access(values.url, 'STRIPE_WEBHOOK_SECRET')
  const { url, secret } = found
  if (!secret) {
    throw new UsageError(
      'There is no signing secret: start the service once, or set STRIPE_WEBHOOK_SECRET',
    )
  }
  const created = Math.floor(Date.now() / 1000)
  const notification = couponNotification(
    type,
    {
      name: values.name,
      percentOff: number('percent-off', values['percent-off'], 100),
      amountOff: number('amount-off', values['amount-off']),
      currency: values.currency,
      redeemBy: seconds(values['redeem-by']),
      featured: !values['not-featured'],
      valid: values['not-valid'] ? false : undefined,
      coupon: values.coupon,
    },
    created,
    madeUpId(values.id),
  )
  const answer = await deliver(notification, secret, url).catch(explaining(found))
  if (values.json) return answer
  const { outcome, reason } = answer
  return `${type} ${notification.id}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`
}

/** Sends a notification as Stripe does, with a signature over the bytes of the body. */
export async function deliver(
  notification: object,
  secret: string,
  url: string,
  init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Receipt> {
  const { default: Stripe } = await import('stripe')
  const payload = JSON.stringify(notification, null, 2)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': signature,
    ...init.headers,
  }
  const request = { ...init, method: 'POST', headers, body: payload }
  return send(fetch, `${url}/api/webhooks`, request, (body, { status }) => {
    const done = status === 200 && body.received === true && typeof body.outcome === 'string'
    return done ? (body as unknown as Receipt) : undefined
  })
}

function seconds(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const parsed = /^\d+$/.test(value) ? Number(value) : Math.floor(Date.parse(value) / 1000)
  if (Number.isNaN(parsed)) throw new UsageError('--redeem-by takes a date, or seconds since 1970')
  return parsed
}
