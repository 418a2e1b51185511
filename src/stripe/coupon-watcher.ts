import type { Announcement } from '../core/announcement.ts'
import { type Board, ofCoupon } from '../core/board.ts'
import { within } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { catchUp } from './catch-up.ts'
import { ClaimLost, createClaims } from './claim.ts'
import type { Questions } from './client.ts'
import { examine } from './examine.ts'
import { type AskingParts, isAskable, judge, retrieve } from './judging.ts'
import { createListing } from './listing.ts'
import { type ParsedNotification, unretrieved } from './notification.ts'
import { offerOf } from './offer.ts'
import { askAbout } from './question.ts'
import { createReport } from './report.ts'
import { createTurns, GAP_MS, RETRY_MS } from './turns.ts'

/** How long a process waits after its start before it asks Stripe, so that it can serve requests first. */
const FIRST_MS = 500
/** The maximum number of turns in a tick. A tick ends early if no request to Stripe is due. */
const MAX_TURNS = 3
/** How long a client may wait for Stripe (contract T2). */
const WAIT_MS = 2_000
/** How long to wait before asking again about a coupon that a bug of ours kept from being judged. */
const UNJUDGED_MS = 30_000

export type CouponWatcher = ReturnType<typeof createCouponWatcher>

export interface CouponWatcherOptions extends Omit<AskingParts, 'report'> {
  /** Whether the process runs between requests. If not, it asks Stripe only on notifications and ticks. */
  background: boolean
}

/** Keeps pages from showing offers that the checkout would refuse (contract T2 to T4, T7). Needs a Stripe API key. */
export function createCouponWatcher(options: CouponWatcherOptions) {
  const { store, client, clock, background } = options
  const report = createReport(options.log, client.asked, clock.monotonic)
  const parts = { ...options, report }
  const { claim, quiet } = createClaims(store, clock)
  // On platforms that start processes all the time, a start doesn't mean that any notification was missed.
  const listing = createListing(clock, background)
  const turns = createTurns({ clock, background, firstMs: FIRST_MS, take })
  /** The announcement that a coupon published; `null` if there is none, `undefined` before the first board. */
  let published: Announcement | null | undefined

  async function take(): Promise<number> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ClaimLost)) {
        listing.missed()
        if (!(error instanceof StoreUnavailable)) report.failed(error)
      }
      return RETRY_MS
    }
  }

  /**
   * If a request is due, claims the right to ask Stripe, asks about the published coupon and, if due, lists events.
   * @returns how many ms to wait before the next turn
   */
  async function ask(): Promise<number> {
    const turn = await claim(await client.mark(), listing.isEarly())
    if ('waitMs' in turn) return turn.waitMs
    turns.keepGap()
    const { memory } = turn
    const questions = client.questions(turn)
    const { nextMs, unanswered } = await askAbout(questions, memory, parts).catch(withoutVerdict)
    if (unanswered) listing.missed()
    else if (memory.failures > 0) listing.resume()
    const list = () => catchUp(questions, memory.since, parts)
    const listMs = turns.isClosed()
      ? 0
      : await listing.run(memory, unanswered !== undefined, list, (error) =>
          report.unanswered('events', error),
        )
    // A shutdown of this process aborted the requests: Stripe didn't fail, and another node should ask immediately.
    if (turns.isClosed()) return turn.end(0, memory.failures)
    const failures = unanswered ? memory.failures + 1 : 0
    return turn.end(Math.min(nextMs, Math.max(GAP_MS, listMs)), failures)
  }

  /** A coupon that we fail to judge must not keep the service from catching up. */
  function withoutVerdict(error: unknown): Awaited<ReturnType<typeof askAbout>> {
    if (error instanceof ClaimLost || error instanceof StoreUnavailable) throw error
    report.failed(error)
    return { nextMs: UNJUDGED_MS }
  }

  async function trigger() {
    const isNoted = store.remember({ due_at: 0 }, { failures: 0 })
    await isNoted.then((soon) => soon && turns.soon(), mayHaveMissed)
  }

  function mayHaveMissed() {
    listing.missed()
    turns.soon()
  }

  /** Sends requests to Stripe while a client waits. @returns `undefined` if there is no answer within 2 s */
  async function inTime<T>(question: (ask: Questions) => Promise<T>): Promise<T | undefined> {
    try {
      return await within(WAIT_MS, question(client.questions(quiet, WAIT_MS)), 'Stripe')
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
    /** Called when a notification had no effect. If its coupon is the published one, the service asks Stripe soon. */
    async hadNoEffect(coupon: string | null) {
      if (coupon === published?.coupon) await trigger()
    },
    /** Called when applying a notification failed. Stripe may not retry for hours, so the service lists events. */
    mayHaveMissed,
    /** Sends Stripe every request that is due. Never rejects. */
    async tick() {
      for (let turn = 0; turn < MAX_TURNS; turn++) if ((await turns.next()) > 0) return
    },
    /** Finds out the key's permissions, and whether the key can read the published coupon and the last notification. */
    examine: (patienceMs: number) =>
      examine(parts, client.questions(quiet, patienceMs), published ?? null, patienceMs),
    /** Plans an early turn if a coupon's announcement has appeared or disappeared since the last call. */
    boardChanged(board: Board) {
      const now = ofCoupon(board)
      // The first call comes during startup, which plans a turn anyway.
      if (published !== undefined && published?.id !== now?.id) turns.soon()
      published = now
    },
    /** Aborts the requests and ends the claim, so that another node needn't wait for it to expire. Never rejects. */
    async close() {
      const turn = turns.close()
      report.end()
      client.close()
      await within(WAIT_MS, turn, 'the store').catch(() => {})
    },
  }
}
