import type { Commands } from '../commands.ts'
import type { Announcement } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import { later, within } from '../core/clock.ts'
import type { Reason } from '../core/messages.ts'
import { StoreUnavailable } from '../core/problem.ts'
import type { Turn } from '../store/store.ts'
import { type CatchingUp, catchUp } from './catch-up.ts'
import type { Questions, Quiet, StripeClient } from './client.ts'
import { type Examination, examine } from './examine.ts'
import { judged, type Told, unretrieved } from './notification.ts'
import { offerOf } from './offer.ts'
import { backoffMs, nextQuestionMs } from './pace.ts'
import { createReport, type OfferCounts } from './report.ts'
import { isAskable, isSameMode, retrieve } from './retrieve.ts'
import { Unanswered } from './unanswered.ts'

/** How long a client may wait for Stripe (contract T2). */
const WAIT_MS = 2_000
/** A process that has just started answers requests first. */
const FIRST_MS = 500
/** The shortest time between two turns of a node, however many triggers there are. */
const GAP_MS = 1_000
/** How often events are listed, to find lost notifications. */
const LIST_MS = 60 * 60_000
/** After this long without an answer, an offer with a limit may be sold out (contract T3). */
const SILENCE_MS = 5 * 60_000
/** How many turns a tick takes at most, if each says that there is more to do. */
const MAX_TURNS = 3
/** When to try again after the database was away. */
const RETRY_MS = 1_000

/** Keeps offers that the checkout would refuse off the page (contract T2 to T4, T7). Only with a key. */
export interface Asking {
  /** Retrieves and judges the coupon of a publishing notification. It takes 2 s at most, and never rejects. */
  judge(told: Told): Promise<Told>
  /**
   * Why the checkout would refuse an announcement's coupon, or `null` if it would not. It takes 2 s at most.
   *
   * @returns `undefined` if Stripe doesn't answer by then
   */
  refusalOf(announcement: Announcement): Promise<Reason | null | undefined>
  /** Finds out what the key may do, and which of Stripe's deliveries it doesn't know. Changes nothing. */
  examine(patienceMs: number): Promise<Examination>
  /** Asks about the published coupon soon, unless Stripe gave no answer last. Never rejects. */
  trigger(): Promise<void>
  /** Called when a notification had no effect. If its coupon is the published one, it is asked about soon. */
  heard(coupon: string | null): Promise<void>
  /**
   * Called when a notification could not be applied. Stripe repeats it within hours, so events are listed before that.
   */
  lost(): void
  /** Asks what is due, now. Never rejects. */
  tick(): Promise<void>
  /** Notices when another coupon is published. */
  look(board: Board): void
  readonly counts: OfferCounts
  /** Ends the questions and the claim, so that another node needn't wait until the claim runs out. Never rejects. */
  close(): Promise<void>
}

export interface AskingOptions extends Omit<CatchingUp, 'client' | 'report'> {
  commands: Commands
  client: StripeClient
  /** Whether the process does anything between two requests. If not, only {@link Asking.tick} asks. */
  background: boolean
}

/** Another node has taken over the claim, and asks the rest. */
class ClaimLost extends Error {}

/** The end of a turn: when to ask again, and whether a question was sent and not answered. */
interface TurnEnd {
  nextMs: number
  failed?: boolean
}

