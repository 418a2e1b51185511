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
 * Opens a database with Node's own SQLite driver. A statement fails immediately if another process has the file locked,
 * because waiting in SQLite would block the event loop.
 *
 * The driver is looked up on each call: an import would keep an app from loading on a Node version without the driver.
 *
 * @throws if this version of Node has no SQLite driver, or the database can't be opened
 */
export function connect(path: string | URL): DatabaseSync {
  // Versions of Node before 20.16 lack even `getBuiltinModule`.
  const driver = process.getBuiltinModule?.('node:sqlite')
  if (driver) return new driver.DatabaseSync(path, { timeout: 0 })
  throw new Error(`Node ${process.versions.node} has no node:sqlite. Use Node 24 or newer`)
}

/** How long to wait, when opening a file, for another process that is setting it up. */
const OPEN_MS = 5_000
export const BUSY_RETRY_MS = 15
/** Reads the file, which makes SQLite create its log files. */
const READ = 'pragma schema_version'

/**
 * Opens a database file, or `:memory:`, with the settings that the store needs: WAL, so that readers never wait, and
 * `synchronous=FULL`, so that an acknowledged write survives a power cut. Some builds of SQLite default to NORMAL for
 * WAL files. Once the file is open, SQLite doesn't wait for locks, because waiting would block the event loop.
 *
 * The file and the folders that this function creates are accessible only to their owner.
 *
 * @throws if the file can't be opened for writing, or the settings don't take effect
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:' && !path.startsWith('file:')) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite would create a file that every user can read. SQLite's log files get the mode of the database file.
    if (!existsSync(path)) {
      // SQLite would delete the log, which has the latest writes of a database that was moved away.
      if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) {
        throw new Error(
          `the file is gone, but its latest writes are in ${path}-wal; move the file back, or move that log away`,
        )
      }
      closeSync(openSync(path, 'a', 0o600))
    }
  }
  // For a read-only file, SQLite would leave read-only log files, which would lock out even their owner.
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
 * Opens a connection to a database file, and tracks whether that file is still in place.
 *
 * @param location a file's path, `:memory:`, or an open database
 */
export function openFile(location: string | DatabaseSync) {
  const isOurs = typeof location === 'string'
  const database = isOurs ? openDatabase(location) : location
  if (!isOurs) database.exec(READ)
  const file = database.location()
  // After a restart, the service would open this path, which may be a symbolic link.
  const main = isOurs && !location.startsWith('file:') ? resolve(location) : (file ?? '')
  const index = `${file}-shm`
  const logs = [`${file}-wal`, index].filter(identityOf)
  const names = file === null ? [] : [main, ...logs]
  const known = new Map(names.map((name) => [name, identityOf(name)]))
  const isKnown = (name: string) => identityOf(name) === known.get(name)
  const isInPlace = () => database.isOpen && names.every(isKnown)
  const version = database.prepare('pragma data_version')

  /** Whether another process uses a new index file. Our outdated one would make us overwrite that process's writes. */
  const isSplit = () => isKnown(main) && !isKnown(index) && identityOf(index) !== undefined

  return {
    database,
    /** The path that the service would open after a restart; `null` for a database in memory. */
    path: file && main,
    /**
     * Checks that, after a restart, the service would open the file that this connection writes to. If that file is
     * deleted or replaced, the process still has it open, and SQLite commits to the unlinked file and reports success.
     * A check costs three calls to `stat`.
     *
     * @throws StoreUnavailable, whose cause tells the operator what to do
     */
    assertInPlace() {
      if (isInPlace()) return
      const next = 'move it back, or restart the service once the right file is in place'
      const why = `${main} was closed, moved, deleted or replaced; ${next}`
      throw new StoreUnavailable(new Error(why))
    },
    /** Returns a number that changes when another connection writes. */
    version: () => version.get()?.data_version,
    close() {
      // With an outdated index, closing would damage the database, so the file stays open until the process exits.
      if (!database.isOpen || isSplit()) return
      const old = isKnown(main) ? [] : logs.filter(isKnown)
      try {
        // If the database file was moved or deleted, the committed data in the log still belongs in that file.
        if (!isInPlace()) database.exec('pragma wal_checkpoint(truncate)')
      } catch {}
      database.close()
      // SQLite would otherwise replay the old file's log into the new file.
      for (const name of old) rmSync(name, { force: true })
    },
  }
}

/**
 * Applies the settings, and retries while another process has the file locked. Waiting may block the event loop here,
 * because the service doesn't handle requests yet.
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

/** Throws if this process isn't allowed to write the file or its log. SQLite opens read-only files without an error. */
function assertWritable(database: DatabaseSync): void {
  try {
    // Changes nothing, but requires write access. SQLite grants `begin immediate` even on a read-only file.
    database.exec('pragma incremental_vacuum(0)')
  } catch (error) {
    // SQLite checks the permission before the lock, so a lock error means that this process may write the file.
    if (!isBusy(error)) throw error
  }
}

/** Whether another process has locked the file, according to the driver's error. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

/** Identifies a file by its device and inode; returns `undefined` if no file has this name. */
function identityOf(name: string): string | undefined {
  try {
    const stats = statSync(name, { throwIfNoEntry: false })
    return stats && `${stats.dev}:${stats.ino}`
  } catch {
    // For example, this user isn't allowed to enter the folder, or the file server can't be reached.
    return undefined
  }
}
