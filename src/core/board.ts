/**
 * Computes which announcement shows at an instant, purely from the stored rows and that instant. Readers, writers and
 * `?at=` use the same functions, so their results agree (contract A14).
 */
import {
  type Announcement,
  type Draft,
  hasEnded,
  MAX_SCHEDULED,
  type Scheduled,
} from './announcement.ts'

/** The state that determines which announcement shows. */
export interface Board {
  readonly published: readonly Announcement[]
  readonly scheduled: readonly Scheduled[]
  /** The last assigned timestamp: milliseconds since 1970. The next timestamp must be later (contract R1). */
  readonly last: number
  /** The paused announcement, and the time of the last request that Stripe answered: ms since 1970 (contract T3). */
  readonly paused?: { readonly id: string; readonly since: number } | null
}

/** A change that time alone causes: a scheduled announcement starts, or an event ends. */
export interface Transition {
  readonly action: 'started' | 'ended'
  /** The instant at which the start or end was due, even if no process noticed it then: milliseconds since 1970. */
  readonly at: number
  readonly before: Announcement | null
  readonly after: Announcement | null
}

/**
 * Applies every start and end that is due at `now`, in chronological order. If a start and an end fall on the same
 * instant, the end is applied first, so a start never replaces an announcement that has ended.
 */
export function advance(board: Board, now: number): { board: Board; transitions: Transition[] } {
  const isDue = ({ startsAt }: Scheduled) => startsAt <= now
  const due = board.scheduled.filter(isDue).toSorted(byStart)
  const transitions: Transition[] = []
  let { published, last } = board

  function endUntil(instant: number) {
    for (const before of published.filter((one) => hasEnded(one, instant)).toSorted(byEnd)) {
      transitions.push({ action: 'ended', at: Number(before.expiresAt), before, after: null })
    }
    published = published.filter((one) => !hasEnded(one, instant))
  }

  for (const { startsAt, order: _, ...draft } of due) {
    endUntil(startsAt)
    last = Math.max(startsAt, last + 1)
    const after: Announcement = { ...draft, timestamp: last, coupon: null }
    const before = slotOf({ published }, after.type)
    transitions.push({ action: 'started', at: startsAt, before, after })
    published = [...published.filter((one) => one !== before), after]
  }
  endUntil(now)

  if (transitions.length === 0) return { board, transitions }
  const scheduled = board.scheduled.filter((one) => !isDue(one))
  return { board: { ...board, published, scheduled, last }, transitions }
}

/** Returns the announcement that shows at an instant: the newest that isn't paused, or `null` (spec 1, contract T3). */
export function pickAt(board: Board, now: number): Announcement | null {
  return newest(advance(board, now).board)
}

type Rows = Pick<Board, 'published' | 'scheduled'>

/** Finds a published or scheduled announcement by its id. */
export const withId = (rows: Rows, id: string | undefined): Announcement | Scheduled | undefined =>
  [...rows.published, ...rows.scheduled].find((one) => one.id === id)

/** The published announcement of a type: live, hidden or paused (spec 2). */
export const slotOf = (
  { published }: Pick<Board, 'published'>,
  type: string,
): Announcement | null => published.find((one) => one.type === type) ?? null

/** The announcement that a coupon published: live, hidden or paused. */
export const ofCoupon = ({ published }: Pick<Board, 'published'>): Announcement | null =>
  published.find(({ coupon }) => coupon !== null) ?? null

/** Returns the newest event that isn't paused, or `null`. */
export function newest({
  published,
  paused,
}: Pick<Board, 'published' | 'paused'>): Announcement | null {
  const shown = paused ? published.filter(({ id }) => id !== paused.id) : published
  return shown.reduce<Announcement | null>(
    (latest, event) => (latest && latest.timestamp > event.timestamp ? latest : event),
    null,
  )
}

/**
 * Returns the scheduled announcement that will cut the given announcement short: the first of the same type to start
 * before the given one ends; `null` if there is none.
 *
 * @param from milliseconds since 1970; announcements that start at or before this instant are ignored
 */
export function replacementOf(
  { scheduled }: Pick<Board, 'scheduled'>,
  { id, type, expiresAt }: { id: string; type: string; expiresAt: number | null },
  from: number,
): Scheduled | null {
  const end = expiresAt ?? Number.POSITIVE_INFINITY
  const coming = scheduled.filter(
    (one) => one.type === type && one.id !== id && one.startsAt > from && one.startsAt < end,
  )
  return coming.toSorted(byStart)[0] ?? null
}

/** Whether no other announcement can be scheduled (contract A14). */
export const isScheduleFull = ({ scheduled }: Pick<Board, 'scheduled'>): boolean =>
  scheduled.length >= MAX_SCHEDULED

/** Why a draft can't replace a published announcement in place (contract A18). */
export type EditRefusal = 'other_type' | 'already_published' | 'outlasts_coupon'

/**
 * Lists why a draft can't replace a published announcement in place: an edit can't change the announcement's type,
 * schedule it, or make it outlast its coupon (contract A18).
 *
 * @param startsAt milliseconds since 1970, in the future; `null` for a draft without a start
 */
export function editRefusals(
  { type, couponEndsAt = Number.POSITIVE_INFINITY }: Announcement,
  draft: { type: string; expiresAt: Draft['expiresAt'] },
  startsAt: number | null,
): EditRefusal[] {
  const end = draft.expiresAt ?? Number.POSITIVE_INFINITY
  return [
    ...(draft.type === type ? [] : ['other_type' as const]),
    ...(startsAt === null ? [] : ['already_published' as const]),
    ...(end <= couponEndsAt ? [] : ['outlasts_coupon' as const]),
  ]
}

/** The instant of the next start or end after `now`: milliseconds since 1970, or infinity if there is none. */
export function nextTransition(board: Board, now: number): number {
  const { published, scheduled } = advance(board, now).board
  return Math.min(
    ...published.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY),
    ...scheduled.map(({ startsAt }) => startsAt),
  )
}

/** Compares two scheduled announcements, to sort the soonest first. */
export function byStart(a: Scheduled, b: Scheduled): number {
  return a.startsAt - b.startsAt || a.order - b.order
}

function byEnd(a: Announcement, b: Announcement): number {
  return Number(a.expiresAt) - Number(b.expiresAt)
}
