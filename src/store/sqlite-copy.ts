import { pathToFileURL } from 'node:url'
import { connect, isBusy } from './sqlite-file.ts'

/** The admin's sessions and links aren't copied, because a backup must not restore a session (contract O2, B1). */
const LEFT_OUT = 'placard_token'
/** A database without these tables isn't ours. */
const OURS = ['placard_event', 'placard_clock', 'placard_migration']

/** The contents of a copy. */
export interface Copied {
  /** How many rows each table has. */
  rows: ReadonlyMap<string, number>
}

/**
 * Copies a database as it is at one moment, even while others write to it. It copies no deleted rows, not even as free
 * space. It checks both databases, so that damage is found now and not when the copy is needed.
 *
 * @param to an empty file. After an error, its contents are useless
 * @throws if the source isn't our database or is damaged, or the copy can't be written
 */
export function copyDatabase(from: string, to: string): Copied {
  const url = pathToFileURL(from)
  url.search = '?mode=ro'
  const source = connect(url)
  try {
    const tables = tablesOf(source)
    if (!OURS.every((name) => tables.includes(name))) {
      throw new Error(`${from} is not a Placard database`)
    }
    assertWhole(source, from)
    source.prepare('vacuum into ?').run(to)
  } catch (error) {
    throw isUnreadable(error)
      ? new Error(`${from} is damaged, or not a database`, { cause: error })
      : error
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

/** SQLite's codes for a damaged file and for one that isn't a database. */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff)
  )
}

type Connection = ReturnType<typeof connect>

function tablesOf(database: Connection): string[] {
  const tables = database.prepare(`
    select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'`)
  return tables.all().map(({ name }) => String(name))
}

function assertWhole(database: Connection, file: string): void {
  const found = database.prepare('pragma integrity_check(1)').get()?.integrity_check
  if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`)
}

function count(database: Connection, table: string): number {
  return Number(database.prepare(`select count(*) as rows from "${table}"`).get()?.rows)
}

/**
 * Locks all other processes out of a database and checkpoints its write-ahead log into the database file.
 *
 * A process that has the file open in WAL mode always holds a lock, and SQLite doesn't leave that mode while another
 * process holds one. A service that starts meanwhile waits for up to 5 s.
 *
 * @returns a function that releases the lock. A damaged file isn't locked, because a restore may replace it
 * @throws if another process has the database open
 */
export function takeAlone(file: string): () => void {
  const url = pathToFileURL(file)
  url.search = '?mode=rw'
  const database = connect(url)
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    if (!isBusy(error)) return () => database.close()
    database.close()
    throw new Error(`A service has ${file} open. Stop it, then try again`, { cause: error })
  }
  return () => database.close()
}
