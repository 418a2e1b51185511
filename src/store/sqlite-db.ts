import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Connections, Value } from './sql.ts'
import { fromDriver } from './store.ts'

/** Runs statements through Node's own SQLite driver, and prepares each statement only once. */
export function sqliteDb(database: DatabaseSync): Connections {
  const statements = new Map<string, StatementSync>()
  let last: Promise<unknown> = Promise.resolve()

  function run(text: string, values: readonly Value[] = []): unknown[] {
    try {
      let statement = statements.get(text)
      if (!statement) {
        statement = database.prepare(text)
        statements.set(text, statement)
      }
      return statement.all(...values)
    } catch (error) {
      throw fromDriver(error)
    }
  }

  const query = async (pieces: readonly string[], values: readonly Value[]) =>
    run(pieces.join('?'), values)

  /** Queues work: with only one connection, a statement sent during a transaction would become part of it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    query: (pieces, values) => inTurn(() => query(pieces, values)),
    transaction: (work) =>
      inTurn(async () => {
        // With a plain `begin`, a transaction that begins with a read might find the file locked at its first write.
        run('begin immediate')
        try {
          const result = await work({ query })
          run('commit')
          return result
        } catch (error) {
          // After some errors, SQLite has already rolled the transaction back.
          if (database.isTransaction) run('rollback')
          throw error
        }
      }),
  }
}
