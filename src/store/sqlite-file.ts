import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../core/problem.ts'

/**
 * Opens a database with Node's own driver. SQLite itself never waits for locks, because that would block the event
 * loop.
 *
 * It looks up the driver when called, because an import would keep the whole app from loading on a Node without it.
 *
 * @throws if this Node has no such driver, or the database can't be opened
 */
export function connect(path: string | URL): DatabaseSync {
  // Node before 20.16 lacks `getBuiltinModule` too.
  const driver = process.getBuiltinModule?.('node:sqlite')
  if (driver) return new driver.DatabaseSync(path, { timeout: 0 })
  throw new Error(`Node ${process.versions.node} has no node:sqlite. Use Node 24 or newer`)
}

/** How long opening waits for another process that is setting up the file at the same time. */
const OPEN_MS = 5_000
const BUSY_RETRY_MS = 15
/** The first read makes SQLite create its log files. */
const READ = 'pragma schema_version'
/**
 * Requests write access without changing anything. `begin immediate` wouldn't do, because SQLite grants it on a
 * read-only file.
 */
const WRITE = 'pragma incremental_vacuum(0)'

/**
 * Opens a database file, or `:memory:`, with the settings that all our connections need: WAL, so that readers never
 * wait, and `synchronous=FULL`, so that an answered write survives a power cut; a reopened WAL file would otherwise
 * fall back to NORMAL. Once the file is open, SQLite doesn't wait for locks, because that would block the event loop.
 *
 * Only the owner may use the file and the folders that it creates.
 *
 * @throws if the file can't be opened for writing, or the settings don't take effect
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:' && !path.startsWith('file:')) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite would create a file that everybody can read. The log files get the mode of this file.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  }
  return open(path)
}

/**
 * Opens a connection to a database file, and tracks whether that file is still in its place.
 *
 * @param location a file's path, `:memory:`, or an open database
 */
export function openFile(location: string | DatabaseSync) {
  if (typeof location !== 'string') {
    location.exec(READ)
    return follow(location)
  }
  return follow(
    openDatabase(location),
    location.startsWith('file:') ? undefined : resolve(location),
  )
}

/** @param path the path that a restart would open; it may be a link to the file. Default: the file's own path */
function follow(database: DatabaseSync, path?: string) {
  const file = database.location()
  const main = path ?? file ?? ''
  const index = `${file}-shm`
  const logs = [`${file}-wal`, index].filter(identityOf)
  const names = file === null ? [] : [main, ...logs]
  const known = new Map(names.map((name) => [name, identityOf(name)]))
  const isKnown = (name: string) => identityOf(name) === known.get(name)
  const isInPlace = () => database.isOpen && names.every(isKnown)
  const version = database.prepare('pragma data_version')

  /** Whether another process uses a new index. If so, ours is outdated and would overwrite what that process wrote. */
  const isSplit = () => isKnown(main) && !isKnown(index) && identityOf(index) !== undefined

  return {
    database,
    /**
     * Checks that a restart would open the file that this connection writes to. A deleted or replaced file lives on
     * without a name in a process that has it open, and SQLite still commits to it and reports success. Cost: three
     * calls of `stat`.
     *
     * @throws StoreUnavailable that says to restart
     */
    assertInPlace() {
      if (isInPlace()) return
      const why = `${main} was closed, moved, deleted or replaced; put it back, or restart the service`
      throw new StoreUnavailable(new Error(why))
    },
    /** A number that changes when another connection has written. */
    version: () => version.get()?.data_version,
    close() {
      // Closing applies the log by its index. An outdated index would do damage, so the file stays open until exit.
      if (!database.isOpen || isSplit()) return
      const old = isKnown(main) ? [] : logs.filter(isKnown)
      try {
        // Committed data belongs in the file to which it was committed, even if that file has lost its name.
        if (!isInPlace()) database.exec('pragma wal_checkpoint(truncate)')
      } catch {}
      database.close()
      // SQLite would otherwise replay the old file's log into the new file.
      for (const name of old) rmSync(name, { force: true })
    },
  }
}

function open(path: string): DatabaseSync {
  // Otherwise SQLite would leave log files with this file's mode, and read-only ones would lock out even their owner.
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  const database = connect(path)
  try {
    setUp(database)
    assertWritable(database)
    const synchronous = database.prepare('pragma synchronous').get()?.synchronous
    if (synchronous === 2) return database
    throw new Error(`synchronous is ${synchronous}, not 2 (FULL), in ${path}`)
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * SQLite's own timeout doesn't cover the change to WAL, so this retries. It may block, because the service doesn't
 * serve anything yet.
 */
function setUp(database: DatabaseSync): void {
  const deadline = performance.now() + OPEN_MS
  for (;;) {
    try {
      database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${READ}`)
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS)
    }
  }
}

/** SQLite reports no error when it opens a file or a log that it may not write. */
function assertWritable(database: DatabaseSync): void {
  try {
    database.exec(WRITE)
  } catch (error) {
    // SQLite checks the permission before the lock, so this process may write the locked file.
    if (!isBusy(error)) throw error
  }
}

/** Whether another process has locked the file, according to the driver's error. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

/** The identity of the file with this name; `undefined` if there is none. */
function identityOf(name: string): string | undefined {
  const stats = statOf(name)
  return stats && `${stats.dev}:${stats.ino}`
}

function statOf(name: string) {
  try {
    return statSync(name, { throwIfNoEntry: false })
  } catch {
    // For example, this user may not enter the directory, or the file server is gone.
    return undefined
  }
}
