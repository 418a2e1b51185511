import { API_VERSION, type CouponNotificationType, simulatedCoupon } from './notification-types.ts'

/** The options of a simulated notification. By default, the notification is about a featured coupon for 25% off. */
export interface SimulatedCoupon {
  coupon?: string | undefined
  name?: string | null | undefined
  percentOff?: number | undefined
  /** The amount, in the currency's smallest unit. */
  amountOff?: number | undefined
  currency?: string | undefined
  /** When the coupon expires: seconds since 1970. */
  redeemBy?: number | undefined
  valid?: boolean | undefined
  featured?: boolean | undefined
  maxRedemptions?: number | undefined
  timesRedeemed?: number | undefined
  /** The coupon's metadata in addition to `isFeatured`. */
  metadata?: Record<string, string> | undefined
}

/**
 * A snapshot notification about a coupon, in the shape that Stripe documents.
 *
 * @param created seconds since 1970
 */
export function couponNotification(
  type: CouponNotificationType,
  options: SimulatedCoupon,
  created: number,
  id = `evt_${random()}`,
) {
  const { percentOff, amountOff, redeemBy } = options
  return {
    id,
    object: 'event',
    api_version: API_VERSION,
    created,
    data: {
      object: {
        id: options.coupon ?? simulatedCoupon(),
        object: 'coupon',
        amount_off: amountOff ?? null,
        created,
        currency: amountOff === undefined ? null : (options.currency ?? 'usd'),
        duration: 'once',
        duration_in_months: null,
        livemode: false,
        max_redemptions: options.maxRedemptions ?? null,
        metadata: {
          ...(options.featured !== false && { isFeatured: 'true' }),
          ...options.metadata,
        },
        name: options.name ?? null,
        percent_off: percentOff ?? (amountOff === undefined ? 25 : null),
        redeem_by: redeemBy ?? null,
        times_redeemed: options.timesRedeemed ?? 0,
        valid: options.valid ?? (redeemBy === undefined || redeemBy > created),
      },
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: `req_${random()}`, idempotency_key: crypto.randomUUID() },
    type,
  }
}

const random = () => crypto.randomUUID().replaceAll('-', '')
