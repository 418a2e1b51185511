import type { Scheduled } from '../announcement.ts'
import { type HistoryEntry, isSame, isScheduled } from '../history.ts'
import { beginWrite, type Change, toEntry, type WriteTransaction } from './changes.ts'
import type { Schema } from './migrations.ts'
import { type Db, sql } from './sql.ts'
import type { Refusal, UndoResult, WriteContext } from './store.ts'
import { isOver, MAX_SCHEDULED, slotOf } from './verbs.ts'

/**
 * Restores the slot as it was before an entry, with the id and the timestamp of what was there. So an older announcement
 * doesn't jump ahead of a newer one (contract R9).
 *
 * @param id `null` for the last entry that changed something and is not itself an undo. So the repeat of an undo whose
 *   answer was lost does not undo the undo
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
  const { action, before, after } = entry
  if (action === 'ignored' || action === 'ended') return { refused: 'not_undoable' }
  if (!stillStands(writing, entry)) return { refused: 'changed_since' }
  if (before && isOver(before, now)) return { refused: 'ended' }
  if (before && isScheduled(before) && !after) {
    if (writing.board.scheduled.length >= MAX_SCHEDULED) return { refused: 'full' }
  }
  const by = { ...who, undoing: entry.id }
  const change: Change = { action: actionOf(after, before), by, before: after, after: before }
  return { ...change, entry: await writing.make(change) }
}

/** The entry that {@link undo} would undo. */
export async function findUndoable(db: Db, id: number | null): Promise<HistoryEntry | undefined> {
  const last = sql`action not in ('ignored', 'ended') and by not like '%"undoing":%'
    order by id desc limit 1`
  const which = id === null ? last : sql`id = ${id}`
  const { rows } = await sql<Schema['history']>`select * from history where ${which}`.execute(db)
  return rows[0] && toEntry(rows[0])
}

/** Whether what an entry changed is still as the entry left it, and what it took away is nowhere else by now. */
function stillStands(writing: WriteTransaction, { before, after }: HistoryEntry): boolean {
  const { events, scheduled } = writing.board
  // A scheduled announcement may have started under its id, even as another type. Two can't be stored under one id.
  const elsewhere = [...events, ...scheduled].some(({ id }) => id === before?.id)
  if (elsewhere && before?.id !== after?.id) return false
  const find = ({ id }: { id: string }) => scheduled.find((one) => one.id === id)
  if (after) {
    const now = isScheduled(after) ? find(after) : slotOf(writing, after.type)
    return now !== null && now !== undefined && isSame(now, after)
  }
  if (!before) return false
  return isScheduled(before) || slotOf(writing, before.type) === null
}

function actionOf(before: Change['before'], after: Change['after']): Change['action'] {
  if ((after ?? before) && isScheduled((after ?? before) as Scheduled)) {
    return after ? 'scheduled' : 'withdrawn'
  }
  if (!after) return 'withdrawn'
  return before ? 'replaced' : 'published'
}
