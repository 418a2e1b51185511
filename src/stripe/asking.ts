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
import { createJudging, WAIT_MS } from './judging.ts'
import { type Told, unretrieved } from './notification.ts'
import { createQuestion } from './question.ts'
import { createReport, type OfferCounts } from './report.ts'
import { backoffMs, Unanswered } from './unanswered.ts'

/** A process that has just started answers requests first. */
const FIRST_MS = 500
/** The shortest time between two turns of a node, however many triggers there are. */
const GAP_MS = 1_000
/** How often events are listed, to find lost notifications. */
const LIST_MS = 60 * 60_000
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
  const judging = createJudging({ client, quiet, clock, report })
  const askAbout = createQuestion({ store, commands, client, clock, report })

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
    const { nextMs, failed, isSilent, isBack } = await askAbout(ask, turn)
    if (isSilent) missed = true
    if (isBack) listFrom = Number.NEGATIVE_INFINITY
    const listMs = closed ? 0 : await list(ask, turn, failed === true)
    // Our own stop cut the question off, so it isn't a failure of Stripe's, and is due for the next node.
    if (closed) return store.end(token, 0, undefined, clock.now())
    const waitMs = again ? 0 : Math.min(nextMs, Math.max(GAP_MS, listMs))
    return store.end(token, waitMs, failed, clock.now())
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
      const judge = (told: Told) => judging.judgeOr(ask, told)
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

  async function trigger() {
    const noted = store.trigger().then((soon) => soon && planSoon(), planSoon)
    if (!background) await noted
  }

  plan(FIRST_MS)
  return {
    counts: report.counts,
    async judge(told) {
      const result = await judging.judge(told)
      if (result) return result
      missed = true
      return unretrieved(told, clock.now())
    },
    refusalOf: judging.refusalOf,
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
