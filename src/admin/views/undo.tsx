import type { ReactElement } from 'react'
import { newest } from '../../board.ts'
import type { WireAnnouncement, WireHistoryEntry, WireScheduled } from '../../client.ts'
import type { REASONS } from '../../history.ts'
import { undoRefusalOf } from '../board.ts'
import type { BoardProps } from './rows.tsx'

interface UndoProps extends BoardProps {
  entry: WireHistoryEntry
  /** All that the page shows. */
  entries: readonly WireHistoryEntry[]
  /** Whether these are not the newest. */
  older: boolean
}

/** What undoes an entry, or why that can't be done any more. */
export function Undo({
  entry,
  entries,
  board,
  now,
  words,
  base,
  older,
}: UndoProps): ReactElement | null {
  const { history } = words
  const { id, before, after } = entry
  const refusal = undoRefusalOf(entry, board, now) ?? (isRefused(entry, entries) && 'refused')
  if (refusal === 'not_undoable') return null
  if (refusal) {
    const isSpent = refusal === 'changed_since' && isUndone(id, entries)
    return <p className="hint">{history.noUndo[isSpent ? 'undone' : refusal]}</p>
  }
  const waitsFor = before && moreRecentThan(before, board)
  return (
    <details className="sure" name="sure">
      <summary>{history.undo}</summary>
      <form method="post" action={`${base}/undo`} data-deed={older ? 'leave' : ''}>
        <p>{before ? history.undoSure.back : history.undoSure.gone}</p>
        <p>
          <bdi>{(before ?? after)?.text}</bdi>
        </p>
        {waitsFor && <p className="hint">{words.now.waits[waitsFor]}</p>}
        <input type="hidden" name="id" value={id} />
        <button type="submit" className="primary">
          {history.undo}
        </button>
      </form>
    </details>
  )
}

/** The type of what goes on showing when this comes back, if its timestamp is the later one. */
function moreRecentThan(one: WireAnnouncement | WireScheduled, { events }: BoardProps['board']) {
  if ('startsAt' in one) return undefined
  const showing = newest(events.filter(({ type }) => type !== one.type))
  return showing && showing.timestamp > Number(one.timestamp) ? showing.type : undefined
}

/** Whether one of these entries undid it, and was not undone in turn. */
function isUndone(id: string, entries: readonly WireHistoryEntry[]): boolean {
  return entries.some((one) => one.by.undoing === id && !isUndone(one.id, entries))
}

/** Why the checkout refuses a coupon (contract W5). */
const REFUSALS = new Set<string | undefined>([
  'coupon_deleted',
  'coupon_expired',
  'coupon_used_up',
  'coupon_not_valid',
] satisfies (keyof typeof REASONS)[])

/** Whether Stripe, by these entries, said last that the checkout refuses the coupon that would come back. */
function isRefused({ before }: WireHistoryEntry, entries: readonly WireHistoryEntry[]): boolean {
  const coupon = before ? couponOf(before) : undefined
  if (coupon === undefined) return false
  const last = entries.find(
    ({ by, before, after }) =>
      by.via === 'stripe' &&
      [by.coupon, ...[before, after].map((one) => one && couponOf(one))].includes(coupon),
  )
  // Another coupon's deletion took it down, which says nothing of this one.
  if (last?.by.coupon !== undefined && last.by.coupon !== coupon) return false
  if (last?.action !== 'withdrawn') return last !== undefined && REFUSALS.has(last.reason)
  // What was taken down because Stripe was silent may come back.
  return !last.reason?.startsWith('Stripe: no answer')
}

const couponOf = (one: WireAnnouncement | WireScheduled) =>
  'coupon' in one ? one.coupon : undefined
