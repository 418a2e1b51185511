import * as z from 'zod'
import {
  couponId,
  isCouponNotification,
  notificationId,
  simulatedId,
} from '../stripe/notification-types.ts'
import { couponNotification } from '../stripe/simulate.ts'
import { access, explaining } from './access.ts'
import { OPTIONS } from './options.ts'
import { deliver } from './service/deliver.ts'
import { escapeControls } from './terminal.ts'
import { type Output, readArgs, UsageError } from './usage.ts'

/** For each option, the values that Stripe or the service accepts, and their description in messages. */
const RULES: Record<string, [z.ZodType, takes: string]> = {
  'percent-off': [z.coerce.number().min(0.01).max(100), 'a number from 0.01 to 100'],
  'amount-off': [
    z.coerce.number().int().positive(),
    'a whole number above 0, such as 1999 for €19.99',
  ],
  currency: [z.string().regex(/^[a-z]{3}$/i), 'a three-letter code, such as eur'],
  'redeem-by': [
    z.union([z.string().regex(/^\d{1,10}$/), z.iso.date(), z.iso.datetime({ offset: true })]),
    'a date or time: 2027-01-04, 2027-01-04T09:00:00Z or seconds since 1970',
  ],
  coupon: [couponId, '1 to 255 characters'],
  id: [notificationId.max(200), '1 to 200 ASCII characters without spaces'],
}

/** `placard simulate`: sends a signed notification, as Stripe would. */
export async function simulate(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.simulate, true)
  const [type, ...more] = positionals
  if (more.length > 0 || !isCouponNotification(type)) {
    throw new UsageError('Give one type: coupon.created, coupon.updated or coupon.deleted')
  }
  for (const [option, [rule, takes]] of Object.entries(RULES)) {
    const value = (values as Record<string, unknown>)[option]
    if (value === undefined || rule.safeParse(value).success) continue
    throw new UsageError(`--${option} must be ${takes}, not "${value}"`)
  }
  const { currency, 'percent-off': percent, 'amount-off': amount, 'redeem-by': end } = values
  if (percent && amount) throw new UsageError('Give only one of --percent-off and --amount-off')
  if (currency && !amount) throw new UsageError('Give --currency only with --amount-off')
  const found = await access(values.url, 'STRIPE_WEBHOOK_SECRET')
  const { url, secret, origin } = found
  if (!secret) {
    // In production and with Postgres, the service generates no secret.
    const start = origin === null ? '' : 'start the service once, or '
    throw new UsageError(`There is no signing secret: ${start}set STRIPE_WEBHOOK_SECRET`)
  }
  const created = Math.floor(Date.now() / 1000)
  const notification = couponNotification(
    type,
    {
      name: values.name,
      percentOff: percent ? Number(percent) : undefined,
      amountOff: amount ? Number(amount) : undefined,
      currency: currency?.toLowerCase(),
      redeemBy: end ? secondsIn(end) : undefined,
      featured: !values['not-featured'],
      valid: values['not-valid'] ? false : undefined,
      coupon: values.coupon,
      metadata: metadataIn(values.metadata),
    },
    created,
    simulatedId(values.id),
  )
  const answer = await deliver(notification, secret, url).catch(explaining(found))
  if (values.json) return answer
  const { outcome, reason } = escapeControls(answer)
  return `${type} ${notification.id}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`
}

/** Parses the values of `--metadata`, such as `placard_text=Black Friday`. @throws UsageError */
function metadataIn(given: readonly string[] = []): Record<string, string> {
  const entries = given.map((one) => {
    const [, key, value] = /^([^=]{1,40})=(.{0,500})$/s.exec(one) ?? []
    if (key !== undefined && value !== undefined) return [key, value] as const
    const takes = 'KEY=VALUE, with at most 40 and 500 characters'
    throw new UsageError(`--metadata must be ${takes}, not "${one}"`)
  })
  return Object.fromEntries(entries)
}

const secondsIn = (end: string) =>
  end.includes('-') ? Math.floor(Date.parse(end) / 1000) : Number(end)
