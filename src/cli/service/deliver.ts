import { send } from '../../client/send.ts'

/** The response to a notification (contract W2). */
type Receipt = { outcome: string; reason?: string }

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
