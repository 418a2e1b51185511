import type { Announcement } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import { type Clock, inBackground, within } from '../core/clock.ts'
import { describeError, type Log } from '../core/log.ts'
import type { Store } from '../store/store.ts'
import { createFreshness } from './freshness.ts'
import { type Choice, choose, finish, type Snapshot } from './snapshot.ts'
import { createSubscribers } from './subscribers.ts'

export interface Showing {
  /**
   * What is showing now. Cost: one look at the clock. While changes by others can't be heard, it is a promise instead, of
   * a read from the database that starts after the call (contract R3).
   *
   * @throws StoreUnavailable if the database can't be reached and never could
   */
  read(): Snapshot | Promise<Snapshot>

  /** What {@link read} would show if this were stored. */
  pick(board: Board): Announcement | null

  /** Whether changes made elsewhere are heard. While they aren't, nothing is served from memory. */
  hearing(): boolean

  /** Whether no change is known of that {@link read} may not show yet. */
  settled(): boolean

  /** Resolves when {@link read} shows all that was committed before the call. */
  refresh(): Promise<void>

  /**
   * Calls back on every change, even on ends, until the returned function is called. A listener that fails is reported
   * once, and stops nothing and nobody else.
   */
  subscribe(listener: (snapshot: Snapshot) => void): () => void

  /** When something starts or ends next, by what was read last: milliseconds since 1970, or infinity. */
  until(): number

  close(): void
}

/**
 * After a step of the clock or a sleep of the machine, subscribers learn of an end at most this late. So they do of a
 * change that isn't heard, or that could not be read when it was.
 */
const TICK_MS = 1_000
/** How long a reader waits for the database before it gets the last known answer, and how long while it is down. */
const PATIENCE_MS = 2_000
const SHORT_PATIENCE_MS = 100
/**
 * How long where nobody watches the store: a reader who may get the last known answer, and a page in any case. It is drawn
 * within 2 s (contract N4).
 */
export const LONE_PATIENCE_MS = 1_500
/** A failed load is repeated no sooner, however many readers ask, so that a server in trouble doesn't get a flood. */
const PAUSE_MS = 20

/**
 * @param due called when a start or an end is due that no writer has stored yet; may be called repeatedly
 * @param loaded called with each board that was read
 */
export function createShowing(
  store: Store,
  clock: Clock,
  log: Log,
  due: () => void = () => {},
  loaded: (board: Board) => void = () => {},
): Showing {
  const memory = createFreshness()
  const subscribers = createSubscribers(log)
  let board: Board | undefined
  let current: Snapshot | undefined
  /** The current snapshot, as it is while the database can be reached. */
  let finished: Snapshot
  let choice: Choice | undefined
  /** Whether the last attempt to read the database failed. */
  let down = false
  let loading: Promise<void> | undefined
  let queued: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  /** Finds what shows now, and notifies the subscribers if that has changed. */
  function update(stale: boolean): Snapshot {
    if (!board) throw new Error('update() before anything was loaded')
    choice = choose(board, clock.now(), choice)
    const before = current
    const next = finish(choice.event)
    const changed = before?.etag !== next.etag
    if (changed || before?.stale !== stale) {
      if (changed) finished = next
      current = stale ? { ...finished, stale } : finished
      if (changed) subscribers.notify(current)
    }
    if (choice.due) due()
    watchTime()
    return current as Snapshot
  }

  /** One timer at most, for the subscribers. Readers look at the clock themselves. */
  function watchTime() {
    clearTimeout(timer)
    if (closed || !store.watch || !choice || choice.until === Number.POSITIVE_INFINITY) return
    const wait = Math.max(0, Math.min(choice.until - clock.now(), TICK_MS))
    timer = inBackground(setTimeout(() => update(current?.stale ?? false), wait))
  }

  async function load(): Promise<void> {
    const heard = memory.heard()
    try {
      board = await store.load()
      memory.cover(heard)
      if (down) log.info({}, 'reading the database again')
      down = false
      update(false)
      loaded(board)
    } catch (error) {
      memory.doubt()
      lost(error)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      throw error
    }
  }

  function lost(error: unknown) {
    if (!down) log.warn({ error: describeError(error) }, 'serving the last known announcement')
    down = true
  }

  /** Callers share a load, but only one that starts after they called. */
  function refresh(): Promise<void> {
    if (!loading) {
      loading = load().finally(() => {
        loading = undefined
      })
      return loading
    }
    queued ??= loading
      .catch(() => {})
      .then(() => {
        queued = undefined
        return refresh()
      })
    return queued
  }

  async function readThrough(): Promise<Snapshot> {
    try {
      const work = refresh()
      const usual = down ? SHORT_PATIENCE_MS : PATIENCE_MS
      const patience = store.watch ? usual : LONE_PATIENCE_MS
      await (current ? within(patience, work, 'the database') : work)
    } catch (error) {
      if (!current) throw error
      const stale = !memory.fresh()
      if (stale) lost(error)
      return update(stale)
    }
    return update(false)
  }

  store.watch?.({
    changed() {
      memory.change()
      refresh().catch(() => {})
    },
    hearing(yes) {
      memory.setHearing(yes)
      if (yes) refresh().catch(() => {})
    },
  })
  // While memory may not be served, each reader asks the database. This asks it for the subscribers.
  const refreshIfStale = () => {
    if (!memory.fresh()) refresh().catch(() => {})
  }
  const poll = store.watch && inBackground(setInterval(refreshIfStale, TICK_MS))

  return {
    read() {
      if (!memory.fresh() || !current || !choice) return readThrough()
      return clock.now() < choice.until ? current : update(false)
    },
    pick: (stored) => choose(stored, clock.now(), choice).event,
    hearing: memory.hearing,
    settled: memory.settled,
    refresh,
    subscribe: subscribers.add,
    until: () => choice?.until ?? Number.POSITIVE_INFINITY,
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      subscribers.clear()
    },
  }
}
