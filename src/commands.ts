import type { Announcement, By, Scheduled, Selector } from './announcement.ts'
import type { Clock } from './clock.ts'
import { Problem } from './problem.ts'
import type { Posting } from './schema.ts'
import type { Showing } from './showing/showing.ts'
import type {
  CouponNotification,
  Expectation,
  Receipt,
  Refusal,
  Store,
  Undone,
  WithdrawalCount,
} from './store/store.ts'

/** The one tag that every output depending on the announcement carries (spec 1). */
export const TAG = 'event'

/**
 * Drops what a cache in front or beside has under a tag, at once (spec 6: expire 0). Awaited before the write
 * is answered; if it rejects, the write answers 503 and a repeat runs it again (contract W7).
 */
export type InvalidationHook = (tag: typeof TAG) => void | Promise<void>

/** Who asks for a change, and what shows as far as they know (contract R8, A17). */
export interface Author {
  by: By
  expects?: Expectation | undefined
}

/** The verbs, and the only writers. Each resolves when the next read shows its effect. */
export interface Commands {
  /** Puts it up, or in the schedule if it starts later (contract A12, A14). */
  publish(posting: Posting, author: Author): Promise<Announcement | Scheduled>
  /** Replaces a scheduled one. @throws Problem `not_found` */
  reschedule(id: string, posting: Posting, author: Author): Promise<Announcement | Scheduled>
  withdraw(selector: Selector, author: Author): Promise<WithdrawalCount>
  /** @throws Problem `not_found`, `conflict` (contract R9) */
  undo(entry: number | null, author: Author): Promise<Undone>
  applyNotification(notification: CouponNotification): Promise<Receipt>
  /** Stores what time has brought about, and has the caches purged that don't know of it yet (contract A14). */
  settle(): Promise<void>
}

export function createCommands(
  store: Store,
  showing: Showing,
  invalidate: InvalidationHook,
  clock: Clock,
): Commands {
  /**
   * What was committed, told: to this node's readers and open pages, then to the caches.
   *
   * @param next what to do where a cache could not be told
   */
  async function tell(next = 'repeat the request'): Promise<void> {
    await showing.refresh()
    try {
      await invalidate(TAG)
    } catch (cause) {
      throw Problem.unavailable(`Done, but a cache could not be purged; ${next}`, cause)
    }
  }

  /** Tells of the starts and ends that were stored at `until` or before, where nobody has. */
  async function tellOfTurns(until: number): Promise<void> {
    const entries = await store.untold(until)
    if (entries.length === 0) return
    await tell()
    await store.told(entries)
  }

  /** A write that was refused may still have stored what time had brought about, so all is told either way. */
  async function told<T extends object>(write: Promise<T | Refusal>, next?: string): Promise<T> {
    const result = await write
    await tell(next)
    if ('refused' in result) throw REFUSALS[result.refused]()
    return result
  }

  const context = (author: Author) => ({ now: clock.now(), ...author })

  return {
    publish: ({ draft, startsAt }, author) =>
      told<Announcement | Scheduled>(
        startsAt === null
          ? store.publish(draft, context(author))
          : store.schedule(draft, startsAt, context(author)),
      ),
    reschedule: (id, { draft, startsAt }, author) =>
      told(store.reschedule(id, draft, startsAt, context(author))),
    withdraw: (selector, author) => told(store.withdraw(selector, context(author))),
    // A repeat without an id would undo what this one did.
    undo: (entry, author) =>
      told(store.undo(entry, context(author)), 'any further write purges it'),
    async applyNotification(notification) {
      const receipt = await store.applyNotification(notification, clock.now())
      if (notification.effect.kind === 'none') {
        await showing.refresh()
        // It changed nothing, but like any write it stored what was due.
        await tellOfTurns(clock.now())
      } else await tell()
      return receipt
    },
    async settle() {
      const ours = await store.settle(clock.now())
      await tellOfTurns(ours ? clock.now() : clock.now() - GRACE_MS)
    },
  }
}

/** How long a node has to tell the caches of a start or an end that it stored, before another one does. */
const GRACE_MS = 5_000

const conflict = (message: string) => () => new Problem('conflict', message)

const REFUSALS: Record<Refusal['refused'], () => Problem> = {
  changed: () =>
    new Problem(
      'precondition_failed',
      'Something else shows by now; look again before you change it',
    ),
  full: () =>
    Problem.invalidBody([
      { path: 'startsAt', message: 'must wait: 20 announcements are scheduled already' },
    ]),
  not_found: () => new Problem('not_found', 'There is no such entry; it may be gone by now'),
  not_undoable: conflict('That entry changed nothing that could be undone'),
  changed_since: conflict('Something else has changed there since; look at the history'),
  ended: conflict('What was there has ended by now, or has started'),
}
