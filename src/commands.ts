import type { Announcement, Scheduled, Selector } from './core/announcement.ts'
import { type Clock, within } from './core/clock.ts'
import type { UndoRefusal } from './core/history.ts'
import { describeError, type Log } from './core/log.ts'
import { invalidBody, issueAt, type MessageCode } from './core/messages.ts'
import { Problem } from './core/problem.ts'
import { type Posting, SCHEDULE_FULL } from './core/schema.ts'
import type { Showing } from './showing/showing.ts'
import type { CouponNotification, Refusal, Store, WriteContext } from './store/store.ts'

/** The one tag of all output that depends on the announcement (spec 1). */
export const TAG = 'event'

/**
 * Drops what a cache has under a tag, at once (spec 6: expire 0). It is awaited before the write is answered. If it
 * rejects, or takes more than 10 s, the write gets 503, and a repeat runs it again (contract W7).
 */
export type InvalidationHook = (tag: typeof TAG) => void | Promise<void>

/** Who makes a change, and what their page shows, as far as they know (contract R8, A17). */
export type Author = Pick<WriteContext, 'by' | 'expects' | 'wrote'>

export type Commands = ReturnType<typeof createCommands>

/** The verbs, which are the only writers. Each resolves when the next read shows its effect. */
export function createCommands(
  store: Store,
  showing: Showing,
  invalidate: InvalidationHook,
  clock: Clock,
  log: Log,
) {
  let writes = 0
  /** When this node first saw each change that the caches may have missed, by its monotonic clock. */
  let seen = new Map<number, number>()
  /** A process that may end at any time can't check again later, so it purges at once. */
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
   * Shows everyone what was committed: this node's readers and open pages first, then the caches. The caches are purged
   * even if this node can't read the database.
   */
  async function propagate(): Promise<void> {
    await showing.refresh().finally(purge)
  }

  async function purge(): Promise<void> {
    try {
      const purged = invalidate(TAG)
      // A purge that is already done needs no timer.
      if (purged) await within(PURGE_MS, purged, 'the hook')
    } catch (cause) {
      const message = 'Stored, but a cache could not be purged; repeat the request'
      throw new Problem('not_purged', message, { cause, headers: { 'Retry-After': '1' } })
    }
  }

  /**
   * Purges for a change that no client waits for, unless another node has done so.
   *
   * @param graceMs how long the node that stored the change has to purge, counted from when this node saw it, because
   *   clocks differ
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

  /** Logs that a purge failed, and goes on. */
  async function logging(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      log.warn({ error: describeError(error) }, 'could not purge a cache; this is tried again')
    }
  }

  /**
   * A notification that was caught up with doesn't fail when a purge fails, because the timekeeper repeats the purge.
   * Otherwise a broken cache would stop catching up.
   */
  const propagateUnattended = () => logging(() => propagateTransitions(0))

  /**
   * A refused write may still have stored starts and ends that were due, or repeat one whose purge failed, so the purge runs
   * too. If that fails, the refusal is the answer all the same, because nothing of the write is stored.
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

  const context = (author: Author) => ({ now: clock.now(), ...author })

  return {
    /** Publishes an announcement, or schedules it if it starts later (contract A12, A14). */
    publish: ({ draft, startsAt }: Posting, author: Author) =>
      finish<Announcement | Scheduled>(() =>
        startsAt === null
          ? store.publish(draft, context(author))
          : store.schedule(draft, startsAt, context(author)),
      ),
    /** Replaces what is published or scheduled, in its place (A18). @throws Problem `not_found`, `invalid_body` */
    edit: (id: string, { draft, startsAt }: Posting, author: Author) =>
      finish<Announcement | Scheduled>(() => store.edit(id, draft, startsAt, context(author))),
    withdraw: (selector: Selector, author: Author) =>
      finish(() => store.withdraw(selector, context(author))),
    /** @throws Problem `not_found`, `conflict` (contract R9) */
    undo: (entry: number | null, author: Author) =>
      finish(() => store.undo(entry, context(author))),
    applyNotification: (notification: CouponNotification) =>
      during(async () => {
        const receipt = await store.applyNotification(notification, clock.now())
        if (notification.effect.kind === 'none' || notification.unattended) {
          await showing.refresh()
          // Even without an effect, the write stored the starts and ends that were due, like any write.
          await (notification.unattended ? propagateUnattended() : propagateTransitions(0))
        } else await propagate()
        return receipt
      }),
    /** Makes a change that no client waits for. A purge that fails is repeated later. */
    unattended: (write: () => Promise<unknown> | undefined): Promise<void> =>
      during(async () => {
        await write()
        await propagateUnattended()
      }),
    /**
     * Stores the starts and ends that are due, and purges the caches that may have missed one (contract A14). If
     * another node stored it just now, that node purges.
     */
    recordTransitions: () =>
      during(async () => {
        const ours = await store.recordTransitions(clock.now())
        await propagateTransitions(ours ? 0 : graceMs)
      }),
    /** Whether a write is under way, so that an answer read now may soon be out of date. */
    writing: () => writes > 0,
  }
}

/** How long a purge may take. A purge that never ended would block every later one on this node. */
const PURGE_MS = 10_000

/** How long the node that stored a start or an end has to purge the caches. Then another node does it. */
const GRACE_MS = 5_000

const conflict = (reason: UndoRefusal, message: string) => () =>
  new Problem('conflict', message, { details: { reason } })

const fault = (path: string, code: MessageCode) => () => invalidBody([issueAt(path, code)])

const REFUSALS: Record<Refusal['refused'], () => Problem> = {
  other_type: fault('type', 'fixed_type'),
  is_up: fault('startsAt', 'already_published'),
  outlasts_coupon: fault('expiresAt', 'outlasts_coupon'),
  changed: () =>
    new Problem(
      'precondition_failed',
      'Something else shows by now; look again before you change it',
    ),
  full: () => invalidBody([SCHEDULE_FULL]),
  not_found: () => new Problem('not_found', 'There is nothing with this id; it may be gone by now'),
  not_undoable: conflict('not_undoable', 'That entry changed nothing that could be undone'),
  changed_since: conflict(
    'changed_since',
    'The slot has changed since, or the entry is already undone; see the history',
  ),
  ended: conflict('ended', 'The previous announcement has ended or started since'),
}
