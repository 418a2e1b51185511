import * as z from 'zod'

/** The version of Stripe's API for our requests and our simulated notifications. */
export const API_VERSION = '2026-10-28.endive'

/** The types of notification that can have an effect (spec 6). */
export const COUPON_TYPES = ['coupon.created', 'coupon.updated', 'coupon.deleted'] as const

export type CouponNotificationType = (typeof COUPON_TYPES)[number]

/**
 * The types of notification that may mean that a coupon was redeemed or changed. The service reads no coupon from these
 * notifications, but immediately asks Stripe about the published coupon (contract T2).
 */
export const TRIGGERS = new Set([
  'checkout.session.completed',
  'customer.discount.created',
  'customer.discount.updated',
  'promotion_code.created',
  'promotion_code.updated',
])

/** The prefix of event ids from Placard's own commands. The signature covers the id, so strangers can't forge it. */
const OURS = 'evt_placard_'
/** The id prefix of simulated coupons. Stripe doesn't know them, so the service never asks about them (contract T2). */
const OUR_COUPON = 'placard_'

export const notificationId = z.string().regex(/^[\x21-\x7e]{1,255}$/)
export const couponId = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u)

/**
 * The id of a simulated notification.
 *
 * @param id the id to reuse, with or without its prefix. Default: a new one
 */
export function simulatedId(id: string = crypto.randomUUID().replaceAll('-', '')): string {
  return id.startsWith(OURS) ? id : OURS + id
}

export function isSimulated(id: string | null | undefined): boolean {
  return id?.startsWith(OURS) ?? false
}

export function simulatedCoupon(): string {
  return OUR_COUPON + crypto.randomUUID().slice(0, 8)
}

export function isSimulatedCoupon(coupon: string): boolean {
  return coupon.startsWith(OUR_COUPON)
}

export function isCouponNotification(type: string | undefined): type is CouponNotificationType {
  return COUPON_TYPES.some((known) => known === type)
}
