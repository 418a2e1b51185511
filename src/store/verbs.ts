import {
  type Announcement,
  type By,
  type Draft,
  MAX_SCHEDULED,
  type Scheduled,
  type Selector,
} from '../core/announcement.ts'
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
  noteDecision,
  type WriteTransaction,
} from './changes.ts'
import { nextPosition } from './slots.ts'
import { type Db, sql } from './sql.ts'
import type { Refusal, UndoResult, WithdrawResult, WriteContext } from './store.ts'

async function begin(
  db: Db,
  { now, expects, wrote }: WriteContext,
): Promise<WriteTransaction | Refusal> {
  const writing = await beginWrite(db, now, wrote)
  return expects && !expects(writing.board) ? { refused: 'changed' } : writing
}

export async function publish(
  db: Db,
  draft: Draft,
  context: WriteContext,
): Promise<Announcement | Refusal> {
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  return putUp(writing, draft, context.by)
}

interface Origin {
  /** The event's id. Default: a new random UUID. */
  id?: string
  coupon?: string | null
  /** Whether Stripe sent the coupon's notification in live mode; `null` if that isn't known. */
  live?: boolean | null
  unattended?: boolean | undefined
}

/** Puts a new event in the slot of its type. */
export async function putUp(
  writing: WriteTransaction,
  draft: Draft,
  by: By,
  { id = crypto.randomUUID(), coupon = null, live, unattended }: Origin = {},
): Promise<Announcement> {
  const before = slotOf(writing, draft.type)
  const after: Announcement = { id, ...draft, timestamp: writing.stamp(), coupon, by }
  if (coupon !== null && draft.expiresAt !== null) after.couponEndsAt = draft.expiresAt
  if (typeof live === 'boolean') after.couponLive = live
  await writing.make({ action: before ? 'replaced' : 'published', by, before, after, unattended })
  return after
}

export async function schedule(
  db: Db,
  draft: Draft,
  startsAt: number,
  context: WriteContext,
): Promise<Scheduled | Refusal> {
  const { by } = context
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  const scheduled = writing.board.scheduled.toSorted((a, b) => a.order - b.order)
  const one: Scheduled = { id: crypto.randomUUID(), ...draft, startsAt, order: 0, by }
  // A draft equal to the latest scheduled one counts as a repeat, because a request that got 503 may have been stored.
  // If the draft equals an older one, it isn't a repeat: at the start, the draft should replace the latest one.
  const latest = scheduled.findLast((one) => one.type === draft.type && one.startsAt === startsAt)
  if (latest && isSame(latest, { ...one, id: latest.id })) return latest
  if (scheduled.length >= MAX_SCHEDULED) return { refused: 'full' }
  const after = { ...one, order: await nextPosition(db) }
  await writing.make({ action: 'scheduled', by, before: null, after })
  return after
}

/** Replaces a published or a scheduled announcement in place. */
export async function edit(
  db: Db,
  id: string,
  draft: Draft,
  startsAt: number | null,
  { now, by, expects, wrote }: WriteContext,
): Promise<Scheduled | Announcement | Refusal> {
  const writing = await beginWrite(db, now, wrote)
  const { events, scheduled } = writing.board
  const before = [...events, ...scheduled].find((one) => one.id === id)
  if (expects && !expects(writing.board, before)) return { refused: 'changed' }
  if (!before) return { refused: 'not_found' }
  if (!isScheduled(before)) {
    const refused = refusalOf(before, draft, startsAt)
    if (refused) return { refused }
    const after: Announcement = { ...before, ...draft }
    if (isSame(before, after)) return before
    await writing.make({ action: 'edited', by, before, after })
    return after
  }
  if (startsAt === null) {
    // Without a start in the future, the edited announcement is published now.
    await writing.make({ action: 'edited', by, before, after: null })
    return putUp(writing, draft, by, { id })
  }
  const after: Scheduled = { ...before, ...draft, startsAt, by }
  if (isSame(before, after)) return before
  await writing.make({ action: 'edited', by, before, after })
  return after
}

