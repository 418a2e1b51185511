import type { Announcement } from '../core/announcement.ts'
import { type Board, ofCoupon } from '../core/board.ts'
import { withTimeout } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { catchUp } from './catch-up.ts'
import { checkOffer } from './check-offer.ts'
import type { StripeRequests } from './client.ts'
import { inspectKey } from './inspect.ts'
import { CLIENT_WAIT_MS, FIRST_POLL_MS, GAP_MS, RETRY_MS, UNJUDGED_MS } from './intervals.ts'
import { type AskingParts, isAskable, judge, retrieve } from './judging.ts'
import { createLeases, LeaseLost } from './lease.ts'
import { createListing } from './listing.ts'
import { type ParsedNotification, unretrieved } from './notification.ts'
import { offerOf } from './offer.ts'
import { createPolling } from './polling.ts'
import { createReport } from './report.ts'

/** The maximum number of polls in a tick. A tick ends early if no request to Stripe is due. */
const MAX_POLLS = 3

export type CouponWatcher = ReturnType<typeof createCouponWatcher>

export interface CouponWatcherOptions extends Omit<AskingParts, 'report'> {
  /** Whether the process runs between requests. If not, it asks Stripe only while it handles a request. */
  background: boolean
}

/** Keeps pages from showing offers that the checkout would refuse (contract T2 to T4, T7). Needs a Stripe API key. */
export function createCouponWatcher(options: CouponWatcherOptions) {
  const { store, client, clock, background } = options
  const report = createReport(options.log, client.asked, clock.monotonic)
  const parts = { ...options, report }
  const { acquire, retryAfter } = createLeases(store, clock)
  // On platforms that start processes all the time, a start doesn't mean that any notification was missed.
  const listing = createListing(clock, background)
  const polling = createPolling({ clock, background, firstMs: FIRST_POLL_MS, poll })
  /** The announcement that a coupon published; `null` if there is none, `undefined` before the first board. */
  let published: Announcement | null | undefined

  async function poll(): Promise<number> {
    try {
      return await askIfDue()
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        listing.missed()
        if (!(error instanceof StoreUnavailable)) report.failed(error)
      }
      return RETRY_MS
    }
  }

  /**
   * If a request is due, acquires the lease, checks the published coupon and, if due, lists events.
   *
   * @returns how many ms to wait before the next poll
   */
  async function askIfDue(): Promise<number> {
    const lease = await acquire(await client.mark(), listing.isEarly())
    if ('waitMs' in lease) return lease.waitMs
    polling.keepGap()
    const { memory } = lease
    const requests = client.requests(lease)
    const { nextMs, unanswered } = await checkOffer(requests, memory, parts).catch(withoutVerdict)
    if (unanswered) listing.missed()
    else if (memory.failures > 0) listing.resume()
    const list = () => catchUp(requests, memory.since, parts)
    const listMs = polling.isClosed()
      ? 0
      : await listing.run(memory, unanswered !== undefined, list, (error) =>
          report.unanswered('events', error),
        )
    // A shutdown of this process aborted the requests: Stripe didn't fail, and another node should ask immediately.
    if (polling.isClosed()) return lease.release(0, memory.failures)
    const failures = unanswered ? memory.failures + 1 : 0
    return lease.release(Math.min(nextMs, Math.max(GAP_MS, listMs)), failures)
  }

  /** A coupon that we fail to judge must not keep the service from catching up. */
  function withoutVerdict(error: unknown): Awaited<ReturnType<typeof checkOffer>> {
    if (error instanceof LeaseLost || error instanceof StoreUnavailable) throw error
    report.failed(error)
    return { nextMs: UNJUDGED_MS }
  }

  async function trigger() {
    const isNoted = store.remember({ due_at: 0 }, { failures: 0 })
    await isNoted.then((soon) => soon && polling.soon(), mayHaveMissed)
  }

  function mayHaveMissed() {
    listing.missed()
    polling.soon()
  }

  /** Sends requests to Stripe while a client waits. @returns `undefined` if there is no answer within 2 s */
  async function inTime<T>(work: (ask: StripeRequests) => Promise<T>): Promise<T | undefined> {
    try {
      const requests = client.requests(retryAfter, CLIENT_WAIT_MS)
      return await withTimeout(CLIENT_WAIT_MS, work(requests), 'Stripe')
    } catch (error) {
      report.unanswered('coupons', error)
      return undefined
    }
  }

  return {
    counts: report.counts,
    /** Retrieves and judges the coupon of a publishing notification. Takes at most 2 s, never rejects. */
    async judge(parsed: ParsedNotification): Promise<ParsedNotification> {
      const result = await inTime((ask) => judge(ask, parsed, parts))
      return result ?? unretrieved(parsed, clock.now())
    },
    /**
     * Returns why the checkout would refuse an announcement's coupon, or `null` if it would accept the coupon.
     *
     * @returns `undefined` if Stripe doesn't answer within 2 s, or the key has no access to the coupon
     */
    async refusalOf(announcement: Announcement): Promise<Reason | null | undefined> {
      const { coupon, couponLive, by } = announcement
      if (!isAskable(coupon, couponLive, client.live)) return undefined
      const subject = { coupon, event: by.notification }
      const reading = await inTime((ask) => retrieve(ask, subject, report, clock.now()))
      const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
      return offer && ('refused' in offer ? offer.refused : null)
    },
    /** Asks about the published coupon soon, unless the last request got no answer. Never rejects. */
    trigger,
    /** Called when a notification had no effect. If its coupon is the published one, asks Stripe about it soon. */
    async hadNoEffect(coupon: string | null) {
      if (coupon === published?.coupon) await trigger()
    },
    /** Called when applying a notification failed. Stripe may not retry for hours, so the service lists events. */
    mayHaveMissed,
    /** Sends Stripe every request that is due. Never rejects. */
    async tick() {
      for (let count = 0; count < MAX_POLLS; count++) if ((await polling.next()) > 0) return
    },
    /** Finds out the key's permissions, and whether the key can read the published coupon and the last notification. */
    inspect: (timeoutMs: number) =>
      inspectKey(parts, client.requests(retryAfter, timeoutMs), published ?? null, timeoutMs),
    /** Plans an early poll if a coupon's announcement has appeared or disappeared since the last call. */
    boardChanged(board: Board) {
      const now = ofCoupon(board)
      // The first call comes during startup, which plans a poll anyway.
      if (published !== undefined && published?.id !== now?.id) polling.soon()
      published = now
    },
    /** Aborts the requests and releases the lease, so that another node needn't wait for its end. Never rejects. */
    async close() {
      const poll = polling.close()
      report.end()
      client.close()
      await withTimeout(CLIENT_WAIT_MS, poll, 'the store').catch(() => {})
    },
  }
}
