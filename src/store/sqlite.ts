import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  sql,
  type Transaction,
} from 'kysely'
import { groupCommit } from './group-commit.ts'
import { migrate, onceMigrated, type Schema } from './migrations.ts'
import * as queries from './queries.ts'
import { fromDriver, type Store, StoreUnavailable } from './store.ts'

/** How long a write waits for another process to let go of the file before it answers 503. */
const BUSY_MS = 1_000
const BUSY_RETRY_MS = 15
/** How long opening waits, while another process that starts at the same moment sets the file up. */
const OPEN_MS = 5_000
/** How often to look whether another process wrote: contract R3 gives other nodes a second. */
const POLL_MS = 250

/**
 * Opens a database file, or `:memory:`, the way every connection of ours must be: WAL, so that readers never wait;
 * `synchronous=FULL`, so that an answered write survives a power cut (reopening a WAL file would otherwise
 * fall back to NORMAL); and, once it is open, no waiting for locks inside SQLite, which would stop the event loop.
 *
 * @throws if the file can't be opened or the settings don't hold
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 0 })
  setUp(database)
  const synchronous = database.prepare('pragma synchronous').get()?.synchronous
  if (synchronous !== 2) throw new Error(`synchronous is ${synchronous}, not 2 (FULL), in ${path}`)
  return database
}

/**
 * Keeps announcements in one SQLite file through Node's own driver.
 *
 * Several processes may share the file: each notices within 250 ms what another wrote.
 *
 * @param location a file's path, `:memory:`, or a database from {@link openDatabase}
 */
export function sqliteStore(location: string | DatabaseSync): Store {
  const database = typeof location === 'string' ? openDatabase(location) : location
  const db = new Kysely<Schema>({ dialect: new Dialect({ database: adapt(database) }) })
  let poll: NodeJS.Timeout | undefined

  const run = onceMigrated(() => whileBusy(() => migrate(db)))

  const write = groupCommit<Transaction<Schema>>((work) =>
    run(() => whileBusy(() => db.transaction().execute(work))),
  )

  return {
    list: () => run(() => queries.list(db)),
    publish: (draft, now) => write((trx) => queries.publish(trx, crypto.randomUUID(), draft, now)),
    withdraw: (selector, now) => write((trx) => queries.withdraw(trx, selector, now)),
    applyNotice: (notice, now) =>
      write((trx) => queries.applyNotice(trx, crypto.randomUUID(), notice, now)),
    watch(listener) {
      const version = database.prepare('pragma data_version')
      let last: unknown
      let hearing = false
      const look = () => {
        const next = versionNow(version)
        const hears = next !== undefined
        if (hears !== hearing) {
          hearing = hears
          listener.hearing(hears)
        } else if (next !== last) listener.changed()
        last = next
      }
      look()
      poll = setInterval(look, POLL_MS).unref()
    },
    ping: () => run(async () => void (await sql`select 1`.execute(db))),
    async close() {
      clearInterval(poll)
      if (database.isOpen) database.close()
    },
  }
}

/** SQLite's own waiting doesn't cover the change to WAL, so it is tried again here, before anything is served. */
function setUp(database: DatabaseSync): void {
  const deadline = performance.now() + OPEN_MS
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal; pragma synchronous = full')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS)
    }
  }
}

/** Changes when another connection writes; `undefined` while the file can't be read. */
function versionNow(version: StatementSync): unknown {
  try {
    return version.get()?.data_version
  } catch {
    return undefined
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
      if (!isRefusedAsBusy(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS * (0.5 + Math.random())))
    }
  }
}

function isRefusedAsBusy(error: unknown): boolean {
  return error instanceof StoreUnavailable && isBusy(error.cause)
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

/** A migration is done wholly or not at all: SQLite can take table definitions back, though Kysely doubts it. */
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
function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    // The store closes it, also when it was never asked anything and Kysely therefore never began.
    close() {},
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      // A transaction that begins by reading could find the file locked half-way, when it first writes.
      const statement = asked(() => database.prepare(sql === 'begin' ? 'begin immediate' : sql))
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      const adapted = {
        reader: asked(() => statement.columns()).length > 0,
        all: (parameters: readonly unknown[]) => asked(() => statement.all(...values(parameters))),
        run: (parameters: readonly unknown[]) => asked(() => statement.run(...values(parameters))),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
      }
      statements.set(sql, adapted)
      return adapted
    },
  }
}

function asked<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw fromDriver(error)
  }
}
