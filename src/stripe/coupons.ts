import { z } from 'zod'
import { type Draft, textProblem } from '../announcement.ts'
import type { Notice } from '../store/store.ts'
import { discountInWords } from './discount.ts'
import { isCouponNotification } from './notification-types.ts'

const text = z.string().max(5_000)

/** What is read of a notification; whatever else it carries doesn't matter here. */
const Notification = z.object({
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .nullish(),
  type: text,
  created: z.int().nonnegative().nullish(),
  data: z.object({ object: z.unknown() }).nullish(),
})

/** A thin event has another shape: its `created`, say, is a text (contract W1). */
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
  // The last second that a `Date` can hold: later ends would not fit the database either.
  redeem_by: z.int().max(8.64e12).nullish(),
  valid: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})

/** Either something to apply, or why there is nothing to do. */
export type Decision = { notice: Notice } | { ignored: IgnoredReason; id: string | null }

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
export function commandFor(input: unknown, now: number): Decision {
  const thin = ThinEvent.safeParse(input)
  if (thin.success) return { ignored: 'thin_event', id: thin.data.id ?? null }
  const parsed = Notification.safeParse(input)
  if (!parsed.success) return { ignored: 'malformed', id: null }
  const { type, data } = parsed.data
  const id = parsed.data.id ?? null
  if (!isCouponNotification(type)) {
    return { ignored: 'not_a_coupon_notification', id }
  }
  const coupon = Coupon.safeParse(data?.object)
  if (!coupon.success) return { ignored: 'malformed', id }
  if (coupon.data.metadata?.isFeatured !== 'true') return { ignored: 'not_featured', id }

  const created = parsed.data.created ?? null
  const notice = { id, type, created, coupon: coupon.data.id ?? null }
  if (type === 'coupon.deleted') return { notice: { ...notice, effect: { kind: 'withdraw' } } }

  const refused = refusalOf(coupon.data, now)
  if (refused) return { notice: { ...notice, effect: { kind: 'retract', reason: refused } } }

  const draft = draftOf(coupon.data)
  if (!draft) return { ignored: 'no_displayable_text', id }
  return { notice: { ...notice, effect: { kind: 'publish', draft } } }
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
  return { text, type: 'coupon', slug: '#coupon', icon: null, expiresAt }
}

function showable(text: string | undefined): string | undefined {
  return text && !textProblem(text) ? text : undefined
}
