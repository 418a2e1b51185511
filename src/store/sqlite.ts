import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../core/problem.ts'
import { touch } from './changes.ts'
import { createStore } from './create-store.ts'
import { groupCommit } from './group-commit.ts'
import { type Dialect, migrate, onceMigrated } from './migrations.ts'
import { SQLITE_0001 } from './sql/files.ts'
import { type Db, sql } from './sql.ts'
import { sqliteDb } from './sqlite-db.ts'
import { isBusy, openFile, type SqliteFile } from './sqlite-file.ts'
import { inspectFile } from './sqlite-inspect.ts'
import type { Store } from './store.ts'

export { openDatabase } from './sqlite-file.ts'

/** How long a write waits while another process has the file locked, before it is answered 503. */
const BUSY_MS = 1_000
const BUSY_RETRY_MS = 15
/** How often to check whether another process wrote: contract R3 gives other nodes a second. */
const POLL_MS = 250
const DIALECT: Dialect = {
  migrations: [SQLITE_0001],
  hasTable: (name) => sql`select count(*) as there from sqlite_schema where name = ${name}`,
}
/** How many files a piece of work is tried on, if the file is replaced while it runs. */
const MAX_FILES = 3

/**
 * Keeps announcements in one SQLite file through Node's own driver.
 *
 * Several processes may share the file. Each notices within 250 ms that another wrote. If another file takes its place,
 * the store changes over to that. No write is answered unless it is in the file that a restart would open.
 *
 * @param location a file's path, `:memory:`, or a database from {@link openDatabase}, which is never changed for another
 */
export function sqliteStore(location: string | DatabaseSync): Store {
  let current = tablesIn(openFile(location))
  /** Whether the file was gone when it was last checked. */
  let lost = false
  let closed = false
  let poll: NodeJS.Timeout | undefined

  function assertOpen() {
    if (closed) throw new StoreUnavailable(new Error('the store is closed'))
  }

  /**
   * @param check whether to check that the file is in place, and change over to the one that is
   * @throws StoreUnavailable if there is none
   */
  function tables(check: boolean): Tables {
    assertOpen()
    if ((check || lost) && !current.file.isInPlace()) {
      lost = true
      current = tablesIn(current.file.successor())
    }
    lost = false
    return current
  }

  /** @param check whether the result counts only if the file is still in place when the work is done */
  async function run<T>(check: boolean, work: (tables: Tables) => Promise<T>): Promise<T> {
    for (let files = 0; files < MAX_FILES; files++) {
      const here = tables(false)
      try {
        const result = await here.migrated(() => work(here))
        if (!check || here.file.isInPlace()) return result
      } catch (error) {
        if (here.file.isInPlace()) throw error
      }
      lost = true
    }
    throw new StoreUnavailable(new Error('the database file was replaced again and again'))
  }

  /** A write that can't be answered should not be committed, so the file is checked before the commit too. */
  const write = groupCommit<Db>((work) =>
    run(true, ({ db, file }) =>
      whileBusy(() =>
        db.transaction(async (transaction) => {
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
      /** Changes when another connection has written, or when another file is in place; `undefined` if none is. */
      const version = () => {
        try {
          return tables(true).file.version()
        } catch {
          return undefined
        }
      }
      const check = () => {
        const next = version()
        if ((next === undefined) !== (last === undefined)) listener.hearing(next !== undefined)
        else if (next !== last) listener.changed()
        last = next
      }
      check()
      poll = setInterval(check, POLL_MS).unref()
    },
    migrate: async () => tables(true).migrated(async (applied) => applied),
    ping: () => run(true, async ({ db }) => void (await sql`select 1`.execute(db))),
    inspect: () =>
      inspectFile(pathOf(location), () =>
        run(true, async ({ db, file }) => {
          await whileBusy(() => db.transaction(touch))
          return file.database
        }),
      ),
    async close() {
      clearInterval(poll)
      closed = true
      current.file.close()
    },
  })
}

function pathOf(location: string | DatabaseSync): string | null {
  if (typeof location !== 'string') return location.isOpen ? location.location() : null
  return location === ':memory:' ? null : location
}

type Tables = ReturnType<typeof tablesIn>

/** The tables in a file. `migrated` runs work once they are up to date. */
function tablesIn(file: SqliteFile) {
  const db = sqliteDb(file.database, file.assertLocks)
  return {
    file,
    db,
    migrated: onceMigrated(() => whileBusy(() => migrate(db, DIALECT))),
  }
}

/**
 * Tries again while another process writes, without blocking the event loop. Only `begin immediate` can find the file
 * locked, so nothing has been done by then.
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
