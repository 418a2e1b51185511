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

/** What Placard's own commands send is theirs by its id. The id is signed, so no stranger can choose one. */
const OURS = 'evt_placard_'

/**
 * The id of a notification that was never Stripe's.
 *
 * @param id to make the same one again, with or without what marks it
 */
export function madeUpId(id: string = crypto.randomUUID().replaceAll('-', '')): string {
  return id.startsWith(OURS) ? id : OURS + id
}

export function isMadeUp(id: string | null | undefined): boolean {
  return id?.startsWith(OURS) ?? false
}

export function isBell(type: string): boolean {
  return BELLS.has(type)
}

export function isCouponNotification(type: string | undefined): type is CouponNotificationType {
  return TYPES.some((known) => known === type)
}
