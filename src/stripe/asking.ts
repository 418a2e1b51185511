import type { Announcement } from '../core/announcement.ts'
import { type Board, ofCoupon } from '../core/board.ts'
import { later, within } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { catchUp } from './catch-up.ts'
import { ClaimLost, createClaims, type Memory } from './claim.ts'
import type { Questions } from './client.ts'
import { examine } from './examine.ts'
import { type AskingParts, isAskable, judge, retrieve } from './judging.ts'
import { type Told, unretrieved } from './notification.ts'
import { offerOf } from './offer.ts'
import { askAbout } from './question.ts'
import { createReport } from './report.ts'
import { backoffMs, Unanswered } from './unanswered.ts'

/** How long a process waits after its start before it asks Stripe, so that it can serve requests first. */
const FIRST_MS = 500
/** The shortest time between two of a node's background turns, however many triggers arrive. */
const GAP_MS = 1_000
/** How often to list events, to find missed notifications. */
const LIST_MS = 60 * 60_000
/** The maximum number of turns in a tick. A tick ends early if no request to Stripe is due. */
const MAX_TURNS = 3
/** How long a client may wait for Stripe (contract T2). */
const WAIT_MS = 2_000
/** How long to wait before the next turn if the database doesn't answer. */
const RETRY_MS = 1_000
/** How long to wait before asking again about a coupon that a bug of ours kept from being judged. */
const UNJUDGED_MS = 30_000

export type Asking = ReturnType<typeof createAsking>

export interface AskingOptions extends Omit<AskingParts, 'report'> {
  /** Whether the process runs between requests. If not, it asks Stripe only on notifications and ticks. */
  background: boolean
}

