import * as z from 'zod'
import { hasEnded } from '../core/announcement.ts'
import type { CouponNotification } from '../core/coupon.ts'
import type { Reason } from '../core/messages.ts'
import {
  type CouponNotificationType,
  isCouponNotification,
  notificationId,
  TRIGGERS,
} from './notification-types.ts'
import { Coupon, codeToJudge, offerOf, type PromotionCode } from './offer.ts'

const text = z.string().max(5_000)

/** The fields of a notification that we read. */
const Notification = z.object({
  id: notificationId.nullish(),
  type: text,
  created: z.int().nonnegative().nullish(),
  livemode: z.boolean().nullish().catch(null),
  /** Set if the event happened in an account that is connected to the owner's (Stripe Connect). */
  account: z.unknown().optional(),
  data: z.object({ object: z.unknown() }).nullish(),
})

/** A thin event, which has a different shape: for example, its `created` is a string (contract W1). */
const ThinEvent = z.object({ object: z.literal('v2.core.event'), id: text.nullish() })

/** A notification with its effect. */
export interface ParsedNotification {
  notification: CouponNotification
  /** One sentence for each fault in the coupon's metadata (contract T5). */
  faults: readonly string[]
}

/** Either a notification with its effect, or the reason for ignoring it. */
export type Verdict =
  | ParsedNotification
  | {
      ignored: Reason
      id: string | null
      /** Whether the notification means that a coupon may have been redeemed or changed. */
      triggers?: boolean
    }

/**
 * Determines the effect of a verified notification (spec 6, contract W1, W3 to W5), without reading any stored data.
 *
 * @param now the time at which the coupon must be redeemable: milliseconds since 1970
 * @param asOf with `created`, the notification's own time replaces `now`, for callers that then retrieve the coupon
 */
export function classifyNotification(
  input: unknown,
  now: number,
  asOf: 'now' | 'created' = 'now',
): Verdict {
  const thin = ThinEvent.safeParse(input)
  if (thin.success) return { ignored: 'thin_event', id: thin.data.id ?? null }
  const parsed = Notification.safeParse(input)
  if (!parsed.success) return { ignored: 'malformed', id: null }
  const { type, data, id = null, created = null, livemode = null, account } = parsed.data
  // Otherwise, the owner of a connected account could publish on the platform's site.
  if (account != null) return { ignored: 'connected_account', id }
  if (!isCouponNotification(type)) {
    return { ignored: 'not_a_coupon_notification', id, triggers: TRIGGERS.has(type) }
  }
  const coupon = Coupon.safeParse(data?.object).data
  const at = asOf === 'created' && created !== null ? Math.min(created * 1000, now) : now
  const { faults = [], ...parts } = effectOf(type, coupon, at)
  return {
    notification: {
      ...{ id, type, created, live: livemode, coupon: coupon?.id ?? null },
      couponName: coupon?.name?.slice(0, 100) || undefined,
      ...parts,
    },
    faults,
  }
}

interface Effect extends Pick<CouponNotification, 'effect' | 'limited'> {
  faults?: readonly string[]
}

function effectOf(type: CouponNotificationType, coupon: Coupon | undefined, now: number): Effect {
  if (!coupon) return nothing('malformed')
  if (coupon.metadata?.isFeatured !== 'true') return nothing('not_featured')
  if (type === 'coupon.deleted') return { effect: { kind: 'withdraw' } }
  const offer = offerOf(coupon, now)
  if ('unshowable' in offer) return nothing(offer.unshowable)
  if ('refused' in offer) return { effect: { kind: 'retract', reason: offer.refused } }
  const { shows: draft, limits, faults } = offer
  // A notification doesn't say whether the promotion code has a limit, so assume that it has one.
  const limited = limits.length > 0 || codeToJudge(coupon, now) !== undefined
  return { effect: { kind: 'publish', draft }, limited, faults }
}

/**
 * Judges a notification by its own snapshot if the coupon can't be retrieved. The coupon may have expired by now.
 *
 * @param now milliseconds since 1970
 */
export function unretrieved(parsed: ParsedNotification, now: number): ParsedNotification {
  const { effect } = parsed.notification
  if (effect.kind !== 'publish' || !hasEnded(effect.draft, now)) return parsed
  return {
    ...parsed,
    notification: { ...parsed.notification, effect: { ...effect, refused: 'coupon_expired' } },
  }
}

/**
 * Judges a notification whose coupon was retrieved (contract T2). A coupon that the checkout now refuses isn't
 * published. If the coupon is still featured, its current content is published. If `isFeatured` was removed, the
 * current content isn't meant for a page, so the snapshot's content is published.
 *
 * @param askedAt when the coupon was requested; like `now`, in milliseconds since 1970
 */
export function judged(
  parsed: ParsedNotification,
  { coupon, codes }: { coupon: Coupon; codes?: readonly PromotionCode[] },
  askedAt: number,
  now: number,
): ParsedNotification {
  const { notification } = parsed
  const { effect } = notification
  if (effect.kind !== 'publish') return parsed
  const offer = offerOf(coupon, now, codes)
  if ('refused' in offer) {
    const { refused } = offer
    return { ...parsed, notification: { ...notification, effect: { ...effect, refused } } }
  }
  const isFeatured = coupon.metadata?.isFeatured === 'true'
  const { shows: draft, faults } =
    isFeatured && 'shows' in offer ? offer : { shows: effect.draft, faults: parsed.faults }
  const limited = offer.limits.length > 0
  const applied = { seen: true, limited, askedAt, effect: { kind: 'publish' as const, draft } }
  return { notification: { ...notification, ...applied }, faults }
}

function nothing(reason: Reason): Effect {
  return { effect: { kind: 'none', reason } }
}
