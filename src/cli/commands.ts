import type { AnnouncementType, WireAnnouncement } from '../announcement.ts'
import { ask } from '../ask.ts'
import { createClient } from '../client.ts'
import { parseSecrets } from '../secrets.ts'
import { readAccess, readConfig, type SecretName } from '../server/config.ts'
import { existingSecret } from '../server/kept-secret.ts'
import { isCouponNotification } from '../stripe/notification-types.ts'
import { couponNotification } from '../stripe/simulate.ts'
import { number, readArgs, UsageError } from './usage.ts'

/** The answer to a notification (contract W2). */
type Receipt = { outcome: string; reason?: string }
type Print = (text: string) => void
type Command = (args: string[], print: Print) => Promise<void>

/** A map, not an object: `placard constructor` is no command. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({ serve, publish, current, withdraw, simulate }),
)

async function serve(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  const { run } = await import('./run.ts')
  await run(readConfig(), print, values.json === true)
}

async function publish(args: string[], print: Print): Promise<void> {
  const { values, positionals } = readArgs(
    args,
    {
      type: { type: 'string', default: 'post' },
      slug: { type: 'string', default: '/' },
      icon: { type: 'string' },
      'expires-at': { type: 'string' },
    },
    true,
  )
  const [text, ...more] = positionals
  if (text === undefined) throw new UsageError('Say what to publish')
  if (more.length > 0) throw new UsageError('Put the text in quotes: it is one argument')
  const { id, message } = await createClient(access(values.url, 'EVENT_API_SECRET')).publish({
    text,
    type: values.type as AnnouncementType,
    slug: values.slug,
    icon: values.icon,
    expiresAt: values['expires-at'],
  })
  print(values.json ? JSON.stringify({ ok: true, id, message }) : `${message}\n${id}`)
}

async function current(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  const event = await createClient(access(values.url)).current()
  print(values.json ? JSON.stringify({ event }) : event ? describe(event) : 'Nothing is showing.')
}

async function withdraw(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, { type: { type: 'string' }, id: { type: 'string' } })
  const { type, id } = values
  if ((type === undefined) === (id === undefined)) {
    throw new UsageError('Say which: --type TYPE or --id ID')
  }
  const selector = id === undefined ? { type: type as AnnouncementType } : { id }
  const { deleted, message } = await createClient(access(values.url, 'EVENT_API_SECRET')).withdraw(
    selector,
  )
  print(values.json ? JSON.stringify({ ok: true, deleted, message }) : message)
}

async function simulate(args: string[], print: Print): Promise<void> {
  const { values, positionals } = readArgs(
    args,
    {
      name: { type: 'string' },
      'percent-off': { type: 'string' },
      'amount-off': { type: 'string' },
      currency: { type: 'string' },
      'redeem-by': { type: 'string' },
      'not-featured': { type: 'boolean' },
      'not-valid': { type: 'boolean' },
      coupon: { type: 'string' },
      id: { type: 'string' },
    },
    true,
  )
  const [type, ...more] = positionals
  if (more.length > 0 || !isCouponNotification(type)) {
    throw new UsageError('Say what happened: coupon.created, coupon.updated or coupon.deleted')
  }
  const { url, secret } = access(values.url, 'STRIPE_WEBHOOK_SECRET')
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
      percentOff: number('percent-off', values['percent-off']),
      amountOff: number('amount-off', values['amount-off']),
      currency: values.currency,
      redeemBy: seconds(values['redeem-by']),
      featured: !values['not-featured'],
      valid: values['not-valid'] ? false : undefined,
      coupon: values.coupon,
    },
    created,
    values.id,
  )
  const answer = await deliver(notification, secret, url)
  const { outcome, reason } = answer
  print(
    values.json
      ? JSON.stringify(answer)
      : `${type} ${notification.id}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`,
  )
}

/** Sends a notification as Stripe does: the signature covers the very bytes of the body. */
async function deliver(notification: object, secret: string, url: string): Promise<Receipt> {
  const { default: Stripe } = await import('stripe')
  const payload = JSON.stringify(notification, null, 2)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': signature,
  }
  const request = { method: 'POST', headers, body: payload }
  return ask(fetch, `${url}/api/webhooks`, request, (body, { status }) => {
    const done = status === 200 && body.received === true && typeof body.outcome === 'string'
    return done ? (body as unknown as Receipt) : undefined
  })
}

/** Where the service is, and the secret for it: the first, as several are valid while they are rotated. */
function access(given: string | undefined, name?: SecretName) {
  if (given !== undefined && !URL.canParse(given)) {
    throw new UsageError(`--url takes a URL, not "${given}"`)
  }
  const { port, secret } = readAccess({ port: given === undefined, secret: name })
  const url = given?.replace(/\/+$/, '') ?? `http://127.0.0.1:${port}`
  const list = secret === null ? undefined : existingSecret(secret)
  return { url, secret: parseSecrets(list ?? '').secrets[0] }
}

function seconds(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const parsed = /^\d+$/.test(value) ? Number(value) : Math.floor(Date.parse(value) / 1000)
  if (Number.isNaN(parsed)) throw new UsageError('--redeem-by takes a date, or seconds since 1970')
  return parsed
}

function describe(event: WireAnnouncement): string {
  const since = new Date(Number(event.timestamp)).toISOString()
  const lines = [event.text, `  ${event.type} → ${event.slug}`, `  since ${since}`]
  if (event.expiresAt) lines.push(`  until ${new Date(Number(event.expiresAt)).toISOString()}`)
  return [...lines, `  ${event.id}`].join('\n')
}