/** Keeps pages from showing offers that the checkout would refuse (contract T2 to T4, T7). Needs a Stripe API key. */
export function createAsking(options: AskingOptions) {
  const { store, client, clock, background } = options
  const report = createReport(options.log, client.asked, clock.monotonic)
  const parts = { ...options, report }
  const { claim, quiet } = createClaims(store, clock)
  /**
   * Whether notifications may have been missed: before this process started, or while Stripe or the database didn't
   * answer. On platforms that start processes all the time, a start doesn't mean that any notification was missed.
   */
  let missed = background
  /** The earliest time at which to list events again, by the monotonic clock. */
  let listFrom = Number.NEGATIVE_INFINITY
  /** How many times in a row listing events has failed. */
  let listFailures = 0
  /** The announcement that a coupon published; `null` if there is none, `undefined` before the first call of `look`. */
  let standing: Announcement | null | undefined
  let cancel = () => {}
  let working = false
  let triggered = false
  let underWay: Promise<unknown> = Promise.resolve()
  let turnAt = Number.NEGATIVE_INFINITY
  let closed = false

  function plan(ms: number) {
    cancel()
    const gapMs = turnAt + GAP_MS - clock.monotonic()
    if (background && !closed) cancel = later(clock, Math.max(ms, gapMs), work)
  }

  /** Plans an early turn. A turn in progress may be past the step that a change affects, so another turn follows it. */
  function planSoon() {
    triggered = true
    if (!working) plan(0)
  }

  /** Takes a turn, unless one is in progress. @returns how many ms to wait before the next turn */
  async function work(): Promise<number> {
    if (working) return RETRY_MS
    working = true
    triggered = false
    let nextMs = RETRY_MS
    try {
      const turn = takeTurn()
      underWay = turn
      nextMs = await turn
    } catch (error) {
      if (!(error instanceof ClaimLost)) {
        missed = true
        if (!(error instanceof StoreUnavailable)) report.failed(error)
      }
    }
    working = false
    if (triggered) nextMs = 0
    plan(nextMs)
    return nextMs
  }

  /**
   * If a request is due, claims the right to ask Stripe, asks about the published coupon and, if due, lists events.
   * @returns how many ms to wait before the next turn
   */
  async function takeTurn(): Promise<number> {
    const turn = await claim(await client.mark(), missed && clock.monotonic() >= listFrom)
    if ('waitMs' in turn) return turn.waitMs
    turnAt = clock.monotonic()
    const { memory } = turn
    const ask = client.questions(turn)
    const { nextMs, unanswered } = await askAbout(ask, memory, parts).catch(withoutVerdict)
    if (unanswered) missed = true
    // Once Stripe answers again after an outage, list events without further delay.
    else if (memory.failures > 0) listFrom = Number.NEGATIVE_INFINITY
    const listMs = closed ? 0 : await list(ask, memory, unanswered !== undefined)
    // A shutdown of this process aborted the requests: Stripe didn't fail, and another node should ask immediately.
    if (closed) return turn.end(0, memory.failures)
    const failures = unanswered ? memory.failures + 1 : 0
    return turn.end(Math.min(nextMs, Math.max(GAP_MS, listMs)), failures)
  }

  /** A coupon that we fail to judge must not keep the service from catching up. */
  function withoutVerdict(error: unknown): Awaited<ReturnType<typeof askAbout>> {
    if (error instanceof ClaimLost || error instanceof StoreUnavailable) throw error
    report.failed(error)
    return { nextMs: UNJUDGED_MS }
  }

  /**
   * Lists events if that is due. If the key lacks the permission, the service still sends all other requests.
   *
   * @param isSilent whether Stripe gave no answer about the published coupon. The cause may be that coupon alone, so
   *   events are still listed, but at most once an hour
   * @returns how many ms until listing is due again
   */
  async function list(ask: Questions, memory: Memory, isSilent: boolean): Promise<number> {
    const dueMs = missed ? 0 : LIST_MS - Math.abs(memory.time - memory.listed_at)
    const leftMs = Math.max(dueMs, listFrom - clock.monotonic())
    if (leftMs > 0) return leftMs
    // Reset `missed` before the request, because its answer may lack notifications missed from now on.
    missed = false
    try {
      await catchUp(ask, memory.since, parts)
      listFailures = 0
      // As long as there is no answer about the coupon, each turn sets `missed`.
      if (isSilent) listFrom = clock.monotonic() + LIST_MS
      return LIST_MS
    } catch (error) {
      missed = true
      if (!(error instanceof Unanswered)) throw error
      if (!isSilent) report.unanswered('events', error)
      const isLong = error.result === 'denied' || isSilent
      const waitMs = isLong ? LIST_MS : backoffMs(++listFailures, false, error.waitMs)
      listFrom = clock.monotonic() + waitMs
      return waitMs
    }
  }

  async function trigger() {
    const isNoted = store.remember({ due_at: 0 }, { failures: 0 })
    await isNoted.then((soon) => soon && planSoon(), lost)
  }

  function lost() {
    missed = true
    planSoon()
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

  plan(FIRST_MS)
  return {
    counts: report.counts,
    /** Retrieves and judges the coupon of a publishing notification. Takes at most 2 s, never rejects. */
    async judge(told: Told): Promise<Told> {
      const result = await inTime((ask) => judge(ask, told, parts))
      return result ?? unretrieved(told, clock.now())
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
    async heard(coupon: string | null) {
      if (coupon === standing?.coupon) await trigger()
    },
    /** Called when applying a notification failed. Stripe may not retry for hours, so the service lists events. */
    lost,
    /** Sends Stripe every request that is due. Never rejects. */
    async tick() {
      for (let turns = 0; turns < MAX_TURNS; turns++) if ((await work()) > 0) return
    },
    /** Finds out the key's permissions, and whether the key can read the published coupon and the last notification. */
    examine: (patienceMs: number) =>
      examine(parts, client.questions(quiet, patienceMs), standing ?? null, patienceMs),
    /** Plans an early turn if a coupon's announcement has appeared or disappeared since the last call. */
    look(board: Board) {
      const now = ofCoupon(board)
      // The first call comes during startup, which plans a turn anyway.
      if (standing !== undefined && standing?.id !== now?.id) planSoon()
      standing = now
    },
    /** Aborts the requests and ends the claim, so that another node needn't wait for it to expire. Never rejects. */
    async close() {
      closed = true
      cancel()
      report.end()
      client.close()
      await within(WAIT_MS, underWay, 'the store').catch(() => {})
    },
  }
}
