import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../core/problem.ts'
import { touch } from './changes.ts'
import { createStore } from './create-store.ts'
import { groupCommit } from './group-commit.ts'
import { type Dialect, migrate, onceMigrated } from './migrations.ts'
import { SQLITE_0001 } from './sql/files.ts'
import { type Db, sql } from './sql.ts'
import { sqliteDb } from './sqlite-db.ts'
import { isBusy, openFile } from './sqlite-file.ts'
import type { DatabaseState, Store } from './store.ts'

export { openDatabase } from './sqlite-file.ts'

/** How long a write waits while another process has the file locked, before the service answers 503. */
const BUSY_MS = 1_000
const BUSY_RETRY_MS = 15
/** How often to check whether another process wrote: contract R3 gives other nodes a second. */
const POLL_MS = 250
const DIALECT: Dialect = {
  migrations: [SQLITE_0001],
  hasTable: (name) => sql`select count(*) as there from sqlite_schema where name = ${name}`,
}
/**
 * Keeps announcements in one SQLite file through Node's own driver.
 *
 * Several processes may share the file. Each notices within 250 ms that another wrote. While the file is missing, moved
 * or replaced, nothing is read or written, so every answered write is in the file that a restart would open.
 *
 * @param location a file's path, `:memory:`, or a database from {@link openDatabase}
 */
export function sqliteStore(location: string | DatabaseSync): Store {
  const file = openFile(location)
  const db = sqliteDb(file.database)
  const migrated = onceMigrated(() => whileBusy(() => migrate(db, DIALECT)))
  /** Whether the file was out of place at the last check. Only then do reads check: a check costs more than a read. */
  let lost = false
  let closed = false
  let poll: NodeJS.Timeout | undefined

  function assertOpen() {
    if (closed) throw new StoreUnavailable(new Error('the store is closed'))
  }

  function assertInPlace() {
    assertOpen()
    lost = true
    file.assertInPlace()
    lost = false
  }

  async function read<T>(work: () => Promise<T>): Promise<T> {
    assertOpen()
    if (lost) assertInPlace()
    return migrated(work)
  }

  /** A write counts only if the database file is still in its place afterwards. */
  async function write<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    assertInPlace()
    const result = await migrated(() =>
      whileBusy(() =>
        db.transaction(async (transaction) => {
          const result = await work(transaction)
          // A write that can't be acknowledged shouldn't be committed.
          assertInPlace()
          return result
        }),
      ),
    )
    assertInPlace()
    return result
  }

  const commit = groupCommit<Db>(write)
  return createStore({
    read: (work) => read(() => work(db)),
    write: (work) => commit(work),
    watch(listener) {
      assertOpen()
      let last: unknown
      /** A number that changes when another connection has written; `undefined` while the file can't be read. */
      const version = () => {
        try {
          assertInPlace()
          return file.version()
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
    migrate: () => migrated(async (applied) => applied),
    ping: async () => {
      assertInPlace()
      await read(() => sql`select 1`.execute(db))
    },
    inspect: () =>
      inspectFile(pathOf(location), async () => {
        await write(touch)
        return file.database
      }),
    async close() {
      clearInterval(poll)
      closed = true
      file.close()
    },
  })
}

function pathOf(location: string | DatabaseSync): string | null {
  if (typeof location !== 'string') return location.isOpen ? location.location() : null
  return location === ':memory:' ? null : location
}

/**
 * Retries while another process writes, without blocking the event loop. Only `begin immediate` can find the file
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

/**
 * Reads the state of an open database file.
 *
 * @param path `null` for a database in memory
 * @param transact runs a transaction that needs the disk, and resolves with its connection
 */
export async function inspectFile(
  path: string | null,
  transact: () => Promise<DatabaseSync>,
): Promise<DatabaseState> {
  const place = path === null ? {} : { file: resolve(path), freeBytes: freeBytesAt(dirname(path)) }
  try {
    const database = await transact()
    const pragma = (name: string) =>
      Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
    const [journalMode, synchronous] = [pragma('journal_mode'), pragma('synchronous')]
    return {
      kind: 'sqlite',
      ...place,
      journalMode: String(journalMode),
      synchronous: Number(synchronous),
    }
  } catch (failed) {
    return { kind: 'sqlite', ...place, failed }
  }
}

/** How many bytes this user may still write to the disk of a folder; `undefined` if the system doesn't say. */
export function freeBytesAt(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}
