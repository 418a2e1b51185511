import { loadOnce } from '../load-once.ts'
import { type OfferRow, offerMigration, webhooksMigration } from './offer-table.ts'
import { type Connections, type Db, type Sql, sql } from './sql.ts'

/** Rows as both databases return them: integers that fit a double, no booleans, no dates. */
export interface Schema {
  event: {
    id: string
    text: string
    type: string
    slug: string
    icon: string | null
    timestamp: number
    expires_at: number | null
    /** The coupon that put it up; `null` if a request did. */
    source: string | null
    /**
     * What later versions know, as JSON, with the id of the event that it belongs to. A node of an earlier version
     * replaces the row and leaves this column as it is. The id then shows that its content is another event's.
     */
    extras: string | null
  }
  /** What will become an event (contract A14). */
  scheduled: {
    id: string
    text: string
    type: string
    slug: string
    icon: string | null
    starts_at: number
    expires_at: number | null
    extras: string
    posted: number
  }
  /** Every change that took effect (contract R8). */
  history: {
    id: number
    at: number
    action: string
    by: string
    before: string | null
    after: string | null
    reason: string | null
    /** When a start or an end was written, until the caches are purged for it; else `null`. */
    untold_since: number | null
  }
  /** Notifications about coupons, for their order and their repeats (contract W6). */
  notification: {
    id: string
    type: string
    created: number
    coupon: string | null
    effect: 'publish' | 'withdraw' | 'retract' | null
    outcome: 'published' | 'withdrawn' | 'ignored'
    reason: string | null
    received_at: number
  }
  /** What lets browsers into the admin (contract O2). */
  admin_token: {
    hash: string
    kind: string
    name: string | null
    proof: string
    idle_at: number
    ends_at: number
  }
  offer: OfferRow
  /** One row: the last timestamp ever given. A writer locks it, so that there is one at a time. */
  clock: { id: number; last: number }
}

const initial = [
  `create table event (
    id text primary key,
    text text not null,
    type text not null,
    slug text not null,
    icon text,
    timestamp bigint not null,
    expires_at bigint,
    source text
  )`,
  'create unique index event_type on event (type)',
  `create table notification (
    id text not null,
    type text not null,
    created bigint not null,
    coupon text,
    effect text,
    outcome text not null,
    reason text,
    received_at bigint not null,
    constraint notification_key primary key (type, id)
  )`,
  'create index notification_received_at on notification (received_at)',
  'create index notification_effect on notification (effect, created)',
  'create table clock (id integer primary key check (id = 1), last bigint not null)',
  'insert into clock (id, last) values (1, 0)',
]

const history = [
  'alter table event add column extras text',
  `create table scheduled (
    id text primary key,
    text text not null,
    type text not null,
    slug text not null,
    icon text,
    starts_at bigint not null,
    expires_at bigint,
    extras text not null,
    posted bigint not null
  )`,
  `create table history (
    id bigint primary key,
    at bigint not null,
    action text not null,
    by text not null,
    before text,
    after text,
    reason text,
    untold_since bigint
  )`,
  `create index history_ignored on history (id) where action = 'ignored'`,
  'create index history_untold on history (untold_since) where untold_since is not null',
]

const admin = [
  `create table admin_token (
    hash text primary key,
    kind text not null,
    name text,
    proof text not null,
    idle_at bigint not null,
    ends_at bigint not null
  )`,
]

/** The statements of each, by name. */
type Migrations = Readonly<Record<string, readonly string[]>>

const SHARED: Migrations = {
  '0001_initial': initial,
  '0003_history': history,
  '0004_admin': admin,
  '0005_offer': offerMigration,
  '0006_webhooks': webhooksMigration,
}

/** The names of the migrations that every kind of database has, the oldest first. */
export const MIGRATIONS: readonly string[] = Object.keys(SHARED)

/** What only one kind of database has for migrations. */
interface Own {
  /** Numbered in the same sequence. */
  migrations?: Migrations
  /** Run first in the transaction, where that alone doesn't keep others from migrating at the same time. */
  lock?: Sql
}

/**
 * Brings the tables up to date. Several nodes may do so at once. The table of what was applied has the name that the
 * library of earlier versions gave it, because their nodes look there.
 *
 * @param isMigrated whether there is that table, as 1 or 0
 * @returns the names of the migrations that it applied
 */
export async function migrate(
  db: Connections,
  isMigrated: Sql<{ there: number }>,
  { migrations = {}, lock }: Own = {},
): Promise<string[]> {
  const all = { ...SHARED, ...migrations }

  async function pending(at: Db): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(at)
    const applied = rows.map(({ name }) => name)
    return Object.keys(all)
      .filter((name) => !applied.includes(name))
      .sort()
  }

  // Migrating takes the write lock. A start that has nothing to migrate should not wait for a writer.
  const { rows } = await isMigrated.execute(db)
  if (rows[0]?.there && (await pending(db)).length === 0) return []
  return db.transaction(async (transaction) => {
    await lock?.execute(transaction)
    await sql`
      create table if not exists kysely_migration (
        name varchar(255) primary key, timestamp varchar(255) not null)`.execute(transaction)
    const names = await pending(transaction)
    for (const name of names) {
      for (const statement of all[name] ?? []) await sql([statement]).execute(transaction)
      await sql`
        insert into kysely_migration (name, timestamp)
        values (${name}, ${new Date().toISOString()})`.execute(transaction)
    }
    return names
  })
}

/**
 * Makes a runner of work that needs the tables. The first work migrates them. If that fails, the next tries again.
 */
export function onceMigrated(
  migrateAll: () => Promise<string[]>,
): <T>(work: (applied: string[]) => Promise<T>) => Promise<T> {
  const migrate = loadOnce(migrateAll)
  return async (work) => work(await migrate())
}
