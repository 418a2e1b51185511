import type { Announcement, Draft } from './announcement.ts'
import type { Reason } from './messages.ts'

/** How many times a coupon or a promotion code may be redeemed, and how many times it has been. */
export interface Limit {
  max: number
  redeemed: number
}

/** The effect of a payment provider's notification, and the data for applying it once and in order (contract W6). */
export interface CouponNotification {
  /** The notification's id at the provider. With `null`, the notification is always treated as new. */
  id: string | null
  type: string
  /** When the provider created the notification: seconds since 1970 by the provider's clock; `null` means now. */
  created: number | null
  /** The id of the coupon that the notification is about, if known. */
  coupon: string | null
  /** The coupon's name, for the history. */
  couponName?: string | undefined
  /** Whether the coupon or its promotion code has a limit, or may have one. */
  limited?: boolean
  /** Whether the service has retrieved the coupon with its API key. */
  seen?: boolean
  /** Whether the provider sent the notification in live mode; `null` if the notification doesn't say. */
  live?: boolean | null
  /**
   * The latest instant at which the notification's event could have happened: milliseconds since 1970 by our clock. A
   * person's decision after the event overrules the notification (contract T4), unless `happenedAt` is unset.
   */
  happenedAt?: number
  /** When the service requested the coupon from the provider, by our clock. Default: `happenedAt`, or else now. */
  askedAt?: number
  /** Whether the provider delivered the notification. Unset if simulated, or found by catching up (T4). */
  delivered?: boolean
  /** Set if no client waits for the outcome or will resend the notification; its history entry says a purge is due. */
  unattended?: boolean
  effect:
    | {
        kind: 'publish'
        draft: Draft
        /**
         * Why the checkout already refuses the coupon. If this is set, nothing is published, but the announcement that
         * the draft would have replaced is taken down (contract T2).
         */
        refused?: Reason
      }
    /** Take down the published coupon announcement. */
    | { kind: 'withdraw' }
    /** Take down the coupon announcement if this notification's coupon published it (contract W5). */
    | {
        kind: 'retract'
        reason: Reason
      }
    /** Change no announcement, but record the reason in the history (contract R8). */
    | { kind: 'none'; reason: Reason }
}

/** The outcome of a notification. A repeated delivery gets the first delivery's receipt. */
export interface Receipt {
  outcome: 'published' | 'withdrawn' | 'ignored'
  /** Why the notification was ignored, or took the announcement down. */
  reason?: string
}

/** What determines a notification's effect. The times of notifications are in seconds, by the provider's clock. */
export interface NotificationContext {
  /** The published coupon announcement. */
  slot: Announcement | null
  /** When the provider created the newest publication or withdrawal that was applied; minus infinity if none was. */
  lastApplied: number
  /** When the provider created the newest retraction of the notification's coupon that was applied. */
  lastRetraction: number
  /** Whether, since the notification's event happened, a person has decided what the slot shows. */
  overruled: boolean
}

/** How to apply a notification. */
export interface Decision {
  /** The change to the coupon slot, if there is one: publish a draft, or take the announcement down. */
  change?: { publish: Draft } | { takeDown: Announcement; reason: Reason | null }
  /** What the ledger records for the notifications that arrive later. `effect` is `null` if there was none. */
  ledger: { effect: 'publish' | 'withdraw' | 'retract' | null; coupon: string | null }
  receipt: Receipt
}

/**
 * Decides how to apply a notification that arrives for the first time, however late (contract W6, T4).
 *
 * The final state is as if all notifications that ever arrived had been applied in order of `created`. A publication or
 * a withdrawal affects the current announcement, so only the latest one has an effect. A retraction affects one coupon,
 * and is stored for that coupon, because an older publication of that coupon may still arrive. Applied in order, that
 * publication would have replaced the current announcement and then been retracted, so its only effect is to take the
 * current announcement down. The receipt of a late publication says `withdrawn` if an announcement was taken down, else
 * `ignored` with the reason `stale`.
 */
export function decideNotification(
  notification: Pick<CouponNotification, 'effect' | 'coupon' | 'happenedAt'> & { created: number },
  { slot, lastApplied, lastRetraction, overruled }: NotificationContext,
): Decision {
  const { effect, coupon, created, happenedAt } = notification
  const isOwn = slot !== null && coupon !== null && slot.coupon === coupon
  const ignored = (reason: Reason): Decision => ({
    ledger: { effect: null, coupon },
    receipt: { outcome: 'ignored', reason },
  })
  if (effect.kind === 'none') return ignored(effect.reason)
  if (created < lastApplied) return ignored('stale')
  // A person's decision doesn't overrule the deletion or retraction of the published coupon: nobody can redeem it.
  if (overruled && (effect.kind === 'publish' || !isOwn)) return ignored('stale')

  const ledger = { effect: effect.kind, coupon }
  const takeDown = (reason: Reason | null) => slot && { change: { takeDown: slot, reason } }
  if (effect.kind === 'withdraw') {
    // A withdrawal takes down the published announcement even if the notification is about a different coupon.
    const reason = isOwn ? 'coupon_deleted' : 'other_coupon_deleted'
    return { ...takeDown(reason), ledger, receipt: { outcome: 'withdrawn' } }
  }
  if (effect.kind === 'retract') {
    const { reason } = effect
    return { ...(isOwn && takeDown(reason)), ledger, receipt: { outcome: 'ignored', reason } }
  }
  if (created < lastRetraction) {
    // A newer retraction of this coupon was already applied. Recorded without a coupon, this publication doesn't make
    // `lastRefusal` report that the coupon can be redeemed.
    const retracted = { ledger: { ...ledger, coupon: null } }
    // If `happenedAt` is unset, a person's announcement stays, because it may be newer than the notification.
    return slot && (slot.coupon !== null || happenedAt !== undefined)
      ? { ...takeDown(null), ...retracted, receipt: { outcome: 'withdrawn' } }
      : { ...retracted, receipt: { outcome: 'ignored', reason: 'stale' } }
  }
  if (effect.refused) {
    // Publishing the coupon would have replaced the published announcement, even one for a different coupon.
    const outcome = slot ? 'withdrawn' : 'ignored'
    return { ...takeDown(effect.refused), ledger, receipt: { outcome, reason: effect.refused } }
  }
  return { change: { publish: effect.draft }, ledger, receipt: { outcome: 'published' } }
}
