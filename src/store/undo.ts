import { MAX_SCHEDULED, type Scheduled } from '../core/announcement.ts'
import { type HistoryEntry, isScheduled, NOT_UNDOABLE, undoRefusal } from '../core/history.ts'
import { beginWrite, type Change, findEntries } from './changes.ts'
import { type Db, sql } from './sql.ts'
import type { Refusal, UndoResult, WriteContext } from './store.ts'

/**
 * Restores the slot as it was before an entry, with the id and the timestamp of the previous announcement, so an older
 * one doesn't overtake a newer one (contract R9).
 *
 * @param id `null` for the last entry that changed something and is not itself an undo, so repeating an undo whose
 *   answer was lost doesn't undo the undo
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
 * The scheduled announcement that this entry published early. The entry before it records its removal from the
 * schedule.
 */
async function takenFromSchedule(db: Db, { id, after }: HistoryEntry): Promise<Scheduled | null> {
  const [entry] = await findEntries(db, sql`id = ${id - 1}`)
  if (entry?.action !== 'edited' || entry.after !== null) return null
  const { before } = entry
  return before && isScheduled(before) && before.id === after?.id ? before : null
}

/** The entry that {@link undo} would undo. */
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
