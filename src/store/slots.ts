import type { Announcement, AnnouncementType, By, Draft, Scheduled } from '../announcement.ts'
import type { Board } from '../board.ts'
import type { Schema } from './migrations.ts'
import { type Db, sql } from './sql.ts'

type Row = Omit<Schema['event'], 'timestamp' | 'source'> & {
  kind: 'event' | 'scheduled' | 'clock' | 'history'
  /** By kind: the timestamp, the start, the last timestamp given, the last id. */
  instant: number
  source: string | null
  posted: number | null
}

export async function loadBoard(db: Db): Promise<Board> {
  return (await loadAll(db)).board
}

/**
 * Reads all that a write needs in one statement. So it is of one moment, and costs one round trip.
 *
 * @returns also the id of the newest entry of the history, 0 if it is empty
 */
export async function loadAll(db: Db): Promise<{ board: Board; newest: number }> {
  const { rows } = await sql<Row>`
    select 'event' as kind, id, text, type, slug, icon, timestamp as instant, expires_at, source,
      extras, null as posted from event
    union all select 'scheduled', id, text, type, slug, icon, starts_at, expires_at, null,
      extras, posted from scheduled
    union all select 'clock', '', '', '', '', null, last, null, null, null, null from clock
    union all select 'history', '', '', '', '', null, coalesce(max(id), 0), null, null, null, null
      from history`.execute(db)
  // Sorted here: the database takes as long for its order as for all the rest.
  const newestFirst = rows
    .filter(({ kind }) => kind === 'event')
    .sort((a, b) => b.instant - a.instant)
  const board = {
    events: newestFirst.map(toAnnouncement),
    scheduled: rows.filter(({ kind }) => kind === 'scheduled').map(toScheduled),
    last: rows.find(({ kind }) => kind === 'clock')?.instant ?? 0,
  }
  return { board, newest: rows.find(({ kind }) => kind === 'history')?.instant ?? 0 }
}

/** What has no column of its own. */
interface Extras {
  by: By
  translations?: Draft['translations']
}

function toAnnouncement(row: Row): Announcement {
  const { by } = extrasOf(row)
  return { id: row.id, ...draftOf(row), timestamp: row.instant, coupon: row.source, by }
}

function toScheduled(row: Row): Scheduled {
  const { by } = extrasOf(row)
  return { id: row.id, ...draftOf(row), startsAt: row.instant, order: row.posted ?? 0, by }
}

function draftOf(row: Row): Draft {
  const { text, type, slug, icon, expires_at } = row
  const { translations = null } = extrasOf(row)
  return {
    text,
    type: type as AnnouncementType,
    slug,
    icon,
    expiresAt: expires_at,
    translations,
  }
}

const extrasOf = ({ extras }: Row): Extras => JSON.parse(extras ?? '{}')

const toExtras = ({ by, translations }: Announcement | Scheduled): string =>
  JSON.stringify({ by, ...(translations && { translations }) } satisfies Extras)

/** Puts it in the slot of its type. In one statement, so that the slot is never empty in between (contract A12). */
export async function putEvent(db: Db, event: Announcement): Promise<void> {
  const { id, text, type, slug, icon, timestamp, expiresAt, coupon } = event
  await sql`
    insert into event (id, text, type, slug, icon, timestamp, expires_at, source, extras)
    values (${id}, ${text}, ${type}, ${slug}, ${icon}, ${timestamp}, ${expiresAt}, ${coupon},
      ${toExtras(event)})
    on conflict (type) do update set
      id = excluded.id, text = excluded.text, slug = excluded.slug, icon = excluded.icon,
      timestamp = excluded.timestamp, expires_at = excluded.expires_at, source = excluded.source,
      extras = excluded.extras`.execute(db)
}

export async function removeEvent(db: Db, id: string): Promise<void> {
  await sql`delete from event where id = ${id}`.execute(db)
}

/** Adds it to the schedule, or replaces the one with its id. */
export async function putScheduled(db: Db, scheduled: Scheduled): Promise<void> {
  const { id, text, type, slug, icon, startsAt, expiresAt, order } = scheduled
  await sql`
    insert into scheduled (id, text, type, slug, icon, starts_at, expires_at, extras, posted)
    values (${id}, ${text}, ${type}, ${slug}, ${icon}, ${startsAt}, ${expiresAt},
      ${toExtras(scheduled)}, ${order})
    on conflict (id) do update set
      text = excluded.text, type = excluded.type, slug = excluded.slug, icon = excluded.icon,
      starts_at = excluded.starts_at, expires_at = excluded.expires_at, extras = excluded.extras,
      posted = excluded.posted`.execute(db)
}

export async function removeScheduled(db: Db, id: string): Promise<void> {
  await sql`delete from scheduled where id = ${id}`.execute(db)
}
