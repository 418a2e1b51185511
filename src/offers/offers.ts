import type { Commands } from '../commands.ts'
import type { Announcement } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import { type Clock, later } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { OfferTurn, Offers as StoredOffers } from '../store/store.ts'
import { backoffMs } from '../stripe/asking.ts'
import { PATIENCE_MS, type Rights, type StripeClient } from '../stripe/client.ts'
import { type Told, unretrieved } from '../stripe/coupons.ts'
import { offerOf, type Refusal } from '../stripe/offer.ts'
import { Unanswered } from '../stripe/unanswered.ts'
import { ask, patienceMs } from './ask.ts'
import { catchUp } from './catch-up.ts'
import { inTime, keepQuiet } from './in-time.ts'
import { holdTurn, LEASE_MS, TurnLost } from './lease.ts'
import { createReport, type OfferCounts } from './report.ts'
import { retrieve, retrieved } from './retrieve.ts'
import { unknownToKey } from './unknown.ts'

/** A process that has just started answers requests first. */
const FIRST_MS = 500
/** However often it rings, Stripe is not asked more often than this. */
const GAP_MS = 1_000
/** How often events are listed, for notifications that were lost. */
const LIST_MS = 60 * 60_000
/** How many turns a tick takes while each says that there is more to do: to list events, then to ask about what stands. */
const MAX_TURNS = 3
/** When to try again after the database was away. */
const RETRY_MS = 1_000

/** Keeps what the checkout would refuse off the page (contract T2 to T4). Only with a key. */
export interface Offers {
  /** Retrieves and judges the coupon that a notification wants to put up. It takes 2 s at most, and never rejects. */
  judge(told: Told): Promise<Told>
  /**
   * Why the checkout would refuse an announcement's coupon, or `null` if it would not. It takes 2 s at most.
   *
   * @returns `undefined` if Stripe doesn't say by then
   */
  refusalOf(announcement: Announcement): Promise<Refusal | null | undefined>
  /**
   * What the key may do, what it doesn't know of what came from Stripe, and how far our clock is ahead of Stripe's, in ms. To
   * ask changes nothing.
   */
  rights(
    patienceMs: number,
  ): Promise<Omit<Rights, 'now'> & { unknown?: string | undefined; aheadMs?: number }>
  /** Asks about what stands, soon, unless Stripe gave no answer last. It never rejects. */
  ring(): Promise<void>
  /** A notification about this coupon had no effect. If that is the coupon that stands, it is asked about soon. */
  heard(coupon: string | null): Promise<void>
  /** A notification could not be applied. Stripe delivers it again within hours, so events are listed before that. */
  lost(): void
  /** Asks what is due, now. It never rejects. */
  tick(): Promise<void>
  /** Looks whether something else stands. */
  look(board: Board): void
  readonly counts: OfferCounts
  close(): void
}

export interface OffersOptions {
  store: StoredOffers
  commands: Commands
  client: StripeClient
  clock: Clock
  log: Log
  /** Tells of what was caught up with and may not show as meant. */
  warn(told: Told): Promise<void>
  /** Whether anything happens between two requests. If not, only {@link Offers.tick} asks. */
  background: boolean
}

