import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { loadOnce } from '../load-once.ts'
import { type OfferRow, offerMigration } from './offer-table.ts'

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

const initial: Migration = {
  async up(db) {
    await db.schema
      .createTable('event')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('slug', 'text', (c) => c.notNull())
      .addColumn('icon', 'text')
      .addColumn('timestamp', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('source', 'text')
      .execute()
    await db.schema.createIndex('event_type').on('event').column('type').unique().execute()

    await db.schema
      .createTable('notification')
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('created', 'bigint', (c) => c.notNull())
      .addColumn('coupon', 'text')
      .addColumn('effect', 'text')
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('received_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('notification_key', ['type', 'id'])
      .execute()
    await db.schema
      .createIndex('notification_received_at')
      .on('notification')
      .column('received_at')
      .execute()
    await db.schema
      .createIndex('notification_effect')
      .on('notification')
      .columns(['effect', 'created'])
      .execute()

    await db.schema
      .createTable('clock')
      .addColumn('id', 'integer', (c) => c.primaryKey().check(sql`id = 1`))
      .addColumn('last', 'bigint', (c) => c.notNull())
      .execute()
    await sql`insert into clock (id, last) values (1, 0)`.execute(db)
  },
}

const history: Migration = {
  async up(db) {
    await db.schema.alterTable('event').addColumn('extras', 'text').execute()

    await db.schema
      .createTable('scheduled')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('slug', 'text', (c) => c.notNull())
      .addColumn('icon', 'text')
      .addColumn('starts_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('extras', 'text', (c) => c.notNull())
      .addColumn('posted', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('history')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('by', 'text', (c) => c.notNull())
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .addColumn('reason', 'text')
      .addColumn('untold_since', 'bigint')
      .execute()
    await db.schema
      .createIndex('history_ignored')
      .on('history')
      .column('id')
      .where(sql.ref('action'), '=', sql.lit('ignored'))
      .execute()
    await db.schema
      .createIndex('history_untold')
      .on('history')
      .column('untold_since')
      .where(sql.ref('untold_since'), 'is not', sql.lit(null))
      .execute()
  },
}

const admin: Migration = {
  async up(db) {
    await db.schema
      .createTable('admin_token')
      .addColumn('hash', 'text', (c) => c.primaryKey())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('name', 'text')
      .addColumn('proof', 'text', (c) => c.notNull())
      .addColumn('idle_at', 'bigint', (c) => c.notNull())
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .execute()
  },
}

const SHARED = {
  '0001_initial': initial,
  '0003_history': history,
  '0004_admin': admin,
  '0005_offer': offerMigration,
}

/** The names of the migrations that every kind of database has, the oldest first. */
export const MIGRATIONS: readonly string[] = Object.keys(SHARED)

/**
 * Brings the tables up to date. Several nodes may do so at once, because the migrator takes a lock.
 *
 * @param own migrations that only one kind of database needs, numbered in the same sequence
 * @returns the names of the migrations that it applied
 */
export async function migrate(
  db: Kysely<Schema>,
  own: Record<string, Migration> = {},
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: {
      // The migrator puts them in the order of their names.
      getMigrations: async () => ({ ...SHARED, ...own }),
    },
  })
  // Migrating takes the write lock. A start that has nothing to migrate should not wait for a writer.
  const known = await migrator.getMigrations()
  if (known.every(({ executedAt }) => executedAt !== undefined)) return []
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
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
