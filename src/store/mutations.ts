import type { Announcement, By, Draft, Scheduled } from '../core/announcement.ts'
import { editRefusals, isScheduleFull, slotOf, withId } from '../core/board.ts'
import {
  type HistoryEntry,
  isSame,
  isScheduled,
  NOT_UNDOABLE,
  undoRefusal,
} from '../core/history.ts'
import {
  beginWrite,
  type Change,
  findEntries,
  recordDecision,
  type WriteTransaction,
} from './changes.ts'
import { nextPosition } from './slots.ts'
import { type Db, type Runners, sql } from './sql.ts'
import type { Refusal, Store, WriteContext, Written } from './store.ts'

/** Creates the part of a store that changes announcements. */
export function createMutations(
  transaction: Runners['transaction'],
): Pick<Store, 'publish' | 'schedule' | 'edit' | 'withdraw' | 'undo'> {
  /** Runs work in a transaction if the board is as the author expects. */
  const change = <T>(
    { now, expects }: WriteContext,
    work: (writing: WriteTransaction, db: Db) => Promise<T | Refusal>,
  ): Promise<T | Refusal> =>
    transaction(async (db) => {
      const writing = await beginWrite(db, now)
      return expects && !expects(writing.board) ? { refused: 'changed' } : work(writing, db)
    })

  return {
    publish: (draft, context) =>
      change(context, (writing) => publishInSlot(writing, draft, context.by)),

    schedule: (draft, startsAt, context) =>
      change(context, async (writing, db) => {
        const { by } = context
        const { scheduled } = writing.board
        const one: Scheduled = { id: crypto.randomUUID(), ...draft, startsAt, order: 0, by }
        // After a 503, a client may resend a draft that was stored, so a draft equal to the latest for its type and
        // start isn't added. A draft equal to an earlier one is added, so that it replaces the latest when both start.
        const latest = scheduled.findLast((it) => it.type === one.type && it.startsAt === startsAt)
        if (latest && isSame(latest, { ...one, id: latest.id })) return { announcement: latest }
        if (isScheduleFull(writing.board)) return { refused: 'full' }
        const after = { ...one, order: await nextPosition(db) }
        const entry = await writing.make({ action: 'scheduled', by, before: null, after })
        return { announcement: after, entry }
      }),

    edit: (id, draft, startsAt, { now, by, expects }) =>
      transaction(async (db) => {
        const writing = await beginWrite(db, now)
        const before = withId(writing.board, id)
        if (expects && !expects(writing.board, before)) return { refused: 'changed' }
        if (!before) return { refused: 'not_found' }
        let after: Announcement | Scheduled
        if (!isScheduled(before)) {
          const [refused] = editRefusals(before, draft, startsAt)
          if (refused) return { refused }
          after = { ...before, ...draft }
        } else if (startsAt === null) {
          // The draft has no start in the future, so the edited announcement is published now.
          await writing.make({ action: 'edited', by, before, after: null })
          return publishInSlot(writing, draft, by, { id })
        } else after = { ...before, ...draft, startsAt, by }
        if (isSame(before, after)) return { announcement: before }
        const entry = await writing.make({ action: 'edited', by, before, after })
        return { announcement: after, entry }
      }),

    withdraw: (selector, context) =>
      change(context, async (writing, db) => {
        const { by, now } = context
        const { board } = writing
        const type = 'type' in selector ? selector.type : undefined
        const before =
          'type' in selector ? slotOf(board, selector.type) : withId(board, selector.id)
        const scheduled = board.scheduled.filter((one) => one.type === type).length
        if (before) {
          const entry = await writing.make({ action: 'withdrawn', by, before, after: null })
          return { deleted: 1, scheduled, entry }
        }
        if (type === 'coupon') await recordDecision(db, now, now)
        return { deleted: 0, scheduled }
      }),

    /**
     * Restores the slot to its state before a history entry. The restored announcement has its previous id and
     * timestamp, so an older announcement doesn't overtake a newer one (contract R9).
     */
    undo: (id, { now, by: who, expects }) =>
      change({ now, by: who, expects }, async (writing, db) => {
        const entry = await findUndoable(db, id)
        if (!entry) return { refused: 'not_found' }
        const refused = undoRefusal(entry, writing.board, now)
        if (refused) return { refused }
        const { before, after } = entry
        const by = { ...who, undoing: entry.id }
        const change: Change = { action: actionOf(after, before), by, before: after, after: before }
        const done = { ...change, entry: await writing.make(change) }
        const taken = await takenFromSchedule(db, entry)
        if (taken && taken.startsAt > now && !isScheduleFull(writing.board)) {
          const again = { action: 'scheduled' as const, by: { ...who, undoing: entry.id - 1 } }
          await writing.make({ ...again, before: null, after: taken })
          return { ...done, after: taken }
        }
        return done
      }),
  }
}

interface Origin {
  /** The event's id. Default: a new random UUID. */
  id?: string
  coupon?: string | null
  /** Whether Stripe sent the coupon's notification in live mode; `null` if that isn't known. */
  live?: boolean | null
  unattended?: boolean | undefined
}

/** Publishes a draft in the slot for its type, replacing the announcement there. */
export async function publishInSlot(
  writing: WriteTransaction,
  draft: Draft,
  by: By,
  { id = crypto.randomUUID(), coupon = null, live, unattended }: Origin = {},
): Promise<Written<Announcement>> {
  const before = slotOf(writing.board, draft.type)
  const after: Announcement = { id, ...draft, timestamp: writing.stamp(), coupon, by }
  if (coupon !== null && draft.expiresAt !== null) after.couponEndsAt = draft.expiresAt
  if (typeof live === 'boolean') after.couponLive = live
  const action = before ? 'replaced' : 'published'
  const entry = await writing.make({ action, by, before, after, unattended })
  return { announcement: after, entry }
}

/**
 * Returns the scheduled announcement whose early publication this history entry records, or `null`. The preceding entry
 * records that the announcement was removed from the schedule.
 */
async function takenFromSchedule(db: Db, { id }: HistoryEntry): Promise<Scheduled | null> {
  const preceding = sql`id = ${id - 1} and action = 'edited' and after is null`
  const [removal] = await findEntries(db, preceding)
  return (removal?.before ?? null) as Scheduled | null
}

/** Finds the entry that an undo would undo. If `id` is `null`, skips undos, so repeating an undo doesn't reverse it. */
export async function findUndoable(db: Db, id: number | null): Promise<HistoryEntry | undefined> {
  const [first, ...others] = NOT_UNDOABLE
  const passedOver = others.reduce((list, one) => sql`${list}, ${one}`, sql`${first ?? ''}`)
  const last = sql`action not in (${passedOver}) and by not like '%"undoing":%'
    order by id desc limit 1`
  const [entry] = await findEntries(db, id === null ? last : sql`id = ${id}`)
  return entry
}

function actionOf(before: Change['before'], after: Change['after']): Change['action'] {
  if (!after) return 'withdrawn'
  if (before?.id === after.id) return 'edited'
  if (isScheduled(after)) return 'scheduled'
  return before ? 'replaced' : 'published'
}
