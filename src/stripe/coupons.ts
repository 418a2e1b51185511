import { z } from 'zod'
import { type Draft, textProblem } from '../announcement.ts'
import type { CouponNotification } from '../store/store.ts'
import { discountInWords } from './discount.ts'
import { type CouponNotificationType, isCouponNotification } from './notification-types.ts'

const text = z.string().max(5_000)

/** What is read of a notification. Whatever else it holds doesn't matter here. */
const Notification = z.object({
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .nullish(),
  type: text,
  created: z.int().nonnegative().nullish(),
  data: z.object({ object: z.unknown() }).nullish(),
})

/** A thin event has another shape: its `created`, say, is a string (contract W1). */
const ThinEvent = z.object({ object: z.literal('v2.core.event'), id: text.nullish() })

const Coupon = z.object({
  id: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)
    .nullish(),
  name: text.nullish(),
  percent_off: z.number().nullish(),
  amount_off: z.number().nullish(),
  currency: z.string().nullish(),
  // The last second that a `Date` can hold. A later end would not fit the database either.
  redeem_by: z.int().max(8.64e12).nullish(),
  valid: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})

/** Either what to apply, or why there is nothing to apply. */
export type Verdict =
  | { notification: CouponNotification }
  | { ignored: IgnoredReason; id: string | null }

export type IgnoredReason =
  | 'malformed'
  | 'thin_event'
  | 'not_a_coupon_notification'
  | 'not_featured'
  | 'no_displayable_text'

/**
 * What a verified notification asks for (spec 6, contract W3 to W5). Pure: what is stored plays no part here.
 *
 * @param now milliseconds since 1970; decides whether the coupon can still be redeemed
 */
export function commandFor(input: unknown, now: number): Verdict {
  const thin = ThinEvent.safeParse(input)
  if (thin.success) return { ignored: 'thin_event', id: thin.data.id ?? null }
  const parsed = Notification.safeParse(input)
  if (!parsed.success) return { ignored: 'malformed', id: null }
  const { type, data, id = null, created = null } = parsed.data
  if (!isCouponNotification(type)) return { ignored: 'not_a_coupon_notification', id }
  const coupon = Coupon.safeParse(data?.object).data
  const effect = effectOf(type, coupon, now)
  return { notification: { id, type, created, coupon: coupon?.id ?? null, effect } }
}

function effectOf(
  type: CouponNotificationType,
  coupon: Coupon | undefined,
  now: number,
): CouponNotification['effect'] {
  if (!coupon) return nothing('malformed')
  if (coupon.metadata?.isFeatured !== 'true') return nothing('not_featured')
  if (type === 'coupon.deleted') return { kind: 'withdraw' }
  const reason = refusalOf(coupon, now)
  if (reason) return { kind: 'retract', reason }
  const draft = draftOf(coupon)
  return draft ? { kind: 'publish', draft } : nothing('no_displayable_text')
}

function nothing(reason: IgnoredReason): CouponNotification['effect'] {
  return { kind: 'none', reason }
}

type Coupon = z.infer<typeof Coupon>

/** Why the checkout would refuse the coupon, if it would (contract W5). */
function refusalOf({ valid, redeem_by }: Coupon, now: number): string | undefined {
  if (redeem_by != null && redeem_by * 1000 <= now) return 'coupon_expired'
  if (valid === false) return 'coupon_not_valid'
  return undefined
}

/** The coupon's name, else its discount in words: Stripe takes shorter names than A6, and none (contract W4). */
function draftOf(coupon: Coupon): Draft | undefined {
  const text = showable(coupon.name?.trim()) ?? showable(discountInWords(coupon))
  if (text === undefined) return undefined
  const expiresAt = coupon.redeem_by == null ? null : coupon.redeem_by * 1000
  return { text, type: 'coupon', slug: '#coupon', icon: null, expiresAt, translations: null }
}

function showable(text: string | undefined): string | undefined {
  return text && !textProblem(text) ? text : undefined
}
