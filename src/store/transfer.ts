import pg from 'pg'
import { postgresDb } from './postgres-db.ts'
import { CHANNEL } from './postgres-listener.ts'
import { sql, type Value } from './sql.ts'
import { connect } from './sqlite-file.ts'

/** The tables whose rows are copied. The admin's sessions and the rate limiter's counts aren't copied. */
const TABLES = ['event', 'scheduled', 'history', 'notification'].map((name) => `placard_${name}`)
/** Tables that have exactly one row in both databases. */
const SINGLE_ROWS = ['placard_clock', 'placard_offer']
/** The maximum number of rows in one statement, to limit the memory that a statement takes. */
const BATCH = 500
const PATIENCE_MS = 30_000

type Row = Record<string, Value>

/**
 * Copies a SQLite file into a Postgres database that has our tables, in one transaction, and notifies running nodes.
 *
 * @returns how many rows were copied into each of `TABLES`
 * @throws Error, before any change, if the Postgres database has an announcement, a notification or a history entry
 */
export async function transfer(file: string, url: string): Promise<ReadonlyMap<string, number>> {
  const source = connect(file)
  const pool = new pg.Pool({ connectionString: url, application_name: 'placard', max: 1 })
  try {
    return await postgresDb(pool, PATIENCE_MS).transaction(async (db) => {
      await sql`select pg_notify(${CHANNEL}, '')`.execute(db)
      // Locks the row of placard_clock, as every writer does, so that no other writer runs at the same time.
      await sql`update placard_clock set last = last`.execute(db)
      const rowOf = TABLES.map((table) => `select 1 from ${table}`).join(' union all ')
      if ((await sql([`${rowOf} limit 1`]).execute(db)).length > 0) {
        throw new Error(
          'The database already has announcements, or had some. Use an empty database',
        )
      }
      const counts = new Map<string, number>()
      for (const table of TABLES) {
        const rows = source.prepare(`select * from ${table}`).all() as Row[]
        for (let at = 0; at < rows.length; at += BATCH) {
          const batch = JSON.stringify(rows.slice(at, at + BATCH))
          await sql`
            insert into ${sql([table])}
            select * from json_populate_recordset(null::${sql([table])}, ${batch})`.execute(db)
        }
        counts.set(table, rows.length)
      }
      for (const table of SINGLE_ROWS) {
        const row = source.prepare(`select * from ${table}`).get() as Row
        const set = Object.keys(row).map(
          (name, i) => `${i === 0 ? `update ${table} set ` : ', '}${name} = `,
        )
        await db.query([...set, ''], Object.values(row))
      }
      return counts
    })
  } finally {
    source.close()
    await pool.end()
  }
}
