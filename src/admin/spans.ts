import type { Announcement } from '../core/announcement.ts'
import { advance, type Board, nextTransition, pickAt } from '../core/board.ts'

/**
 * The announcement that a draft would replace at an instant: the event of its type by then, unless that is the draft's
 * own.
 */
export function replacedAt(
  board: Board,
  { id, type }: { id: string; type: string },
  at: number,
): Announcement | null {
  const others = (one: { id: string }) => one.id !== id
  const events = board.events.filter(others)
  const then = advance({ ...board, events, scheduled: board.scheduled.filter(others) }, at).board
  return then.events.find((event) => event.type === type) ?? null
}

/** A span of time in which one announcement shows, or none. */
export interface Span {
  /** Milliseconds since 1970. */
  from: number
  /** `null` for the last span, whose end is unknown. */
  until: number | null
  event: Announcement | null
}

/** What shows from now on, by what is known now (contract R7). */
export function spansOf(board: Board, now: number): Span[] {
  const spans: Span[] = []
  for (let at = now; at !== Number.POSITIVE_INFINITY; at = nextTransition(board, at)) {
    const event = pickAt(board, at)
    const last = spans.at(-1)
    if (last?.event?.id === event?.id && last) continue
    if (last) last.until = at
    spans.push({ from: at, until: null, event })
  }
  return spans
}
