import type { Draft } from './announcement.ts'
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
  /** Set if no client waits for the notification or will resend it; its history entry then says a purge is due. */
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
