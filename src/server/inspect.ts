import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { within } from '../core/clock.ts'
import { silent } from '../core/log.ts'
import { freeBytesAt } from '../store/sqlite.ts'
import type { DatabaseState, Store } from '../store/store.ts'
import type { Config } from './config.ts'
import { openStore } from './database.ts'
import { existingServiceId } from './service-id.ts'

/** The first bytes of a database file. */
const MAGIC = 'SQLite format 3\0'

/** The visible state of a database without its service. */
export interface Inspected extends DatabaseState {
  /** Whether notifications arrive on a listening connection. */
  hearing?: boolean
  /** Whether there is no file, and there was none before. */
  absent?: boolean
}

/** Reads the state of the database of a service that doesn't run, or doesn't tell. It changes nothing. */
export async function inspectDatabase(
  database: Config['database'],
  patienceMs: number,
): Promise<Inspected> {
  return database.kind === 'sqlite'
    ? inspectFile(database.path)
    : inspectPostgres(database, patienceMs)
}

/**
 * Reads the first bytes of the file, and opens it for writing without writing. Opening it with SQLite would leave files
 * beside it. The service needs those too, so the folder must be writable as well.
 */
function inspectFile(file: string): Inspected {
  const state: Inspected = { kind: 'sqlite', file, freeBytes: freeBytesAt(dirname(file)) }
  try {
    accessSync(folderFor(file), constants.W_OK | constants.X_OK)
    if (!statSync(file, { throwIfNoEntry: false })) {
      if (existingServiceId(file) === undefined) return { ...state, absent: true }
      throw new Error('the file is gone, though a service has run here')
    }
    const descriptor = openSync(file, 'r+')
    try {
      const bytes = Buffer.alloc(MAGIC.length)
      const length = readSync(descriptor, bytes)
      if (length > 0 && bytes.toString('latin1') !== MAGIC)
        throw new Error('file is not a database')
    } finally {
      closeSync(descriptor)
    }
    return state
  } catch (failed) {
    return { ...state, failed }
  }
}

/** The folder of a file, or the one in which a start would create it. */
function folderFor(file: string): string {
  const folder = dirname(file)
  // The root of a drive is its own folder, even if there is no such drive.
  return existsSync(folder) || folder === file ? folder : folderFor(folder)
}

async function inspectPostgres(
  database: Config['database'],
  patienceMs: number,
): Promise<Inspected> {
  let store: Store | undefined
  let hearing = false
  let hears = () => {}
  const heard = new Promise<void>((resolve) => {
    hears = resolve
  })
  try {
    // It reads the files named in the address, such as certificates.
    store = await openStore({ database }, silent)
    let state: Inspected | undefined
    const asked = store.inspect?.().then((it) => {
      state = it
    })
    await within(patienceMs, asked, 'Postgres')
    if (state === undefined || 'failed' in state) return state ?? { kind: 'postgres' }
    store.watch?.({
      changed() {},
      hearing(yes) {
        hearing = yes
        if (yes) hears()
      },
    })
    await within(patienceMs, heard, 'Postgres').catch(() => {})
    return { ...state, hearing }
  } catch (failed) {
    return { kind: 'postgres', failed }
  } finally {
    store?.close().catch(() => {})
  }
}
