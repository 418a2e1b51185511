import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Announcement, AnnouncementType, Draft, Selector } from '../announcement.ts'
import type { Schema } from './migrations.ts'
import type { Notice, Receipt } from './store.ts'

type Db = Kysely<Schema> | Transaction<Schema>
type Condition = RawBuilder<unknown>

/**
 * How long a notification is remembered. Stripe delivers again for 3 days by itself and for 30 by hand, so
 * that what is forgotten can't come back.
 */
const LEDGER_MS = 60 * 86_400_000

/**
 * The statements, the same for both databases; each write expects to run inside a transaction. They are text
 * and not a builder's: building them anew for each write took longer than running them.
 */

export async function list(db: Db): Promise<Announcement[]> {
  const { rows } = await sql<Schema['event']>`
    select * from event order by timestamp desc`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    text: row.text,
    type: row.type as AnnouncementType,
    slug: row.slug,
    icon: row.icon,
    timestamp: row.timestamp,
    expiresAt: row.expires_at,
  }))
}

export async function publish(
  db: Db,
  id: string,
  draft: Draft,
  now: number,
): Promise<Announcement> {
  return replace(db, id, draft, await tick(db, now), null)
}

export async function withdraw(db: Db, selector: Selector, now: number): Promise<number> {
  const matches = 'type' in selector ? sql`type = ${selector.type}` : sql`id = ${selector.id}`
  return remove(db, matches, now)
}

/**
 * Applies a notification once and in the provider's order, whatever order it arrives in.
 *
 * The end state is that of applying, sorted by `created`, all that ever arrived. Publishing and withdrawing
 * concern whatever is up, so the latest of them decides. A retraction concerns one coupon only, so it is
 * remembered for that coupon: a publication of it that arrives later but was created earlier replaced
 * whatever was up before, and was then itself taken back. Its receipt says what that did: withdrawn if
 * something came down, else stale.
 */
export async function applyNotice(
  db: Db,
  eventId: string,
  notice: Notice,
  now: number,
): Promise<Receipt> {
  // Writers take turns from here on, so that what is read below can't change before the commit.
  const timestamp = await tick(db, now)
  if (notice.id !== null) {
    const { rows } = await sql<Pick<Schema['notification'], 'outcome' | 'reason'>>`
      select outcome, reason from notification
      where type = ${notice.type} and id = ${notice.id}`.execute(db)
    const [first] = rows
    if (first) return receipt(first.outcome, first.reason)
  }

  const { effect, coupon } = notice
  const created = notice.created ?? Math.floor(now / 1000)
  const settled = await latest(db, sql`effect in ('publish', 'withdraw')`)
  let applied: Schema['notification']['effect'] = null
  let result = receipt('ignored', 'stale')

  if (created >= settled) {
    applied = effect.kind
    if (effect.kind === 'withdraw') {
      await withdraw(db, { type: 'coupon' }, now)
      result = receipt('withdrawn')
    } else if (effect.kind === 'retract') {
      if (coupon !== null) await remove(db, sql`type = 'coupon' and source = ${coupon}`, now)
      result = receipt('ignored', effect.reason)
    } else if (
      coupon !== null &&
      created < (await latest(db, sql`effect = 'retract' and coupon = ${coupon}`))
    ) {
      const removed = await remove(db, sql`type = 'coupon' and source is not null`, now)
      if (removed > 0) result = receipt('withdrawn')
    } else {
      await replace(db, eventId, effect.draft, timestamp, coupon)
      result = receipt('published')
    }
  }

  await sql`
    insert into notification (id, type, created, coupon, effect, outcome, reason, received_at)
    values (${notice.id ?? eventId}, ${notice.type}, ${created}, ${coupon}, ${applied},
      ${result.outcome}, ${result.reason ?? null}, ${now})`.execute(db)
  // The one that set the order stays: what is older than it never has an effect (contract W6).
  const last = applied === 'publish' || applied === 'withdraw' ? created : settled
  await sql`
    delete from notification
    where received_at < ${now - LEDGER_MS} and created < ${Math.max(0, last)}`.execute(db)
  return result
}

/** @returns how many of these had not ended at `now` */
async function remove(db: Db, such: Condition, now: number): Promise<number> {
  const { rows } = await sql<Pick<Schema['event'], 'expires_at'>>`
    delete from event where ${such} returning expires_at`.execute(db)
  return rows.filter((row) => row.expires_at === null || row.expires_at > now).length
}

function receipt(outcome: Receipt['outcome'], reason: string | null = null): Receipt {
  return reason === null ? { outcome } : { outcome, reason }
}

/** One statement, so that there is never none of a type where there was one (contract A12). */
async function replace(
  db: Db,
  id: string,
  draft: Draft,
  timestamp: number,
  source: string | null,
): Promise<Announcement> {
  const { text, type, slug, icon, expiresAt } = draft
  await sql`
    insert into event (id, text, type, slug, icon, timestamp, expires_at, source)
    values (${id}, ${text}, ${type}, ${slug}, ${icon}, ${timestamp}, ${expiresAt}, ${source})
    on conflict (type) do update set
      id = excluded.id, text = excluded.text, slug = excluded.slug, icon = excluded.icon,
      timestamp = excluded.timestamp, expires_at = excluded.expires_at, source = excluded.source
    `.execute(db)
  return { id, text, type, slug, icon, timestamp, expiresAt }
}

/** The next timestamp: now, or just after the last one given. Holds the other writers back until commit. */
async function tick(db: Db, now: number): Promise<number> {
  const { rows } = await sql<Pick<Schema['clock'], 'last'>>`
    update clock set last = case when last >= ${now} then last + 1 else ${now} end
    returning last`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the table clock is empty')
  return row.last
}

/** When the latest such notification was created; before all time if there is none. */
async function latest(db: Db, such: Condition): Promise<number> {
  const { rows } = await sql<{ created: number | null }>`
    select max(created) as created from notification where ${such}`.execute(db)
  return rows[0]?.created ?? Number.NEGATIVE_INFINITY
}
