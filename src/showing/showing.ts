import type { Board } from '../core/board.ts'
import { type Clock, inBackground, withTimeout } from '../core/clock.ts'
import { callBack, describeError, type Log } from '../core/log.ts'
import type { Store } from '../store/store.ts'
import { type Choice, choose, createSnapshot, type Snapshot } from './snapshot.ts'

export type Showing = ReturnType<typeof createShowing>

/**
 * The longest delay until subscribers learn of a change that this node missed or couldn't read. The same limit applies
 * to a start or an end if the clock was changed or the machine slept.
 */
const TICK_MS = 1_000
/**
 * How long a reader waits for the database before getting the last known announcement. While the database is down, a
 * reader waits only `OUTAGE_TIMEOUT_MS`.
 */
const READ_TIMEOUT_MS = 2_000
const OUTAGE_TIMEOUT_MS = 100
/**
 * How long a reader waits for the database if the store has no `watch`. A page never waits longer than this, even if
 * this process knows no announcement yet, because the page must render within 2 s (contract N4).
 */
export const UNWATCHED_TIMEOUT_MS = 1_500
/** How long this node may serve the old response after it hears of a change, which must show within 1 s (R3). */
const LATE_MS = 900
const UNREADABLE = 'could not read the database; serving the last known announcement, if any'
/** How long to wait after a failed load before the next load, to spare a struggling database server. */
const PAUSE_MS = 20

/**
 * @param due called, perhaps repeatedly, when a start or an end is due that no writer has stored yet
 * @param loaded called with each board that was loaded
 */
export function createShowing(
  store: Store,
  clock: Clock,
  log: Log,
  due: () => void = () => {},
  loaded: (board: Board) => void = () => {},
) {
  /** Whether this node hears of the other nodes' changes. */
  let hearing = false
  /** How many changes this node has heard of. It also goes up whenever the node stops or starts hearing the others. */
  let changesHeard = 0
  /** How many of these changes are in memory; -1 if nothing may be served from memory. */
  let changesLoaded = -1
  /** How many of these changes must be in memory before the node may serve from it (contract R3). */
  let changesRequired = 0
  const fresh = () => hearing && changesLoaded >= changesRequired
  const subscribers = new Set<(snapshot: Snapshot) => void>()
  let board: Board | undefined
  let current: Snapshot | undefined
  let choice: Choice | undefined
  /** Whether the last attempt to read the database failed. */
  let down = false
  let loading: Promise<void> | undefined
  let queued: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  /** Determines which announcement shows now, and notifies the subscribers if the response has changed. */
  function update(stale: boolean): Snapshot {
    choice = choose(board as Board, clock.now())
    const before = current
    const next = createSnapshot(choice.event, stale)
    if (before?.etag !== next.etag || before.stale !== stale) current = next
    if (before?.etag !== next.etag) notify(next)
    if (Number.isFinite(choice.since)) due()
    watchTime()
    return current as Snapshot
  }

  function notify(snapshot: Snapshot) {
    // The loop uses a copy, because subscribers that join during the loop already know this change.
    for (const subscriber of [...subscribers]) {
      // If a subscriber's `read` found a newer change, all subscribers have already been notified of it.
      if (snapshot.etag !== current?.etag) return
      if (!subscribers.has(subscriber)) continue
      callBack(
        () => subscriber(snapshot),
        (error) => log.error({ error: describeError(error) }, 'a subscriber failed'),
      )
    }
  }

  /** Sets the timer that notifies the subscribers at the next start or end. Readers check the clock themselves. */
  function watchTime() {
    clearTimeout(timer)
    if (closed || !store.watch || !choice) return
    const { since, until } = choice
    if (!Number.isFinite(since) && !Number.isFinite(until)) return
    const wait = Math.max(0, Math.min(until - clock.now(), TICK_MS))
    timer = inBackground(setTimeout(() => update(current?.stale ?? false), wait))
  }

  async function load(): Promise<void> {
    // The board may lack a change that this node hears of while the board is loading.
    const before = changesHeard
    try {
      board = await store.load()
      changesLoaded = before
      if (down) log.info({}, 'reading the database again')
      down = false
      update(false)
      loaded(board)
    } catch (error) {
      changesLoaded = -1
      noteOutage(error)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      throw error
    }
  }

  function noteOutage(error: unknown) {
    if (!down) log.warn({ error: describeError(error) }, UNREADABLE)
    down = true
  }

  /** Loads the board. Callers share a load, but never one that started before their call. */
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
      const watched = down ? OUTAGE_TIMEOUT_MS : READ_TIMEOUT_MS
      const timeout = store.watch ? watched : UNWATCHED_TIMEOUT_MS
      await (current ? withTimeout(timeout, work, 'the database') : work)
    } catch (error) {
      if (!current) throw error
      const stale = !fresh()
      if (stale) noteOutage(error)
      return update(stale)
    }
    return update(false)
  }

  store.watch?.({
    changed() {
      const change = ++changesHeard
      // `hearing` may have raised `changesRequired` in the meantime, so the timer must not lower it.
      inBackground(setTimeout(() => (changesRequired = Math.max(changesRequired, change)), LATE_MS))
      refresh().catch(() => {})
    },
    hearing(yes) {
      hearing = yes
      changesRequired = ++changesHeard
      if (yes) refresh().catch(() => {})
    },
  })
  // While nothing may be served from memory, readers query the database, and this timer queries it for the subscribers.
  const refreshIfStale = () => {
    if (!fresh()) refresh().catch(() => {})
  }
  const poll = store.watch && inBackground(setInterval(refreshIfStale, TICK_MS))

  return {
    /**
     * Returns the current snapshot. Usually, this only reads the clock. When memory may be out of date, returns a
     * promise of a database read that starts after the call (contract R3).
     *
     * @throws StoreUnavailable if the database can't be reached and has never been read
     */
    read(): Snapshot | Promise<Snapshot> {
      if (!fresh() || !current || !choice) return readThrough()
      const now = clock.now()
      return choice.since <= now && now < choice.until ? current : update(false)
    },
    /**
     * The board that was last read; `undefined` if none has been. After a write, the node that wrote has already read
     * the board again.
     */
    board: () => board,
    /** Whether this node hears of the other nodes' changes. If not, each read queries the database. */
    hearing: () => hearing,
    /** Whether this node hears the other nodes and has read every change that it has heard of. */
    settled: () => hearing && changesLoaded === changesHeard,
    /** Resolves when `read` shows everything that was committed before the call. */
    refresh,
    /** Calls `listener` on every change, including starts and ends, until the returned function is called. */
    subscribe(listener: (snapshot: Snapshot) => void): () => void {
      const subscriber = (snapshot: Snapshot) => listener(snapshot)
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    /** The instant of the next start or end, according to the last read: milliseconds since 1970, or infinity. */
    until: () => choice?.until ?? Number.POSITIVE_INFINITY,
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      subscribers.clear()
    },
  }
}