/** Returns why a draft can't replace a published announcement in place, or `undefined` if it can. */
function refusalOf(
  { type, couponEndsAt = Number.POSITIVE_INFINITY }: Announcement,
  draft: Draft,
  startsAt: number | null,
): Refusal['refused'] | undefined {
  if (draft.type !== type) return 'other_type'
  if (startsAt !== null) return 'is_up'
  return (draft.expiresAt ?? Number.POSITIVE_INFINITY) > couponEndsAt
    ? 'outlasts_coupon'
    : undefined
}

export async function withdraw(
  db: Db,
  selector: Selector,
  context: WriteContext,
): Promise<WithdrawResult | Refusal> {
  const { by } = context
  const writing = await begin(db, context)
  if ('refused' in writing) return writing
  const { events, scheduled } = writing.board
  const before =
    'type' in selector
      ? slotOf(writing, selector.type)
      : [...events, ...scheduled].find(({ id }) => id === selector.id)
  if (before) await writing.make({ action: 'withdrawn', by, before, after: null })
  else if ('type' in selector && selector.type === 'coupon') {
    await noteDecision(db, writing.now, writing.now)
  }
  const remaining =
    'type' in selector ? scheduled.filter(({ type }) => type === selector.type).length : 0
  return { deleted: before ? 1 : 0, scheduled: remaining }
}

/** Stores every start and end that is due at `now`. @returns whether any was due */
export async function recordTransitions(db: Db, now: number): Promise<boolean> {
  return (await beginWrite(db, now)).hadTransitions
}

export function slotOf(
  { board }: Pick<WriteTransaction, 'board'>,
  type: string,
): Announcement | null {
  return board.events.find((event) => event.type === type) ?? null
}

/**
 * Restores the slot as it was before a history entry. The restored announcement has its previous id and timestamp, so
 * an older announcement doesn't overtake a newer one (contract R9).
 *
 * @param id the entry to undo; `null` for the last entry that is neither an undo nor `not_undoable`, so that repeating
 *   an undo whose response was lost doesn't undo the undo
 */
export async function undo(
  db: Db,
  id: number | null,
  { now, by: who, expects }: WriteContext,
): Promise<UndoResult | Refusal> {
  const writing = await beginWrite(db, now)
  if (expects && !expects(writing.board)) return { refused: 'changed' }
  const entry = await findUndoable(db, id)
  if (!entry) return { refused: 'not_found' }
  const refused = undoRefusal(entry, writing.board, now)
  if (refused) return { refused }
  const { before, after } = entry
  const by = { ...who, undoing: entry.id }
  const change: Change = { action: actionOf(after, before), by, before: after, after: before }
  const done = { ...change, entry: await writing.make(change) }
  const taken = await takenFromSchedule(db, entry)
  if (taken && taken.startsAt > now && writing.board.scheduled.length < MAX_SCHEDULED) {
    const undoing = entry.id - 1
    await writing.make({ action: 'scheduled', by: { ...who, undoing }, before: null, after: taken })
    return { ...done, after: taken }
  }
  return done
}

/**
 * Returns the scheduled announcement that a history entry published early, or `null`. The preceding entry records that
 * the announcement was removed from the schedule.
 */
async function takenFromSchedule(db: Db, { id, after }: HistoryEntry): Promise<Scheduled | null> {
  const [entry] = await findEntries(db, sql`id = ${id - 1}`)
  if (entry?.action !== 'edited' || entry.after !== null) return null
  const { before } = entry
  return before && isScheduled(before) && before.id === after?.id ? before : null
}

/** Finds the history entry that {@link undo} would undo. */
export async function findUndoable(db: Db, id: number | null): Promise<HistoryEntry | undefined> {
  const [first, ...others] = NOT_UNDOABLE
  const passedOver = others.reduce((list, one) => sql`${list}, ${one}`, sql`${first ?? ''}`)
  const last = sql`action not in (${passedOver}) and by not like '%"undoing":%'
    order by id desc limit 1`
  const [entry] = await findEntries(db, id === null ? last : sql`id = ${id}`)
  return entry
}

function actionOf(before: Change['before'], after: Change['after']): Change['action'] {
  if (before && before.id === after?.id && isScheduled(before) === isScheduled(after))
    return 'edited'
  if ((after ?? before) && isScheduled((after ?? before) as Scheduled)) {
    return after ? 'scheduled' : 'withdrawn'
  }
  if (!after) return 'withdrawn'
  return before ? 'replaced' : 'published'
}
