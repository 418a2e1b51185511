import type { DatabaseSync } from 'node:sqlite'
import { sql, type Transaction } from 'kysely'
import { createStore } from './create-store.ts'
import { groupCommit } from './group-commit.ts'
import { migrate, onceMigrated, type Schema } from './migrations.ts'
import { kyselyOver } from './sqlite-dialect.ts'
import { isBusy, openFile, type SqliteFile } from './sqlite-file.ts'
import { type Store, StoreUnavailable } from './store.ts'

export { openDatabase } from './sqlite-file.ts'

/** How long a write waits for another process to let go of the file before it answers 503. */
const BUSY_MS = 1_000
const BUSY_RETRY_MS = 15
/** How often to look whether another process wrote: contract R3 gives other nodes a second. */
const POLL_MS = 250
/** How often one piece of work begins again because the file was replaced under it. */
const MAX_FILES = 3

/**
 * Keeps announcements in one SQLite file through Node's own driver.
 *
 * Several processes may share the file: each notices within 250 ms what another wrote. Where another file takes its
 * place, the store changes over to that: no write is answered unless it is in the file that a restart would open.
 *
 * @param location a file's path, `:memory:`, or a database from {@link openDatabase}, which stays the one used
 */
export function sqliteStore(location: string | DatabaseSync): Store {
  let current = tablesIn(openFile(location))
  /** Whether the file was found gone when it was last looked for. */
  let lost = false
  let closed = false
  let poll: NodeJS.Timeout | undefined

  function assertOpen() {
    if (closed) throw new StoreUnavailable(new Error('the store is closed'))
  }

  /**
   * @param look whether to look for the file first, and change over where another has taken its place
   * @throws StoreUnavailable if there is none
   */
  function tables(look: boolean): Tables {
    assertOpen()
    if ((look || lost) && !current.file.isInPlace()) {
      lost = true
      current = tablesIn(current.file.successor())
    }
    lost = false
    return current
  }

  /** @param look whether the result counts only if the file is in place when the work is done */
  async function run<T>(look: boolean, work: (tables: Tables) => Promise<T>): Promise<T> {
    for (let files = 0; files < MAX_FILES; files++) {
      const here = tables(false)
      try {
        const result = await here.migrated(() => work(here))
        if (!look || here.file.isInPlace()) return result
      } catch (error) {
        if (here.file.isInPlace()) throw error
      }
      lost = true
    }
    throw new StoreUnavailable(new Error('the database file was replaced again and again'))
  }

  /** A write that can't be answered is better not committed, so the file is looked for before the commit too. */
  const write = groupCommit<Transaction<Schema>>((work) =>
    run(true, ({ db, file }) =>
      whileBusy(() =>
        db.transaction().execute(async (transaction) => {
          await work(transaction)
          if (!file.isInPlace()) throw new StoreUnavailable(new Error('the file is gone'))
        }),
      ),
    ),
  )

  return createStore({
    read: (work) => run(false, ({ db }) => work(db)),
    write: (work) => write(work),
    watch(listener) {
      assertOpen()
      let last: string | undefined
      /** Changes when another connection writes, or another file is there; `undefined` while there is none. */
      const version = () => {
        try {
          return tables(true).file.version()
        } catch {
          return undefined
        }
      }
      const look = () => {
        const next = version()
        if ((next === undefined) !== (last === undefined)) listener.hearing(next !== undefined)
        else if (next !== last) listener.changed()
        last = next
      }
      look()
      poll = setInterval(look, POLL_MS).unref()
    },
    migrate: async () => tables(true).migrated(async (applied) => applied),
    ping: () => run(true, async ({ db }) => void (await sql`select 1`.execute(db))),
    async close() {
      clearInterval(poll)
      closed = true
      current.file.close()
    },
  })
}

type Tables = ReturnType<typeof tablesIn>

/** The tables in a file. `migrated` runs work once they are up to date. */
function tablesIn(file: SqliteFile) {
  const db = kyselyOver(file.database, file.assertLocks)
  return {
    file,
    db,
    migrated: onceMigrated(() => whileBusy(() => migrate(db))),
  }
}

/**
 * Tries again while another process writes, between turns of the event loop. Only `begin immediate` can find
 * the file locked, so that nothing has been done yet when it does.
 */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BUSY_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const busy = error instanceof StoreUnavailable && isBusy(error.cause)
      if (!busy || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS * (0.5 + Math.random())))
    }
  }
}
