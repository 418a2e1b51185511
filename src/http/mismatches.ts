import type { Log } from '../core/log.ts'
import { isMadeUp } from '../stripe/notification-types.ts'

/** The log is told no more often than this, however often strangers sign with secrets of their own. */
const AGAIN_MS = 60 * 60_000

/** Counts notifications with a recent signature by none of our secrets: a stranger's, or all of Stripe's. */
export interface Mismatches {
  /** How many there were since the start, or since Stripe's last notification that was accepted. */
  readonly count: number
  refused(): void
  /** @param id of a verified notification */
  taken(id: string | null): void
}

/** @param monotonic milliseconds since some fixed point */
export function createMismatches(log: Log, monotonic: () => number): Mismatches {
  let count = 0
  let said = false
  let sayFrom = Number.NEGATIVE_INFINITY

  return {
    get count() {
      return count
    },
    refused() {
      count++
      if (said || monotonic() < sayFrom) return
      said = true
      sayFrom = monotonic() + AGAIN_MS
      log.warn(
        {},
        'refused a notification that is not signed with STRIPE_WEBHOOK_SECRET: if the dashboard of Stripe has' +
          ' deliveries that fail with 400, set it to the signing secret of their destination',
      )
    },
    taken(id) {
      // Our own notifications are signed with our secret, which proves nothing about Stripe's.
      if (isMadeUp(id)) return
      count = 0
      said = false
    },
  }
}
