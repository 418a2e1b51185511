/** The form of coupons and notifications in different versions of Stripe's API. */

/** The oldest rounds percentages and has a plain string as `request`; the newest is the `stripe` package's own. */
export const VERSIONS = ['2017-04-06', '2020-08-27', '2026-10-28.endive'] as const
export type Version = (typeof VERSIONS)[number]

/** A coupon as the fake stores it. */
export interface StoredCoupon {
  id: string
  name: string | null
  /** Seconds since 1970. */
  created: number
  percentOff: number
  metadata: Record<string, string>
  redeemBy: number | null
  maxRedemptions: number | null
  timesRedeemed: number
  livemode: boolean
}

export function isValid(coupon: StoredCoupon, nowSeconds: number): boolean {
  const { redeemBy, maxRedemptions, timesRedeemed } = coupon
  if (redeemBy !== null && redeemBy <= nowSeconds) return false
  return maxRedemptions === null || timesRedeemed < maxRedemptions
}

export function couponShape(coupon: StoredCoupon, version: Version, nowSeconds: number) {
  const old = version === '2017-04-06'
  return {
    id: coupon.id,
    object: 'coupon',
    amount_off: null,
    created: coupon.created,
    currency: null,
    duration: 'once',
    duration_in_months: null,
    livemode: coupon.livemode,
    max_redemptions: coupon.maxRedemptions,
    metadata: { ...coupon.metadata },
    name: coupon.name,
    percent_off: old ? Math.floor(coupon.percentOff) : coupon.percentOff,
    ...(old && { percent_off_precise: coupon.percentOff }),
    redeem_by: coupon.redeemBy,
    times_redeemed: coupon.timesRedeemed,
    valid: isValid(coupon, nowSeconds),
  }
}

/** A promotion code as the fake stores it. */
export interface StoredCode {
  id: string
  code: string
  coupon: string
  active: boolean
  customer: string | null
  /** Seconds since 1970. */
  expiresAt: number | null
  maxRedemptions: number | null
  timesRedeemed: number
  livemode: boolean
}

/** Since version 2025-09-30, a promotion code names its coupon in `promotion`; earlier versions include the coupon. */
export function codeShape(
  code: StoredCode,
  coupon: StoredCoupon,
  version: Version,
  nowSeconds: number,
) {
  const isOld = version !== '2026-10-28.endive'
  const { maxRedemptions: max, timesRedeemed: redeemed, expiresAt } = code
  const isOver = expiresAt !== null && expiresAt <= nowSeconds
  return {
    id: code.id,
    object: 'promotion_code',
    // A code is active only if its coupon is valid too.
    active:
      code.active && !isOver && (max === null || redeemed < max) && isValid(coupon, nowSeconds),
    code: code.code,
    ...(isOld
      ? { coupon: couponShape(coupon, version, nowSeconds) }
      : { promotion: { type: 'coupon', coupon: coupon.id } }),
    customer: code.customer,
    ...(!isOld && { customer_account: null }),
    expires_at: expiresAt,
    livemode: code.livemode,
    max_redemptions: max,
    metadata: {},
    restrictions: {
      first_time_transaction: false,
      minimum_amount: null,
      minimum_amount_currency: null,
    },
    times_redeemed: redeemed,
  }
}

export interface StripeEvent {
  id: string
  object: 'event'
  api_version: Version
  /** Seconds since 1970. */
  created: number
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> }
  livemode: boolean
  pending_webhooks: number
  request: string | null | { id: string | null; idempotency_key: string | null }
  type: string
}
