import { z } from 'zod'
import type { Draft } from '../core/announcement.ts'
import { textFault } from '../core/rules.ts'
import type { Limit } from '../store/store.ts'
import { discountInWords } from './discount.ts'
import { partsIn } from './metadata.ts'

const text = z.string().max(5_000)

/** What is read of a coupon, in a notification's snapshot or in an answer of Stripe's. */
export const Coupon = z.object({
  id: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)
    .nullish(),
  /** An answer about a coupon that is deleted may be this, with the id and nothing else. */
  deleted: z.boolean().nullish(),
  created: z.int().nullish(),
  livemode: z.boolean().nullish(),
  name: text.nullish(),
  percent_off: z.number().nullish(),
  amount_off: z.number().nullish(),
  currency: z.string().nullish(),
  // The last second that a `Date` can hold. A later end would not fit the database either.
  redeem_by: z.int().max(8.64e12).nullish(),
  max_redemptions: z.int().nonnegative().nullish(),
  times_redeemed: z.int().nonnegative().nullish(),
  valid: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type Coupon = z.infer<typeof Coupon>

export type RefusedReason =
  | 'coupon_deleted'
  | 'coupon_expired'
  | 'coupon_used_up'
  | 'coupon_not_valid'

export type Offer =
  | {
      /** What to show. Its `expiresAt` says until when. */
      shows: Draft
      limit: Limit | null
      /** What is wrong with the metadata, a sentence each. The parts that are wrong are left out. */
      faults: readonly string[]
    }
  | Refusal
  | { untold: 'no_displayable_text'; limit: Limit | null }

/** The checkout would refuse it. */
export interface Refusal {
  refused: RefusedReason
  /** The same in words, for the history. */
  because: string
}

export const EXPIRED = {
  refused: 'coupon_expired',
  because: 'Stripe: the coupon has expired',
} as const

/**
 * The judge: what a coupon offers at an instant, or why the checkout would refuse it (contract W4, W5, T2, T5). Whether it
 * is featured is not asked here, because taking the flag away has no effect (spec 6).
 *
 * @param now milliseconds since 1970
 */
export function offerOf(coupon: Coupon, now: number): Offer {
  const refusal = refusalOf(coupon, now)
  if (refusal) return refusal
  const name = showable(coupon.name?.trim()) ?? showable(discountInWords(coupon))
  const {
    text = name,
    slug = '#coupon',
    icon = null,
    translations,
    faults,
  } = partsIn(coupon.metadata, name)
  if (text === undefined) return { untold: 'no_displayable_text', limit: limitOf(coupon) }
  const expiresAt = coupon.redeem_by == null ? null : coupon.redeem_by * 1000
  return {
    shows: { text, type: 'coupon', slug, icon, expiresAt, translations },
    limit: limitOf(coupon),
    faults,
  }
}

/** The most telling reason first, because Stripe also calls a coupon invalid that is over or used up. */
function refusalOf(coupon: Coupon, now: number): Refusal | undefined {
  const { deleted, redeem_by, valid } = coupon
  if (deleted) return { refused: 'coupon_deleted', because: 'Stripe: the coupon is deleted' }
  if (redeem_by != null && redeem_by * 1000 <= now) {
    return EXPIRED
  }
  const limit = limitOf(coupon)
  if (limit && limit.redeemed >= limit.max) {
    const { max, redeemed } = limit
    return { refused: 'coupon_used_up', because: `Stripe: sold out (${redeemed} of ${max})` }
  }
  if (valid === false) {
    return { refused: 'coupon_not_valid', because: 'Stripe: the coupon is no longer valid' }
  }
  return undefined
}

/** Whether two readings can be of one coupon. The other mode may have its id too, and so may one that is made after it. */
export function isSame(one: Coupon, other: Coupon): boolean {
  const agree = (a: unknown, b: unknown) => a == null || b == null || a === b
  return agree(one.livemode, other.livemode) && agree(one.created, other.created)
}

function limitOf({ max_redemptions: max, times_redeemed }: Coupon): Limit | null {
  return max == null ? null : { max, redeemed: times_redeemed ?? 0 }
}

/** Stripe takes names that are shorter than A6 allows, and none (contract W4). */
function showable(text: string | undefined): string | undefined {
  return text && !textFault(text) ? text : undefined
}
