/**
 * What shows at an instant is a pure function of what is stored and that instant. Readers compute it, `?at=` looks
 * ahead with it, and writers store what it says has become due: one rule, so all of them agree (contract A14).
 */
import { type Announcement, hasEnded, type Scheduled } from './announcement.ts'

/** All that a store has to say: the event of each type, the scheduled ones, the last timestamp given. */
export interface Board {
  readonly events: readonly Announcement[]
  readonly scheduled: readonly Scheduled[]
  /** Milliseconds since 1970; the next timestamp is later (contract R1). */
  readonly last: number
}

/** What time alone brings about: a scheduled one becomes the event of its type, or an event ends. */
export interface Turn {
  readonly action: 'started' | 'ended'
  /** The instant that it belongs to, however late somebody notices: milliseconds since 1970. */
  readonly at: number
  readonly before: Announcement | null
  readonly after: Announcement | null
}

/**
 * Lets time pass on the board: every start and every end that is due at `now`, in the order of their instants. At one
 * instant an end comes first, so what starts then replaces nothing that is gone.
 */
export function advance(board: Board, now: number): { board: Board; turns: Turn[] } {
  const due = board.scheduled.filter(({ startsAt }) => startsAt <= now).toSorted(byStart)
  const turns: Turn[] = []
  let { events, last } = board

  function endUntil(instant: number) {
    for (const before of events.toSorted(byEnd)) {
      if (!hasEnded(before, instant)) continue
      turns.push({ action: 'ended', at: before.expiresAt as number, before, after: null })
      events = events.filter((event) => event !== before)
    }
  }

  for (const { startsAt, order: _, ...draft } of due) {
    endUntil(startsAt)
    last = Math.max(startsAt, last + 1)
    const after: Announcement = { ...draft, timestamp: last, coupon: null }
    const before = events.find(({ type }) => type === after.type) ?? null
    turns.push({ action: 'started', at: startsAt, before, after })
    events = [...events.filter((event) => event !== before), after]
  }
  endUntil(now)

  if (turns.length === 0) return { board, turns }
  const scheduled = board.scheduled.filter(({ startsAt }) => startsAt > now)
  return { board: { events, scheduled, last }, turns }
}

/** What shows at an instant: the newest event by then, or `null` (spec 1). */
export function pickAt(board: Board, now: number): Announcement | null {
  return newest(advance(board, now).board.events)
}

export function newest(events: readonly Announcement[]): Announcement | null {
  return events.reduce<Announcement | null>(
    (latest, event) => (latest && latest.timestamp > event.timestamp ? latest : event),
    null,
  )
}

/** When time next brings something about after `now`: milliseconds since 1970, or infinity. */
export function nextTurn(board: Board, now: number): number {
  const { events, scheduled } = advance(board, now).board
  return Math.min(
    ...events.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY),
    ...scheduled.map(({ startsAt }) => startsAt),
  )
}

function byStart(a: Scheduled, b: Scheduled): number {
  return a.startsAt - b.startsAt || a.order - b.order
}

function byEnd(a: Announcement, b: Announcement): number {
  return (a.expiresAt ?? Number.POSITIVE_INFINITY) - (b.expiresAt ?? Number.POSITIVE_INFINITY) || 0
}
