import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { loadOnce } from '../core/once.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { probeDisk } from './changes.ts'
import { createStore } from './create-store.ts'
import { type Dialect, migrate } from './migrations.ts'
import { SQLITE_0001 } from './sql/files.ts'
import { type Db, sql } from './sql.ts'
import { sqliteDb } from './sqlite-db.ts'
import { BUSY_RETRY_MS, isBusy, openFile } from './sqlite-file.ts'
import type { Store } from './store.ts'

export { openDatabase } from './sqlite-file.ts'

/** How long a write waits while another process has the file locked, before the service responds with 503. */
const BUSY_MS = 1_000
/** How often to check whether another process has written. Other nodes must show a change within 1 s (contract R3). */
const POLL_MS = 250
const DIALECT: Dialect = {
  migrations: [SQLITE_0001],
  hasTable: (name) => sql`select count(*) as there from sqlite_schema where name = ${name}`,
}

/**
 * Creates a store that keeps announcements in one SQLite file, through Node's own driver.
 *
 * Several processes may share the file. Each process notices another's write within 250 ms. A file that was moved,
 * deleted or replaced is treated as unreachable, so every acknowledged write is in the file that the service would open
 * after a restart.
 *
 * @param location a file's path, `:memory:`, or a database from {@link openDatabase}
 */
export function sqliteStore(location: string | DatabaseSync): Store {
  const file = openFile(location)
  const db = sqliteDb(file.database)
  const migrated = loadOnce(() => whileBusy(() => migrate(db, DIALECT)))
  /** Whether the last check failed. Until a check fails, reads don't check, because a check costs more than a read. */
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
    return migrated().then(work)
  }

  /** Runs a transaction, and rejects unless the database file is still in place after the commit. */
  async function transaction<T>(work: (trx: Db) => Promise<T>): Promise<T> {
    assertInPlace()
    const result = await migrated().then(() =>
      whileBusy(() =>
        db.transaction(async (trx) => {
          const result = await work(trx)
          // A write that can't be acknowledged shouldn't be committed.
          assertInPlace()
          return result
        }),
      ),
    )
    assertInPlace()
    return result
  }

  return createStore({
    kind: 'sqlite',
    runners: {
      read: (work) => read(() => work(db)),
      // Outside a transaction, a statement would cost as much, but it would fail while another process has the file
      // locked, because only a transaction is retried.
      update: transaction,
      transaction,
    },
    watch(listener) {
      assertOpen()
      let last: unknown
      /** Returns a number that changes when another connection writes; `undefined` while the file can't be read. */
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
    migrate: migrated,
    ping: async () => {
      assertInPlace()
      await read(() => sql`select 1`.execute(db))
    },
    async inspect() {
      const { path } = file
      const place = path === null ? {} : { file: path, freeBytes: freeBytesAt(dirname(path)) }
      const pragma = (name: string) =>
        Object.values(file.database.prepare(`pragma ${name}`).get() ?? {})[0]
      try {
        await transaction(probeDisk)
        const journalMode = String(pragma('journal_mode'))
        return { ...place, journalMode, synchronous: Number(pragma('synchronous')) }
      } catch (failed) {
        return { ...place, failed }
      }
    },
    async close() {
      clearInterval(poll)
      closed = true
      file.close()
    },
  })
}

/**
 * Retries work while another process has the file locked, without blocking the event loop. Only `begin immediate` can
 * fail because of a lock, so a failed attempt has changed nothing.
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

/** Returns how many bytes this user can still write to a folder's disk; `undefined` if the system doesn't report it. */
function freeBytesAt(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}
