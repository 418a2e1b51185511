import type { Announcement, Scheduled } from '../core/announcement.ts'
import { type Board, byStart } from '../core/board.ts'
import { type Db, sql } from './sql.ts'

interface Row extends Pick<Announcement, 'id' | 'type' | 'expiresAt' | 'coupon'> {
  kind: 'event' | 'scheduled' | 'clock' | 'paused' | 'history'
  /** Depends on `kind`: an event's timestamp, a start, the last timestamp, `asked_at`, or the last history id. */
  instant: number
  position: number | null
  /** JSON of the fields that have no column of their own. */
  body: string
}

export async function loadBoard(db: Db): Promise<Board> {
  return (await loadAll(db)).board
}

/**
 * Reads, in one statement, everything that a write needs, so the result is consistent and costs one round trip.
 *
 * @returns the board, and the id of the newest history entry, 0 if there is none
 */
export async function loadAll(db: Db): Promise<{ board: Board; newest: number }> {
  const rows = await sql<Row>`
    select 'event' as kind, id, type, timestamp as instant, expires_at as "expiresAt", coupon,
      null as position, body from placard_event
    union all select 'scheduled', id, type, starts_at, expires_at, null, position, body
      from placard_scheduled
    union all select 'clock', '', '', last, null, null, null, '' from placard_clock
    union all select 'paused', paused, '', asked_at, null, null, null, '' from placard_offer
      where paused is not null
    union all select 'history', '', '', coalesce(max(id), 0), null, null, null, ''
      from placard_history`.execute(db)
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const [paused] = of('paused')
  const board = {
    // Sorting in the database would take as long as the rest of the statement.
    published: of('event').map(toAnnouncement).sort(byTimestamp),
    scheduled: of('scheduled').map(toScheduled).sort(byStart),
    last: of('clock')[0]?.instant ?? 0,
    paused: paused ? { id: paused.id, since: paused.instant } : null,
  }
  return { board, newest: of('history')[0]?.instant ?? 0 }
}

const byTimestamp = (a: Announcement, b: Announcement) => b.timestamp - a.timestamp

function toAnnouncement({ id, type, instant, expiresAt, coupon, body }: Row): Announcement {
  const own = { id, type, timestamp: instant, expiresAt, coupon }
  return { ...JSON.parse(body), ...own }
}

function toScheduled({ id, type, instant, expiresAt, position, body }: Row): Scheduled {
  const own = { id, type, expiresAt, startsAt: instant, order: position ?? 0 }
  return { ...JSON.parse(body), ...own }
}

const COLUMNS = ['id', 'type', 'timestamp', 'startsAt', 'order', 'expiresAt', 'coupon']

/** Returns, as JSON, the fields that have no column of their own, including fields that a later version stored. */
function bodyOf(one: Announcement | Scheduled): string {
  const others = Object.entries(one).filter(([name]) => !COLUMNS.includes(name))
  return JSON.stringify(Object.fromEntries(others))
}

/** Puts an event in the slot of its type, in one statement, so that the slot is never empty (contract A12). */
export async function putEvent(db: Db, event: Announcement): Promise<void> {
  const { id, type, timestamp, expiresAt, coupon } = event
  await sql`
    insert into placard_event (id, type, timestamp, expires_at, coupon, body)
    values (${id}, ${type}, ${timestamp}, ${expiresAt}, ${coupon}, ${bodyOf(event)})
    on conflict (type) do update set
      id = excluded.id, timestamp = excluded.timestamp, expires_at = excluded.expires_at,
      coupon = excluded.coupon, body = excluded.body`.execute(db)
}

export async function removeEvent(db: Db, id: string): Promise<void> {
  await sql`delete from placard_event where id = ${id}`.execute(db)
}

/** Adds an announcement to the schedule, or replaces the scheduled one that has the same id. */
export async function putScheduled(db: Db, scheduled: Scheduled): Promise<void> {
  const { id, type, startsAt, expiresAt, order } = scheduled
  await sql`
    insert into placard_scheduled (id, type, starts_at, expires_at, position, body)
    values (${id}, ${type}, ${startsAt}, ${expiresAt}, ${order}, ${bodyOf(scheduled)})
    on conflict (id) do update set
      type = excluded.type, starts_at = excluded.starts_at, expires_at = excluded.expires_at,
      position = excluded.position, body = excluded.body`.execute(db)
}

export async function removeScheduled(db: Db, id: string): Promise<void> {
  await sql`delete from placard_scheduled where id = ${id}`.execute(db)
}

/** Assigns the `order` of a new scheduled announcement. No number is assigned twice, even after an undo. */
export async function nextPosition(db: Db): Promise<number> {
  const [row] = await sql<{ position: number }>`
    update placard_clock set position = position + 1 returning position`.execute(db)
  return row?.position ?? 0
}
