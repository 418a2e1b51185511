/** The notifications that have an effect (spec 6). */
const TYPES = ['coupon.created', 'coupon.updated', 'coupon.deleted'] as const

export type CouponNotificationType = (typeof TYPES)[number]

/**
 * Notifications after which a coupon may have been redeemed or changed. They say nothing about a coupon, so they only make
 * it be asked about at once (contract T2).
 */
const BELLS = new Set([
  'checkout.session.completed',
  'customer.discount.created',
  'customer.discount.updated',
  'promotion_code.created',
  'promotion_code.updated',
])

export function isBell(type: string): boolean {
  return BELLS.has(type)
}

export function isCouponNotification(type: string | undefined): type is CouponNotificationType {
  return TYPES.some((known) => known === type)
}
