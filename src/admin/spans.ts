import type { Announcement } from '../core/announcement.ts'
import { advance, type Board, nextTransition, pickAt } from '../core/board.ts'

/** What a draft takes the place of if it goes up at an instant: what is up of its type by then, but itself. */
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

/** A span of time in which the same announcement shows, or none. */
export interface Span {
  /** Milliseconds since 1970. */
  from: number
  /** `null` for the last, which has no end that is known. */
  until: number | null
  event: Announcement | null
}

/** What shows from now on, as far as is known (contract R7). */
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
