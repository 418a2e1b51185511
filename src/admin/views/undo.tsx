/** @jsxImportSource hono/jsx */
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { newest } from '../../core/board.ts'
import { isScheduled } from '../../core/history.ts'
import type { ToldEntry } from '../../http/history.ts'
import type { BoardProps } from './rows.tsx'

interface UndoProps extends BoardProps {
  entry: ToldEntry
  /** All entries of the page. */
  entries: readonly ToldEntry[]
}

/** A button that undoes an entry, or why that isn't possible. */
export function Undo({ entry, entries, board, words, base }: UndoProps): JSX.Element | null {
  const { history } = words
  const { id, before, after, undo } = entry
  if (undo === 'not_undoable') return null
  if (undo !== 'possible') {
    const reasons: Record<string, string> = history.noUndo
    const isSpent = undo === 'changed_since' && isUndone(id, entries)
    return <p class="hint">{reasons[isSpent ? 'undone' : undo] ?? history.noUndo.refused}</p>
  }
  const waitsFor = before && moreRecentThan(before, board)
  return (
    <details class="sure" name="sure">
      <summary>{history.undo}</summary>
      <form method="post" action={`${base}/undo`} data-deed>
        <p>{before ? history.undoSure.back : history.undoSure.gone}</p>
        <p>
          <bdi>{(before ?? after)?.text}</bdi>
        </p>
        {waitsFor && <p class="hint">{words.now.waits[waitsFor]}</p>}
        <input type="hidden" name="id" value={String(id)} />
        <input type="hidden" name="view" value="history" />
        <button type="submit" class="primary">
          {history.undo}
        </button>
      </form>
    </details>
  )
}

/** The type of a more recent announcement, which would go on showing after the undo. */
function moreRecentThan(one: Announcement | Scheduled, board: BoardProps['board']) {
  if (isScheduled(one)) return undefined
  const showing = newest({ ...board, events: board.events.filter(({ type }) => type !== one.type) })
  return showing && showing.timestamp > one.timestamp ? showing.type : undefined
}

/** Whether one of these entries undid it, and wasn't undone itself. */
function isUndone(id: number, entries: readonly ToldEntry[]): boolean {
  return entries.some((one) => one.by.undoing === id && !isUndone(one.id, entries))
}
