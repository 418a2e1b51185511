import { createHash } from 'node:crypto'
import { type Connections, type Db, type Sql, sql } from './sql.ts'

/** How to migrate one kind of database. */
export interface Dialect {
  /** The SQL of each migration, in order. A released migration never changes. */
  migrations: readonly string[]
  /** Returns a query that selects 1 as `there` if the table exists, else 0. */
  hasTable(name: string): Sql<{ there: number }>
  /** Keeps other nodes from migrating at the same time. SQLite needs no lock, because it has one writer at a time. */
  lock?: Sql
}

/**
 * Brings the tables up to date, even if several nodes migrate at once. The tables' names begin with `placard_`,
 * so the tables can be in an app's own database. Accepts a database with migrations that this version doesn't know,
 * because migrations only add to the tables.
 *
 * @returns the numbers of the migrations that this call applied
 * @throws Error if the database has tables that this version can't use
 */
export async function migrate(
  db: Connections,
  { migrations, hasTable, lock }: Dialect,
): Promise<number[]> {
  async function pending(at: Db): Promise<number[]> {
    const numbers = migrations.map((_, index) => index + 1)
    const [table] = await hasTable('placard_migration').execute(at)
    if (table?.there !== 1) return numbers
    const rows = await sql<{ number: number; checksum: string }>`
      select number, checksum from placard_migration`.execute(at)
    const applied = new Map(rows.map((row) => [row.number, row.checksum]))
    return numbers.filter((number) => {
      const made = applied.get(number)
      if (made !== undefined && made !== checksum(migrations[number - 1] ?? '')) {
        throw new Error(
          `Another version of Placard created this database (its migration ${number} differs): start that version, or use a new database`,
        )
      }
      return made === undefined
    })
  }

  // This check comes before the write lock, so that a process with nothing to migrate doesn't wait for a writer.
  if ((await pending(db)).length === 0) return []
  return db.transaction(async (trx) => {
    await lock?.execute(trx)
    await sql`
      create table if not exists placard_migration (
        number integer primary key, checksum text not null, applied_at text not null)`.execute(trx)
    const numbers = await pending(trx)
    for (const number of numbers) {
      const text = migrations[number - 1] ?? ''
      for (const statement of statementsOf(text)) await sql([statement]).execute(trx)
      await sql`
        insert into placard_migration (number, checksum, applied_at)
        values (${number}, ${checksum(text)}, ${new Date().toISOString()})`.execute(trx)
    }
    return numbers
  })
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Splits SQL into statements, each of which must end with a semicolon at the end of a line. */
const statementsOf = (text: string): string[] =>
  text
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
