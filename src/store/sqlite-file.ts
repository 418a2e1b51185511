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
import { openLockProbe } from './lock-probe.ts'
import { connect } from './sqlite-driver.ts'

/** How long opening waits for another process that starts at the same moment and sets the file up. */
const OPEN_MS = 5_000
const BUSY_RETRY_MS = 15
/** SQLite creates its log files when it first reads. */
const READ = 'pragma schema_version'
/** Asks to write, and changes nothing. `begin immediate` would not do: SQLite grants it on a file that it may only read. */
const WRITE = 'pragma incremental_vacuum(0)'

/** A connection to a database file, and whether that file is still where it was. */
export interface SqliteFile {
  readonly database: DatabaseSync
  /**
   * Checks that a restart would open the file that this connection writes to. A deleted or replaced file lives on without a
   * name for a process that has it open, and SQLite still commits to it and reports success. Cost: three `stat`.
   *
   * @throws StoreUnavailable which says to restart
   */
  assertInPlace(): void
  /** Changes when another connection has written. @throws StoreUnavailable as {@link assertLocks} does */
  version(): unknown
  /** Call it before SQLite takes locks. @throws StoreUnavailable if SQLite would wait and get none */
  assertLocks(): void
  close(): void
}

/**
 * Opens a database file, or `:memory:`, with the settings that all our connections need. WAL, so that readers never
 * wait. `synchronous=FULL`, so that an answered write survives a power cut; a WAL file that is reopened would otherwise
 * fall back to NORMAL. And no waiting for locks inside SQLite once the file is open, as that would block the event loop.
 *
 * A file that it makes is for its owner alone, and so is a folder.
 *
 * @throws if the file can't be opened for writing, or the settings don't take effect
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:' && !path.startsWith('file:')) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // SQLite would let everybody read it. Its log files get the mode of this one.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  }
  return open(path)
}

/** @param location a file's path, `:memory:`, or a database that is open already */
export function openFile(location: string | DatabaseSync): SqliteFile {
  if (typeof location !== 'string') {
    location.exec(READ)
    return follow(location)
  }
  return follow(
    openDatabase(location),
    location.startsWith('file:') ? undefined : resolve(location),
  )
}

/** @param path what a restart would open; it may be a link to the file. Default: the file itself */
function follow(database: DatabaseSync, path?: string): SqliteFile {
  const file = database.location()
  const main = path ?? file ?? ''
  const index = `${file}-shm`
  const logs = [`${file}-wal`, index].filter(identityOf)
  const names = file === null ? [] : [main, ...logs]
  const known = new Map(names.map((name) => [name, identityOf(name)]))
  const isKnown = (name: string) => identityOf(name) === known.get(name)
  const isInPlace = () => database.isOpen && names.every(isKnown)
  const version = database.prepare('pragma data_version')
  const locks = openLockProbe(file)

  /** Whether another process uses a new index. Ours is then out of date, and would undo what that process wrote. */
  const isSplit = () => isKnown(main) && !isKnown(index) && identityOf(index) !== undefined

  return {
    database,
    assertInPlace() {
      if (isInPlace()) return
      const why = `${main} was closed, moved, deleted or replaced; put it back, or restart the service`
      throw new StoreUnavailable(new Error(why))
    },
    version() {
      locks.assert()
      return version.get()?.data_version
    },
    assertLocks: locks.assert,
    close() {
      // Closing writes the log back by the index. If that is out of date, the file is left open until the process ends.
      if (!database.isOpen || isSplit()) return
      const old = isKnown(main) ? [] : logs.filter(isKnown)
      try {
        // What was committed belongs in the file that it was committed to, even if that has lost its name.
        if (!isInPlace()) database.exec('pragma wal_checkpoint(truncate)')
      } catch {}
      database.close()
      locks.close()
      // SQLite would otherwise replay the old file's log into the new file.
      for (const name of old) rmSync(name, { force: true })
    },
  }
}

function open(path: string): DatabaseSync {
  // SQLite would leave log files with the mode of this one, which then keep out its owner too.
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

/** SQLite's own waiting doesn't cover the change to WAL, so this tries again. It blocks: nothing is served yet. */
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

/** SQLite reads what it may not write, its log included, without a word. */
function assertWritable(database: DatabaseSync): void {
  try {
    database.exec(WRITE)
  } catch (error) {
    // Whether it may be written is decided before whether it is locked.
    if (!isBusy(error)) throw error
  }
}

/** Whether another process has the file locked, in the driver's words. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

/** Which file a name stands for; `undefined` for none. */
function identityOf(name: string): string | undefined {
  const stats = statOf(name)
  return stats && `${stats.dev}:${stats.ino}`
}

function statOf(name: string) {
  try {
    return statSync(name, { throwIfNoEntry: false })
  } catch {
    // The directory may not be entered, say, or the file server is gone.
    return undefined
  }
}
