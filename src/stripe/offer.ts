import * as z from 'zod'
import type { Draft } from '../core/announcement.ts'
import type { Limit } from '../core/coupon.ts'
import type { Reason } from '../core/messages.ts'
import { textFault } from '../core/rules.ts'
import { discountInWords, partsIn } from './metadata.ts'
import { couponId } from './notification-types.ts'

const text = z.string().max(5_000)
const seconds = z.int().max(8.64e12)
const count = z.int().nonnegative()

/** The fields of a coupon that we read, from a notification's snapshot or from Stripe's answer. */
export const Coupon = z.object({
  id: couponId.nullish(),
  /** Stripe's answer about a deleted coupon may have only this field and the id. */
  deleted: z.boolean().nullish(),
  name: text.nullish(),
  percent_off: z.number().nullish(),
  amount_off: z.number().nullish(),
  currency: z.string().nullish(),
  // At most the last second that a `Date` can represent.
  redeem_by: seconds.nullish(),
  max_redemptions: count.nullish(),
  times_redeemed: count.nullish(),
  valid: z.boolean().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
export type Coupon = z.infer<typeof Coupon>

const couponOf = z.union([couponId, z.object({ id: couponId }).transform(({ id }) => id)])

/** The fields of a promotion code that we read. In API version 2025-09-30, `promotion` replaced `coupon`. */
export const PromotionCode = z.object({
  active: z.boolean(),
  coupon: couponOf.nullish(),
  promotion: z.object({ coupon: couponOf.nullish() }).nullish(),
  customer: z.unknown().optional(),
  customer_account: z.unknown().optional(),
  expires_at: seconds.nullish(),
  max_redemptions: count.nullish(),
  times_redeemed: count.nullish(),
})
export type PromotionCode = z.infer<typeof PromotionCode>

export type Offer =
  | {
      /** The draft to show until its `expiresAt`. */
      shows: Draft
      /** The redemption limits of the coupon and of its promotion code. */
      limits: readonly Limit[]
      /**
       * When the offer ends: the earlier of the coupon's end time and its promotion code's, in ms since 1970, or `null`
       * if neither has one.
       */
      endsAt: number | null
      /** One sentence for each fault in the metadata. Faulty parts are left out. */
      faults: readonly string[]
    }
  | { refused: Reason }
  | { unshowable: 'no_displayable_text'; limits: readonly Limit[]; endsAt: number | null }

/**
 * Judges a coupon: returns its offer at an instant, or why the checkout would refuse it (contract W4, W5, T2, T5, T7).
 * It doesn't matter here whether the coupon is featured, because removing the flag has no effect (spec 6).
 *
 * @param now milliseconds since 1970
 * @param codes the promotion codes that the coupon's metadata names; `undefined` if they are unknown
 */
export function offerOf(coupon: Coupon, now: number, codes?: readonly PromotionCode[]): Offer {
  const name = showable(coupon.name?.trim()) ?? showable(discountInWords(coupon))
  const parts = partsIn(coupon.metadata, name)
  const { text = name, slug = '#coupon', icon = null, translations, slugs } = parts
  const code = codes && usable(codes, coupon)
  const refused = refusalOf(coupon, now) ?? (code && codeRefusal(code, now))
  if (refused) return { refused }
  const limits = [coupon, code].flatMap((one) => (one && limitOf(one)) ?? [])
  const ends = [coupon.redeem_by, code?.expires_at].filter((end) => end != null)
  const endsAt = ends.length > 0 ? Math.min(...ends) * 1000 : null
  if (text === undefined) return { unshowable: 'no_displayable_text', limits, endsAt }
  const noCode = codes && !code ? [codes.length > 0 ? NOT_FOR_ALL : NO_CODE] : []
  const shows: Draft = { text, type: 'coupon', slug, icon, expiresAt: endsAt, translations, slugs }
  return { shows, limits, endsAt, faults: [...parts.faults, ...noCode] }
}

const NO_CODE = "placard_code names a promotion code that doesn't exist in Stripe"
const NOT_FOR_ALL = 'placard_code names a promotion code for another coupon or a single customer'

/** The promotion code that the metadata names, if the coupon itself can be redeemed (contract T7). */
export function codeToJudge(coupon: Coupon, now: number): string | undefined {
  return refusalOf(coupon, now) ? undefined : partsIn(coupon.metadata).code
}

/** Chooses the coupon's active promotion code, or else the newest one. Never chooses a code for a single customer. */
function usable(codes: readonly PromotionCode[], { id }: Coupon): PromotionCode | undefined {
  const all = codes.filter(({ coupon, promotion, customer, customer_account }) => {
    return (promotion?.coupon ?? coupon) === id && customer == null && customer_account == null
  })
  return all.find(({ active }) => active) ?? all[0]
}

/** Returns the most specific reason, because Stripe also marks an expired or used-up coupon as not valid. */
function refusalOf(coupon: Coupon, now: number): Reason | undefined {
  if (coupon.deleted) return 'coupon_deleted'
  if (isOver(coupon.redeem_by, now)) return 'coupon_expired'
  if (isUsedUp(coupon)) return 'coupon_used_up'
  return coupon.valid === false ? 'coupon_not_valid' : undefined
}

function codeRefusal(code: PromotionCode, now: number): Reason | undefined {
  if (isOver(code.expires_at, now)) return 'code_expired'
  if (isUsedUp(code)) return 'code_used_up'
  return code.active ? undefined : 'code_inactive'
}

function isOver(end: number | null | undefined, now: number): boolean {
  return end != null && end * 1000 <= now
}

type Counted = Pick<Coupon, 'max_redemptions' | 'times_redeemed'>

function isUsedUp(one: Counted): boolean {
  const limit = limitOf(one)
  return limit !== null && limit.redeemed >= limit.max
}

function limitOf({ max_redemptions: max, times_redeemed }: Counted): Limit | null {
  return max == null ? null : { max, redeemed: times_redeemed ?? 0 }
}

/** Drops text that A6 doesn't allow: Stripe accepts names that are empty or too short (contract W4). */
function showable(text: string | undefined): string | undefined {
  return text && !textFault(text) ? text : undefined
}
