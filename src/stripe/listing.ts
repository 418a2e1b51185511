import type { Clock } from '../core/clock.ts'
import { StripeRequestError } from './client.ts'
import { backoffMs, LIST_MS } from './intervals.ts'
import type { Memory } from './lease.ts'

/**
 * Decides when to list Stripe's events: once an hour, and as soon as notifications may have been missed.
 *
 * @param missed whether notifications may have been missed before this process started
 */
export function createListing(clock: Clock, missed: boolean) {
  const state = {
    /** Whether notifications may have been missed since the last list. */
    missed,
    /** The earliest time of the next list, by the monotonic clock. */
    notBefore: Number.NEGATIVE_INFINITY,
    /** How many lists in a row have failed. */
    failures: 0,
  }

  /** @returns how many ms until the next list is due */
  function postpone(ms: number): number {
    state.notBefore = clock.monotonic() + ms
    return ms
  }

  return {
    /** Called when notifications may have been missed: Stripe or the database didn't answer, or applying one failed. */
    missed() {
      state.missed = true
    },
    /** Whether this node should list events before the `due_at` that all nodes share. */
    isEarly: () => state.missed && clock.monotonic() >= state.notBefore,
    /** Cancels the delay before the next list, because Stripe answers again after an outage. */
    resume() {
      state.notBefore = Number.NEGATIVE_INFINITY
    },
    /**
     * Lists events if that is due. If the key lacks the permission, the service still sends all other requests.
     *
     * @param isSilent whether Stripe gave no answer about the published coupon. The cause may be that coupon alone, so
     *   events are still listed, but at most once an hour
     * @param list rejects with `StripeRequestError`, which is passed to `unanswered`, if Stripe gives no answer
     * @returns how many ms until listing is due again
     */
    async run(
      { time, listed_at }: Memory,
      isSilent: boolean,
      list: () => Promise<void>,
      unanswered: (error: StripeRequestError) => void,
    ): Promise<number> {
      const dueMs = state.missed ? 0 : LIST_MS - Math.abs(time - listed_at)
      const leftMs = Math.max(dueMs, state.notBefore - clock.monotonic())
      if (leftMs > 0) return leftMs
      // Reset before the request, because its answer may lack notifications missed from now on.
      state.missed = false
      try {
        await list()
        state.failures = 0
        // As long as there is no answer about the coupon, each poll calls `missed`, which would make a list due.
        return isSilent ? postpone(LIST_MS) : LIST_MS
      } catch (error) {
        state.missed = true
        if (!(error instanceof StripeRequestError)) throw error
        if (!isSilent) unanswered(error)
        const isLong = error.result === 'denied' || isSilent
        return postpone(isLong ? LIST_MS : backoffMs(++state.failures, false, error.waitMs))
      }
    },
  }
}