export function createAsking(options: AskingOptions): Asking {
  const { store, client, commands, clock, background } = options
  const report = createReport(options.log, client.asked, clock.monotonic)
  /**
   * Whether notifications may have been missed: since the start, or since Stripe or the database was away. Where
   * processes come and go, a start tells nothing.
   */
  let missed = background
  /** Events are listed no sooner than this, by the monotonic clock. */
  let listFrom = Number.NEGATIVE_INFINITY
  /** How many lists in a row were not answered. */
  let listFailures = 0
  /** The announcement of a coupon; `undefined` before the first look. */
  let standing: Announcement | null | undefined
  let cancel = () => {}
  let working = false
  let underWay: Promise<unknown> = Promise.resolve()
  let triggered = false
  let turnAt = Number.NEGATIVE_INFINITY
  let closed = false

  const keep = (ms: number) => store.keepQuiet(ms, clock.now())
  const quiet: Quiet = { keep, leftMs: () => store.quietMs(clock.now()) }

  function plan(ms: number) {
    cancel()
    if (background && !closed) cancel = later(clock, ms, work)
  }

  function planSoon() {
    triggered = true
    if (!working) plan(Math.max(0, turnAt + GAP_MS - clock.monotonic()))
  }

  /** @returns in how many ms to come again */
  async function work(): Promise<number> {
    if (working || closed) return RETRY_MS
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
    if (triggered) planSoon()
    else plan(nextMs)
    return nextMs
  }

  /**
   * Claims the row if it is due, asks about the published coupon, and lists events if that is due. @returns in how many
   * ms to come again
   */
  async function takeTurn(): Promise<number> {
    const wanted = missed && clock.monotonic() >= listFrom
    const turn = await store.claim(await client.mark(), wanted, clock.now())
    if ('waitMs' in turn) return turn.waitMs
    turnAt = clock.monotonic()
    let { token } = turn
    let again = false
    const leftMs = async () => {
      const renewed = await store.renew(token, clock.now())
      if (!renewed) throw new ClaimLost('another node holds the claim')
      token = renewed.token
      again ||= renewed.triggered
      return renewed.quietMs
    }
    const ask = client.questions({ keep, leftMs })
    const { nextMs, failed } = await askAbout(ask, turn)
    const listMs = closed ? 0 : await list(ask, turn, failed === true)
    // Our own stop cut the question off, so it isn't a failure of Stripe's, and is due for the next node.
    if (closed) return store.end(token, 0, undefined, clock.now())
    const waitMs = again ? 0 : Math.min(nextMs, Math.max(GAP_MS, listMs))
    return store.end(token, waitMs, failed, clock.now())
  }

  /** Asks about the published coupon, and acts on the answer (contract T3). */
  async function askAbout(ask: Questions, turn: Turn): Promise<TurnEnd> {
    const { standing: one } = turn
    if (!one || !isAskable(one.coupon, one.couponLive, client.live)) {
      if (turn.paused) await commands.resumeOffer()
      return { nextMs: LIST_MS }
    }
    const askedAt = clock.now()
    const began = clock.monotonic()
    try {
      const subject = { coupon: one.coupon, event: one.by.notification, seen: turn.seen }
      const reading = await retrieve(ask, subject, report, clock.now())
      const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
      if (offer && 'refused' in offer) {
        report.refused()
        await commands.takeDownOffer(one.id, offer.refused, askedAt)
        return { nextMs: LIST_MS, failed: false }
      }
      // A coupon that the key doesn't have counts as unlimited, as it does without a key.
      const { limits = [], endsAt = null } = offer ?? {}
      const limited = limits.length > 0
      const answer = { id: one.id, askedAt, limited, seen: reading !== undefined }
      await store.answer(answer, clock.now())
      if (turn.failures > 0) listFrom = Number.NEGATIVE_INFINITY
      if (turn.paused) await commands.resumeOffer()
      // The promotion code may end before the announcement does.
      const endsInMs = endsAt === null ? Number.POSITIVE_INFINITY : endsAt - clock.now()
      return { nextMs: Math.min(nextQuestionMs(limits), endsInMs), failed: false }
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      report.unanswered('coupons', error)
      missed = true
      return withoutAnswer(error, turn, one, clock.monotonic() - began)
    }
  }

  async function withoutAnswer(
    { sent, waitMs, reason }: Unanswered,
    { failures, limited, paused, silentMs }: Turn,
    one: Announcement,
    tookMs: number,
  ): Promise<TurnEnd> {
    const nextMs = backoffMs(failures + (sent ? 1 : 0), limited, waitMs)
    const end = sent ? { failed: true } : {}
    const leftMs = SILENCE_MS - silentMs - tookMs
    if (!limited || paused) return { ...end, nextMs }
    if (leftMs > 0) return { ...end, nextMs: Math.min(nextMs, leftMs) }
    await commands.pauseOffer(one.id, reason, SILENCE_MS)
    return { ...end, nextMs }
  }

  /**
   * Lists events if that is due. Everything else works without the right to do so.
   *
   * @param isSilent whether there was no answer about the published coupon. The cause may be this coupon alone, so
   *   events are still listed once an hour
   * @returns in how many ms they are due again
   */
  async function list(ask: Questions, turn: Turn, isSilent: boolean): Promise<number> {
    const dueMs = missed && !isSilent ? 0 : LIST_MS - Math.abs(turn.listedMs)
    const leftMs = Math.max(dueMs, listFrom - clock.monotonic())
    if (leftMs > 0) return leftMs
    try {
      const judge = (told: Told) => judgeWith(ask, told)
      await catchUp({ ...options, report }, ask, judge, turn.since)
      missed = false
      listFailures = 0
      return LIST_MS
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      if (!isSilent) report.unanswered('events', error)
      if (error.sent) listFailures++
      const againMs = backoffMs(listFailures, turn.limited, error.waitMs)
      const waitMs = error.result === 'denied' || isSilent ? LIST_MS : againMs
      listFrom = clock.monotonic() + waitMs
      return waitMs
    }
  }

  /** @throws Unanswered */
  async function read(ask: Questions, told: Told): Promise<Told> {
    const { effect, coupon, id: event, live } = told.notification
    if (effect.kind !== 'publish') return told
    if (!isSameMode(live, client.live)) report.say('mode')
    const askedAt = clock.now()
    const reading = isAskable(coupon, live, client.live)
      ? await retrieve(ask, { coupon, event }, report, askedAt)
      : undefined
    if (!reading) return unretrieved(told, clock.now())
    const result = judged(told, reading, askedAt, clock.now())
    if (result.notification.effect.kind === 'publish' && result.notification.effect.refused) {
      report.refused()
    }
    return result
  }

  /** A coupon that Stripe can't give must not hold up others: its snapshot counts, and it is asked about again. */
  async function judgeWith(ask: Questions, told: Told): Promise<Told> {
    try {
      return await read(ask, told)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      report.unanswered('coupons', error)
      return unretrieved(told, clock.now())
    }
  }

  /** Asks, but waits no longer than a client may have to. @returns `undefined` without an answer by then */
  async function inTime<T>(question: (ask: Questions) => Promise<T>): Promise<T | undefined> {
    let result: T | undefined
    const done = question(client.questions(quiet, WAIT_MS)).then((it) => {
      result = it
    })
    try {
      await within(WAIT_MS, done, 'Stripe')
    } catch (error) {
      done.catch(() => {})
      report.unanswered('coupons', error)
    }
    return result
  }

  async function trigger() {
    const noted = store.trigger().then((soon) => soon && planSoon(), planSoon)
    if (!background) await noted
  }

  plan(FIRST_MS)
  return {
    counts: report.counts,
    async judge(told) {
      const result = await inTime((ask) => read(ask, told))
      if (result) return result
      missed = true
      return unretrieved(told, clock.now())
    },
    async refusalOf({ coupon, couponLive, by }) {
      if (!isAskable(coupon, couponLive, client.live)) return undefined
      const subject = { coupon, event: by.notification }
      const reading = await inTime((ask) => retrieve(ask, subject, report, clock.now()))
      const offer = reading && offerOf(reading.coupon, clock.now(), reading.codes)
      return offer && ('refused' in offer ? offer.refused : null)
    },
    trigger,
    async heard(coupon) {
      if (coupon !== null && coupon === standing?.coupon) await trigger()
    },
    lost() {
      missed = true
      planSoon()
    },
    async tick() {
      for (let turns = 0; turns < MAX_TURNS; turns++) if ((await work()) > 0) return
    },
    examine: (patienceMs) =>
      examine(
        { client, store, clock },
        client.questions(quiet, patienceMs),
        standing ?? null,
        patienceMs,
      ),
    look({ events }) {
      const now = events.find(({ type, coupon }) => type === 'coupon' && coupon !== null) ?? null
      // The first look is part of the start, which plans its own question.
      if (standing !== undefined && standing?.id !== now?.id) planSoon()
      standing = now
    },
    async close() {
      closed = true
      cancel()
      report.end()
      client.close()
      await within(WAIT_MS, underWay, 'the store').catch(() => {})
    },
  }
}
