/** The notifications that have an effect (spec 6). */
const TYPES = ['coupon.created', 'coupon.updated', 'coupon.deleted'] as const

export type CouponNotificationType = (typeof TYPES)[number]

export function isCouponNotification(type: string | undefined): type is CouponNotificationType {
  return TYPES.some((known) => known === type)
}
