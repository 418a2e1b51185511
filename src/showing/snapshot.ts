import { type Announcement, type Scheduled, toWire } from '../core/announcement.ts'
import { advance, type Board, newest, nextTransition, slotOf } from '../core/board.ts'
import { checksum } from '../core/checksum.ts'

/** The live announcement and its response. The object stays the same until a change, so it can be a cache key. */
export interface Snapshot {
  readonly event: Announcement | null
  /** The body of `GET /api/events`, in UTF-8. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The strong ETag of the body, with its quotes. */
  readonly etag: string
  /** Whether this is only the last known announcement, because the database can't be reached (contract R3). */
  readonly stale: boolean
}

export function finish(event: Announcement | null, stale = false): Snapshot {
  const text = bodyOf(event)
  return { event, body: new TextEncoder().encode(text), etag: tagOf(event, text), stale }
}

const bodyOf = (event: Announcement | Scheduled | null) =>
  JSON.stringify({ event: event && toWire(event) })

/** Returns the ETag of a published or scheduled announcement; for `null`, that of a response without one. */
export function tagOf(event: Announcement | Scheduled | null, text = bodyOf(event)): string {
  // An edit keeps the announcement's id, so the checksum tells the versions apart.
  return `"${event?.id ?? 'none'}.${checksum(text)}"`
}

/** The announcement that was chosen to show at one instant. */
export interface Choice {
  readonly event: Announcement | null
  /** When a start or an end makes a new choice necessary: milliseconds since 1970, or infinity. */
  readonly until: number
  /** Whether a start or an end is due that no writer has stored yet. */
  readonly due: boolean
  /** The announcements that have ended, each identified by its id and end. */
  readonly ended: ReadonlySet<string>
  /** The announcements that have started and are still stored as scheduled. */
  readonly started: ReadonlySet<string>
}

/**
 * Chooses the announcement that shows. An announcement that has ended stays ended, and one that has started stays
 * started, even when the clock steps back. The choice remembers each start and end, not the latest time seen:
 * otherwise, a clock that was a year ahead for one second would end all announcements that are due to end in that year.
 *
 * A start is forgotten once anything is published, or the event that the start replaced is withdrawn. The store still
 * lists the started announcement as scheduled, so a remembered start would hide the new write (contract R3).
 *
 * @param before the previous choice
 */
export function choose(board: Board, now: number, before?: Choice): Choice {
  const startOf = ({ id, startsAt, type }: Scheduled) =>
    [id, startsAt, board.last, slotOf(board, type)?.id].join(' ')
  const hasStarted = (one: Scheduled) =>
    one.startsAt <= now || before?.started.has(startOf(one)) === true
  const { board: advanced, transitions } = advance(board, now, hasStarted)
  const over = transitions.flatMap((it) => (it.action === 'ended' && it.before) || [])
  const known = [...board.events, ...board.scheduled].map(nameOf)
  const ended = new Set([...known.filter((name) => before?.ended.has(name)), ...over.map(nameOf)])
  return {
    event: newest({
      ...advanced,
      events: advanced.events.filter((event) => !ended.has(nameOf(event))),
    }),
    // Computed from the stored board: if the clock steps back, a remembered start is still to be stored when its time
    // comes again.
    until: nextTransition(board, now),
    due: transitions.some(({ at }) => at <= now),
    ended,
    started: new Set(board.scheduled.filter(hasStarted).map(startOf)),
  }
}

const nameOf = ({ id, expiresAt }: { id: string; expiresAt: number | null }) => `${id} ${expiresAt}`
