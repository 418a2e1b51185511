import type { Selector } from './core/announcement.ts'
import type { EditRefusal } from './core/board.ts'
import { CACHE_TAG } from './core/cache-tag.ts'
import { type Clock, withTimeout } from './core/clock.ts'
import type { CouponNotification } from './core/coupon.ts'
import type { UndoRefusal } from './core/history.ts'
import { describeError, type Log } from './core/log.ts'
import { invalidBody, type Reason } from './core/messages.ts'
import { Problem } from './core/problem.ts'
import { editIssue, type Posting, SCHEDULE_FULL } from './core/schema.ts'
import type { Showing } from './showing/showing.ts'
import type { Refusal, Store, WriteContext, Written } from './store/store.ts'

/**
 * Purges a tag from a cache immediately (spec 6: expire 0). The response to a write waits for the hook. If the hook
 * rejects or takes more than 10 s, the response is 503, and repeating the request calls the hook again (contract W7).
 */
export type InvalidationHook = (tag: typeof CACHE_TAG) => void | Promise<void>

/** The author of a write, and its precondition (contract R8, A17). */
export type Author = Pick<WriteContext, 'by' | 'expects'>

export type Commands = ReturnType<typeof createCommands>

/** Creates the only functions that change announcements. Each resolves once reads on this node show the change. */
export function createCommands(
  store: Store,
  showing: Showing,
  invalidate: InvalidationHook,
  clock: Clock,
  log: Log,
) {
  let writes = 0
  /** When this node first saw each history entry that still requires a purge, by the monotonic clock. */
  let seen = new Map<number, number>()
  /** 0 if the process may end between requests: it couldn't check later whether another node has purged the caches. */
  const graceMs = store.watch ? GRACE_MS : 0

  async function during<T>(write: () => Promise<T>): Promise<T> {
    writes++
    try {
      return await write()
    } finally {
      writes--
    }
  }

  /**
   * Reads committed changes into memory and notifies open pages, then purges the caches. The purge runs even if the
   * database can't be read.
   */
  async function propagate(): Promise<void> {
    await showing.refresh().finally(purge)
  }

  async function purge(): Promise<void> {
    try {
      const purged = invalidate(CACHE_TAG)
      // A hook that doesn't return a promise has already purged the cache, so it needs no timeout.
      if (purged) await withTimeout(PURGE_MS, purged, 'the hook')
    } catch (cause) {
      const message = 'The write is stored, but a cache could not be purged; repeat the request'
      throw new Problem('not_purged', message, { cause, headers: { 'Retry-After': '1' } })
    }
  }

  /**
   * Refreshes memory and purges the caches after changes that no client waits for, unless another node has purged them.
   *
   * @param graceMs how long a node has to purge the caches for a change that it stored. The time runs from when this
   *   node first saw the change, because the nodes' clocks differ
   */
  async function propagateTransitions(graceMs: number): Promise<void> {
    const unpurged = await store.unpurged()
    const now = clock.monotonic()
    seen = new Map(unpurged.map((entry) => [entry, seen.get(entry) ?? now]))
    const due = unpurged.filter((entry) => now - (seen.get(entry) ?? now) >= graceMs)
    if (due.length === 0) return
    await propagate()
    await store.markPurged(due)
  }

  /** Logs a failed purge instead of rejecting. */
  async function logging(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const message = 'could not purge a cache; the next purge covers this change too'
      log.warn({ error: describeError(error) }, message)
    }
  }

  /**
   * Doesn't reject if a purge fails, because the timekeeper retries the purge. A rejection would let a broken cache
   * stop the service from applying missed notifications.
   */
  const propagateUnattended = () => logging(() => propagateTransitions(0))

  /**
   * A refused write purges the caches too, because it may have stored starts and ends that were due, or may repeat a
   * write whose purge failed. If the purge fails, the client still gets the refusal, because the change that it asked
   * for wasn't stored.
   */
  const finish = <T extends object>(write: () => Promise<T | Refusal>): Promise<T> =>
    during(async () => {
      const result = await write()
      if ('refused' in result) {
        await logging(propagate)
        throw REFUSALS[result.refused]()
      }
      await propagate()
      return result
    })

  /** Runs a write that no client waits for. */
  const unattended = (write: () => Promise<boolean>): Promise<void> =>
    during(async () => {
      await write()
      await propagateUnattended()
    })

  const context = (author: Author) => ({ now: clock.now(), ...author })

  return {
    /** Publishes an announcement, or schedules it if it starts later (contract A12, A14). */
    publish: ({ draft, startsAt }: Posting, author: Author) =>
      finish<Written>(() =>
        startsAt === null
          ? store.publish(draft, context(author))
          : store.schedule(draft, startsAt, context(author)),
      ),
    /** Replaces a published or scheduled announcement in place (A18). @throws Problem `not_found`, `invalid_body` */
    edit: (id: string, { draft, startsAt }: Posting, author: Author) =>
      finish<Written>(() => store.edit(id, draft, startsAt, context(author))),
    withdraw: (selector: Selector, author: Author) =>
      finish(() => store.withdraw(selector, context(author))),
    /** @throws Problem `not_found`, `conflict` (contract R9) */
    undo: (entry: number | null, author: Author) =>
      finish(() => store.undo(entry, context(author))),
    applyNotification: (notification: CouponNotification) =>
      during(async () => {
        const receipt = await store.applyNotification(notification, clock.now())
        if (notification.unattended) await propagateUnattended()
        // Every write stores the starts and ends that are due, even the write for a notification without an effect.
        else if (notification.effect.kind === 'none') await propagateTransitions(0)
        else await propagate()
        return receipt
      }),
    /** Takes an offer down for good (contract T3). Does nothing if the stored `asked_at` is no longer `askedAt`. */
    takeDownOffer: (id: string, reason: Reason, askedAt: number) =>
      unattended(() => store.offers.takeDown(id, reason, askedAt, clock.now())),
    /** Takes an offer off the pages until {@link resumeOffer}. Does nothing if `asked_at` is no longer `askedAt`. */
    pauseOffer: (id: string, reason: Reason, askedAt: number) =>
      unattended(() => store.offers.pause(id, reason, askedAt, clock.now())),
    /** Shows the paused offer again, if there is one. */
    resumeOffer: () => unattended(() => store.offers.resume(clock.now())),
    /**
     * Stores the starts and ends that are due, and then purges the caches (contract A14). If another node has just
     * stored a start or an end, that node gets {@link GRACE_MS} to purge the caches.
     */
    recordTransitions: () =>
      during(async () => {
        const ours = await store.recordTransitions(clock.now())
        await propagateTransitions(ours ? 0 : graceMs)
      }),
    /** Whether a write is in progress. If so, a response made now may soon be out of date. */
    writing: () => writes > 0,
  }
}

/** How long a purge may take. A purge that never ended would keep its request waiting, or stop the timekeeper. */
const PURGE_MS = 10_000

/** How long the node that stored a change has to purge the caches before another node purges them. */
const GRACE_MS = 5_000

const conflict = (reason: UndoRefusal, message: string) => () =>
  new Problem('conflict', message, { details: { reason } })

const cannotEdit = (refusal: EditRefusal) => () => invalidBody([editIssue(refusal)])

const REFUSALS: Record<Refusal['refused'], () => Problem> = {
  other_type: cannotEdit('other_type'),
  already_published: cannotEdit('already_published'),
  outlasts_coupon: cannotEdit('outlasts_coupon'),
  changed: () =>
    new Problem('precondition_failed', 'Your copy is out of date; read it again, then try again'),
  full: () => invalidBody([SCHEDULE_FULL]),
  not_found: () => new Problem('not_found', 'No such announcement or entry; it may be gone by now'),
  not_undoable: conflict('not_undoable', "That kind of history entry can't be undone"),
  changed_since: conflict(
    'changed_since',
    'The event has changed since that entry, or the entry is already undone; see the history',
  ),
  ended: conflict('ended', 'The announcement to restore has ended, or its start has passed'),
}
