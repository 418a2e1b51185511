import type { Client } from '../client/client.ts'
import type {
  Announcement,
  Scheduled,
  WireAnnouncement,
  WireScheduled,
} from '../core/announcement.ts'
import { advance, type Board, nextTransition, pickAt } from '../core/board.ts'

/** What the API tells of the slots and the schedule, as the rules of `board.ts` take it. */
export async function boardFrom(client: Client): Promise<Board> {
  const [slots, coming] = await Promise.all([client.slots(), client.scheduled()])
  const events = slots.map(toAnnouncement)
  const scheduled = coming.map(toScheduled)
  const last = Math.max(0, ...events.map(({ timestamp }) => timestamp))
  const paused = slots.flatMap(({ id, pausedSince }) =>
    pausedSince === undefined ? [] : [{ id, since: Number(pausedSince) }],
  )
  return { events, scheduled, last, paused: paused[0] ?? null }
}

const BY = { via: 'api' } as const

function draftOf(wire: WireAnnouncement | WireScheduled) {
  const { icon = null, expiresAt, translations = null } = wire
  return {
    ...wire,
    icon,
    expiresAt: expiresAt === undefined ? null : Number(expiresAt),
    translations,
  }
}

function toAnnouncement(wire: WireAnnouncement): Announcement {
  const { timestamp, coupon = null } = wire
  return { ...draftOf(wire), timestamp: Number(timestamp), coupon, by: BY }
}

function toScheduled(wire: WireScheduled, order: number): Scheduled {
  return { ...draftOf(wire), startsAt: Number(wire.startsAt), order, by: BY }
}

/** What a draft takes the place of if it goes up at an instant: what is up of its type by then, but itself. */
export function replacedAt(
  board: Board,
  { id, type }: { id: string; type: string },
  at: number,
): Announcement | null {
  const scheduled = board.scheduled.filter((one) => one.id !== id)
  const { events } = advance({ ...board, scheduled }, at).board
  return events.find((event) => event.type === type) ?? null
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
