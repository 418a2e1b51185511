import type { Board } from '../core/board.ts'
import { type Clock, inBackground, within } from '../core/clock.ts'
import { callBack, describeError, type Log } from '../core/log.ts'
import type { Store } from '../store/store.ts'
import { type Choice, choose, finish, type Snapshot } from './snapshot.ts'

export type Showing = ReturnType<typeof createShowing>

/**
 * How late subscribers may learn of a start or an end after the clock stepped or the machine slept, and of a change
 * that this node didn't hear of or couldn't read.
 */
const TICK_MS = 1_000
/**
 * How long a reader waits for the database before it gets the last known announcement. The short time applies while the
 * database is down.
 */
const PATIENCE_MS = 2_000
const SHORT_PATIENCE_MS = 100
/**
 * How long a reader waits if the store doesn't watch for changes. A page waits no longer even if no announcement is
 * known, because it must render within 2 s (contract N4).
 */
export const LONE_PATIENCE_MS = 1_500
/** How long this node may serve from memory after hearing of a change, because the change must show within 1 s (R3). */
const LATE_MS = 900
const UNREADABLE = 'could not read the database; serving the last known announcement, if any'
/** How long to wait after a failed load, however many readers ask, to spare a struggling server. */
const PAUSE_MS = 20

/**
 * @param due called, perhaps repeatedly, when a start or an end is due that no writer has stored yet
 * @param loaded called with each board that was read
 */
export function createShowing(
  store: Store,
  clock: Clock,
  log: Log,
  due: () => void = () => {},
  loaded: (board: Board) => void = () => {},
) {
  let hearing = false
  /** Incremented on each change that this node hears of, and whenever it stops or starts hearing the other nodes. */
  let heard = 0
  /**
   * Memory has the changes up to `covered`, a past value of `heard`. The node answers from memory
   * only while it hears the others and `covered >= required` (R3).
   */
  let covered = -1
  let required = 0
  const fresh = () => hearing && covered >= required
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

  /** Determines what shows now, and notifies the subscribers if it has changed. */
  function update(stale: boolean): Snapshot {
    if (!board) throw new Error('update() before anything was loaded')
    choice = choose(board, clock.now(), choice)
    const before = current
    const next = finish(choice.event, stale)
    if (before?.etag !== next.etag || before.stale !== stale) current = next
    if (before?.etag !== next.etag) notify(next)
    if (choice.due) due()
    watchTime()
    return current as Snapshot
  }

  function notify(snapshot: Snapshot) {
    // A copy, because subscribers that join meanwhile already know this change.
    for (const subscriber of [...subscribers]) {
      // A subscriber called `read`, which found a newer change and has notified everyone of it.
      if (snapshot.etag !== current?.etag) return
      if (!subscribers.has(subscriber)) continue
      callBack(
        () => subscriber(snapshot),
        (error) => log.error({ error: describeError(error) }, 'a subscriber failed'),
      )
    }
  }

  /** Sets the only timer, which updates the subscribers at a start or an end. Readers check the clock themselves. */
  function watchTime() {
    clearTimeout(timer)
    if (closed || !store.watch || !choice || choice.until === Number.POSITIVE_INFINITY) return
    const wait = Math.max(0, Math.min(choice.until - clock.now(), TICK_MS))
    timer = inBackground(setTimeout(() => update(current?.stale ?? false), wait))
  }

  async function load(): Promise<void> {
    // The loaded board may be older than a change that the node hears of meanwhile.
    const before = heard
    try {
      board = await store.load()
      covered = before
      if (down) log.info({}, 'reading the database again')
      down = false
      update(false)
      loaded(board)
    } catch (error) {
      covered = -1
      lost(error)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      throw error
    }
  }

  function lost(error: unknown) {
    if (!down) log.warn({ error: describeError(error) }, UNREADABLE)
    down = true
  }

  /** Callers share a load, but only one that starts after their call. */
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
      const stale = !fresh()
      if (stale) lost(error)
      return update(stale)
    }
    return update(false)
  }

  store.watch?.({
    changed() {
      const change = ++heard
      // If the node has started hearing again since, `required` is already higher and must not be lowered.
      inBackground(setTimeout(() => (required = Math.max(required, change)), LATE_MS))
      refresh().catch(() => {})
    },
    hearing(yes) {
      hearing = yes
      required = ++heard
      if (yes) refresh().catch(() => {})
    },
  })
  // While nothing may be served from memory, each reader queries the database; this timer does so for the subscribers.
  const refreshIfStale = () => {
    if (!fresh()) refresh().catch(() => {})
  }
  const poll = store.watch && inBackground(setInterval(refreshIfStale, TICK_MS))

  return {
    /**
     * Returns what shows now, at the cost of reading the clock. While nothing may be served from memory, it returns a
     * promise of a database read that starts after the call (contract R3).
     *
     * @throws StoreUnavailable if the database can't be reached and has never been read
     */
    read(): Snapshot | Promise<Snapshot> {
      if (!fresh() || !current || !choice) return readThrough()
      return clock.now() < choice.until ? current : update(false)
    },
    /** What `read` would show if this board were stored. */
    pick: (stored: Board) => choose(stored, clock.now(), choice).event,
    /** Whether this node hears of other processes' changes. Otherwise it serves nothing from memory. */
    hearing: () => hearing,
    /** Whether `read` shows every change that this node knows of. */
    settled: () => hearing && covered === heard,
    /** Resolves when `read` shows everything that was committed before the call. */
    refresh,
    /** Calls `listener` on every change, including starts and ends, until the returned function is called. */
    subscribe(listener: (snapshot: Snapshot) => void): () => void {
      const subscriber = (snapshot: Snapshot) => listener(snapshot)
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    /** The next start or end, according to the last read: milliseconds since 1970, or infinity. */
    until: () => choice?.until ?? Number.POSITIVE_INFINITY,
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      subscribers.clear()
    },
  }
}
