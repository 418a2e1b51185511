import { type Kysely, sql, type Transaction } from 'kysely'
import type { Announcement, AnnouncementType, Draft, Selector } from '../announcement.ts'
import type { Schema } from './migrations.ts'
import type { Notice, Receipt } from './store.ts'

type Db = Kysely<Schema> | Transaction<Schema>

/**
 * How long a notification is remembered. Stripe delivers again for 3 days by itself and for 30 by hand, so
 * that what is forgotten can't come back.
 */
const LEDGER_MS = 60 * 86_400_000

/** The statements, the same for both databases. Each write expects to run inside a transaction. */

export async function list(db: Db): Promise<Announcement[]> {
  const rows = await db.selectFrom('event').selectAll().orderBy('timestamp', 'desc').execute()
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
  const removed = await db
    .deleteFrom('event')
    .where((is) =>
      'type' in selector ? is('type', '=', selector.type) : is('id', '=', selector.id),
    )
    .returning('expires_at')
    .execute()
  return removed.filter((row) => row.expires_at === null || row.expires_at > now).length
}

/**
 * Applies a notification once and in the provider's order, whatever order it arrives in.
 *
 * The end state is that of applying, sorted by `created`, all that ever arrived. Publishing and withdrawing
 * concern whatever is up, so the latest of them decides. A retraction concerns one coupon only, so it is
 * remembered for that coupon: a publication of it that arrives later but was created earlier replaced
 * whatever was up before, and was then itself taken back.
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
    const first = await db
      .selectFrom('notification')
      .select(['outcome', 'reason'])
      .where('type', '=', notice.type)
      .where('id', '=', notice.id)
      .executeTakeFirst()
    if (first) return receipt(first.outcome, first.reason)
  }

  const { effect, coupon } = notice
  const created = notice.created ?? Math.floor(now / 1000)
  const settled = await latest(db, ['publish', 'withdraw'])
  let applied: Schema['notification']['effect'] = null
  let result = receipt('ignored', 'stale')

  if (created >= settled) {
    applied = effect.kind
    if (effect.kind === 'withdraw') {
      await withdraw(db, { type: 'coupon' }, now)
      result = receipt('withdrawn')
    } else if (effect.kind === 'retract') {
      if (coupon !== null) await takeDown(db, coupon)
      result = receipt('ignored', effect.reason)
    } else if (coupon !== null && created < (await latest(db, ['retract'], coupon))) {
      await takeDown(db)
    } else {
      await replace(db, eventId, effect.draft, timestamp, coupon)
      result = receipt('published')
    }
  }

  await db
    .insertInto('notification')
    .values({
      id: notice.id ?? eventId,
      type: notice.type,
      created,
      coupon,
      effect: applied,
      outcome: result.outcome,
      reason: result.reason ?? null,
      received_at: now,
    })
    .execute()
  // The one that set the order stays: what is older than it never has an effect (contract W6).
  const last = applied === 'publish' || applied === 'withdraw' ? created : settled
  await db
    .deleteFrom('notification')
    .where('received_at', '<', now - LEDGER_MS)
    .where('created', '<', Math.max(0, last))
    .execute()
  return result
}

/** Removes the coupon announcement if a notification put it up: that of this coupon, or of any. */
async function takeDown(db: Db, coupon?: string): Promise<void> {
  await db
    .deleteFrom('event')
    .where('type', '=', 'coupon')
    .where('source', 'is not', null)
    .$if(coupon !== undefined, (q) => q.where('source', '=', coupon as string))
    .execute()
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
  const values = { id, text, type, slug, icon, timestamp, expires_at: expiresAt, source }
  await db
    .insertInto('event')
    .values(values)
    .onConflict((conflict) => conflict.column('type').doUpdateSet(values))
    .execute()
  return { id, text, type, slug, icon, timestamp, expiresAt }
}

/** The next timestamp: now, or just after the last one given. Holds the other writers back until commit. */
async function tick(db: Db, now: number): Promise<number> {
  const { last } = await db
    .updateTable('clock')
    .set({ last: sql`case when last >= ${now} then last + 1 else ${now} end` })
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

/** When the latest notification with one of these effects was created; before all time if none was. */
async function latest(
  db: Db,
  effects: ('publish' | 'withdraw' | 'retract')[],
  coupon?: string,
): Promise<number> {
  const { created } = await db
    .selectFrom('notification')
    .select((eb) => eb.fn.max('created').as('created'))
    .where('effect', 'in', effects)
    .$if(coupon !== undefined, (q) => q.where('coupon', '=', coupon as string))
    .executeTakeFirstOrThrow()
  return created ?? Number.NEGATIVE_INFINITY
}