export function createOffers(options: OffersOptions): Offers {
  const { store, client, clock, log, background } = options
  const report = createReport(log, client.asked, clock.monotonic)
  const asking = { ...options, report, failures: new Map() }
  /**
   * Whether notifications may have been missed: since the start, or since Stripe or the database was away. Where processes
   * come and go, a start says nothing.
   */
  let missed = background
  /** Events are not listed again before this, by the monotonic clock. */
  let listAgainAt = Number.NEGATIVE_INFINITY
  /** Lists in a row that were not answered. */
  let listFailures = 0
  /** The announcement that a coupon put up; `undefined` before the first look. */
  let standing: Announcement | null | undefined
  let cancel = () => {}
  let working = false
  let rung = false
  let askedAt = Number.NEGATIVE_INFINITY
  let closed = false

  function plan(ms: number) {
    cancel()
    if (background && !closed) cancel = later(clock, ms, work)
  }

  function planSoon() {
    rung = true
    if (!working) plan(Math.max(0, askedAt + GAP_MS - clock.monotonic()))
  }

  /** @returns when to come again */
  async function work(): Promise<number> {
    if (working || closed) return RETRY_MS
    working = true
    rung = false
    let nextMs = RETRY_MS
    try {
      nextMs = await takeTurn()
    } catch (error) {
      if (!(error instanceof TurnLost)) {
        missed = true
        if (!(error instanceof StoreUnavailable)) report.failed(error)
      }
    }
    working = false
    if (rung) planSoon()
    else plan(nextMs)
    return nextMs
  }

  /** @returns when to come again */
  async function takeTurn(): Promise<number> {
    // The next turn may be an hour away. What was missed can't wait for that.
    if (missed && clock.monotonic() >= listAgainAt) await store.hasten(LEASE_MS, clock.now())
    const turn = await store.takeTurn(LEASE_MS, clock.now())
    if ('waitMs' in turn) return turn.waitMs
    askedAt = clock.monotonic()
    await keepQuiet(options)
    const lease = holdTurn(options, turn)
    const held = { ...asking, client: lease.client }
    const listed = await list(held, turn)
    // After a list, something else may stand.
    const unlisted = listed instanceof Unanswered ? listed : undefined
    const end = listed === true ? { nextMs: 0 } : await askAbout(held, turn, unlisted)
    // When all of Stripe is silent, the log is told of that, and not of the list too.
    if (unlisted && !report.isSilent('coupons')) {
      report.unanswered('events', unlisted)
    }
    return lease.end(end)
  }

  async function askAbout(held: typeof asking, turn: OfferTurn, unlisted: Unanswered | undefined) {
    const one = turn.standing ?? turn.suspended
    const listMs = Math.max(GAP_MS, untilList(turn))
    if (!one || one.coupon === null) return { nextMs: listMs }
    // Whoever is asked to wait asks no other question either.
    const refusal = unlisted && unlisted.waitMs > 0 ? unlisted : undefined
    const end = await ask(held, turn, { ...one, coupon: one.coupon }, refusal)
    if (end.failed === undefined) return { ...end, nextMs: Math.min(end.nextMs, listMs) }
    missed = true
    return end
  }

  /** Lists events if that is due. @returns whether it did, or why it could not */
  async function list(held: typeof asking, turn: OfferTurn): Promise<boolean | Unanswered> {
    // A list that is not answered either takes time that an offer may not have, which has to come down soon.
    const isUrgent = turn.failures > 0 && patienceMs(turn, clock.now()) < PATIENCE_MS
    if (isUrgent || untilList(turn) > 0) return false
    try {
      await catchUp(held, turn)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      // Without the right to list events, all else goes on.
      const limited = turn.limit !== null || turn.suspended !== null
      if (error.sent) listFailures++
      const againMs =
        error.result === 'denied' ? LIST_MS : backoffMs(listFailures, limited, error.waitMs)
      listAgainAt = clock.monotonic() + againMs
      return error
    }
    missed = false
    listFailures = 0
    return true
  }

  function untilList({ listedAt }: OfferTurn): number {
    const dueMs = missed ? 0 : LIST_MS - Math.abs(clock.now() - listedAt)
    return Math.max(0, dueMs, listAgainAt - clock.monotonic())
  }

  async function ring() {
    const noted = store.ring().then((soon) => soon && planSoon(), planSoon)
    if (!background) await noted
  }

  plan(FIRST_MS)
  return {
    counts: report.counts,
    async judge(told) {
      const result = await inTime(asking, () => retrieved(asking, told))
      if (result) return result
      missed = true
      if (background) planSoon()
      // Another process may come next.
      else await store.ring().catch(() => {})
      return unretrieved(told, clock.now())
    },
    async refusalOf({ coupon: id, by, timestamp: since }) {
      if (id === null) return null
      const origin = { event: by.notification, since }
      const coupon = await inTime(asking, () => retrieve(asking, id, origin))
      const offer = coupon && offerOf(coupon, clock.now())
      return offer && ('refused' in offer ? offer : null)
    },
    ring,
    async heard(coupon) {
      if (coupon !== null && coupon === standing?.coupon) await ring()
    },
    lost() {
      missed = true
      planSoon()
    },
    async tick() {
      for (let turns = 0; turns < MAX_TURNS; turns++) if ((await work()) > 0) return
    },
    async rights(patienceMs) {
      const [{ now, ...rights }, unknown] = await Promise.all([
        client.rights(patienceMs),
        unknownToKey(options, standing, patienceMs),
      ])
      return { ...rights, unknown, ...(now !== undefined && { aheadMs: clock.now() - now }) }
    },
    look({ events }) {
      const now = events.find(({ type, coupon }) => type === 'coupon' && coupon !== null) ?? null
      // The first look is at the start, which has its own time.
      if (standing !== undefined && standing?.id !== now?.id) planSoon()
      standing = now
    },
    close() {
      closed = true
      cancel()
      report.end()
      client.close()
    },
  }
}
