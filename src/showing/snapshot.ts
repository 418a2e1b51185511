import { type Announcement, bodyOf, etagOf } from '../core/announcement.ts'
import { advance, type Board, newest, nextTransition } from '../core/board.ts'

/** The live announcement and its response. The object stays the same until a change, so it can be a cache key. */
export interface Snapshot {
  /** The live announcement, or `null`. */
  readonly event: Announcement | null
  /** The body of `GET /api/events`, in UTF-8. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The strong ETag of the body, with its quotes. */
  readonly etag: string
  /** Whether this is only the last known announcement, because the database can't be reached (contract R3). */
  readonly stale: boolean
}

export function createSnapshot(event: Announcement | null, stale = false): Snapshot {
  const text = bodyOf(event)
  return { event, body: new TextEncoder().encode(text), etag: etagOf(event, text), stale }
}

/** Which announcement is live at an instant, and the period in which that holds. */
export interface Choice {
  readonly event: Announcement | null
  /**
   * The instant of the latest start or end that is due and not stored yet, or minus infinity. If the clock is set back
   * to before this instant, a new choice is necessary.
   */
  readonly since: number
  /** When a start or an end makes a new choice necessary: milliseconds since 1970, or infinity. */
  readonly until: number
}

export function choose(board: Board, now: number): Choice {
  const { board: advanced, transitions } = advance(board, now)
  return {
    event: newest(advanced),
    since: transitions.at(-1)?.at ?? Number.NEGATIVE_INFINITY,
    until: nextTransition(board, now),
  }
}
