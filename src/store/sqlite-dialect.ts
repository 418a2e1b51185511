import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely'
import type { Schema } from './migrations.ts'
import { fromDriver } from './store.ts'

/**
 * Kysely over Node's own driver.
 *
 * @param assertLocks called before SQLite takes the locks of a transaction, or of a statement outside of one
 */
export function kyselyOver(database: DatabaseSync, assertLocks: () => void): Kysely<Schema> {
  return new Kysely({ dialect: new Dialect({ database: adapt(database, assertLocks) }) })
}

/** SQLite can roll back table definitions, though Kysely assumes it can't. So a migration is done wholly or not at all. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new Adapter()
  }
}

/** Node's driver in the shape that Kysely expects, each statement prepared once. */
function adapt(database: DatabaseSync, assertLocks: () => void): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    // The store closes it: Kysely would not, if it was never used.
    close() {},
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      // A transaction that begins with a read could find the file locked later, at its first write.
      const statement = callDriver(() =>
        database.prepare(sql === 'begin' ? 'begin immediate' : sql),
      )
      const locked = <T>(call: () => T) => {
        if (!database.isTransaction) assertLocks()
        return callDriver(call)
      }
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      const adapted = {
        reader: callDriver(() => statement.columns()).length > 0,
        all: (parameters: readonly unknown[]) => locked(() => statement.all(...values(parameters))),
        run: (parameters: readonly unknown[]) => locked(() => statement.run(...values(parameters))),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
      }
      statements.set(sql, adapted)
      return adapted
    },
  }
}

function callDriver<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw fromDriver(error)
  }
}
