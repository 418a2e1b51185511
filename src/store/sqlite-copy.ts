import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { connect, isBusy } from './sqlite-file.ts'

/** The table of the admin's sessions and sign-in codes, which a backup must not restore (contract O2, B1). */
const LEFT_OUT = 'placard_token'
/** A database that lacks one of these tables isn't Placard's. */
const OURS = ['placard_event', 'placard_clock', 'placard_migration']

/** The result of copying a database. */
export interface Copied {
  /** How many rows each table of the copy has. */
  rows: ReadonlyMap<string, number>
}

/**
 * Copies a database as of one moment, even while other processes write to it. The copy contains no deleted rows, not
 * even in free space. The source and the copy are checked, so that damage is found before somebody needs the copy.
 *
 * @param to an empty file. If copying fails, the file's contents are useless
 * @throws if the source isn't a Placard database or is damaged, or if the copy can't be written
 */
export function copyDatabase(from: string, to: string): Copied {
  const source = connect(new URL('?mode=ro', pathToFileURL(from)))
  try {
    const tables = tablesOf(source)
    if (!OURS.every((name) => tables.includes(name))) {
      throw new Error(`${from} is not a Placard database`)
    }
    assertWhole(source, from)
    source.prepare('vacuum into ?').run(to)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new Error(`${from} is damaged, or not a database`, { cause: error })
  } finally {
    source.close()
  }
  const copy = connect(to)
  try {
    copy.exec(`pragma synchronous = full; pragma secure_delete = on; delete from ${LEFT_OUT}`)
    assertWhole(copy, to)
    return { rows: new Map(tablesOf(copy).map((name) => [name, count(copy, name)])) }
  } finally {
    copy.close()
  }
}

/** Whether SQLite reports a damaged file (code 11), or a file that isn't a database (code 26). */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff)
  )
}

function tablesOf(database: DatabaseSync): string[] {
  const tables = database.prepare(`
    select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'`)
  return tables.all().map(({ name }) => String(name))
}

function assertWhole(database: DatabaseSync, file: string): void {
  const found = database.prepare('pragma integrity_check(1)').get()?.integrity_check
  if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`)
}

function count(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`select count(*) as rows from "${table}"`).get()?.rows)
}

/**
 * Locks all other processes out of a database and checkpoints its write-ahead log into the database file.
 *
 * A process that has the file open in WAL mode always holds a lock, and SQLite refuses to leave WAL mode while another
 * process holds such a lock. A service that starts while the database is locked waits for up to 5 s.
 *
 * @returns a function that releases the lock
 * @throws if another process has the database open, but not for a damaged file, which can be replaced without a lock
 */
export function takeAlone(file: string): () => void {
  const database = connect(new URL('?mode=rw', pathToFileURL(file)))
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    if (!isBusy(error)) return () => database.close()
    database.close()
    throw new Error(`A service has ${file} open. Stop it, then try again`, { cause: error })
  }
  return () => database.close()
}
