import { pathToFileURL } from 'node:url'
import { connect } from './sqlite-driver.ts'
import { isBusy } from './sqlite-file.ts'

/** The sessions and links of the admin. A copy must not restore anyone's session (contract O2). */
const LEFT_OUT = 'placard_token'
/** A database without these isn't ours. */
const OURS = ['placard_event', 'placard_clock', 'placard_migration']

/** The contents of a copy. */
export interface Copied {
  /** The rows of each table. */
  rows: ReadonlyMap<string, number>
}

/**
 * Copies a database as it is at one moment, while others write to it, and checks both what it read and what it wrote.
 * It copies rows instead of pages. So deleted rows never get into the copy, not even as free space, and damage is found
 * now and not when the copy is needed.
 *
 * @param to an empty file. After an error, its contents are useless
 * @throws if the source isn't our database or is damaged, or the copy can't be written
 */
export function copyDatabase(from: string, to: string): Copied {
  const rows = new Map<string, number>()
  const source = pathToFileURL(from)
  source.search = '?mode=ro'
  const copy = connect(to)
  try {
    // The copy is written once, and deleted if that fails.
    copy.exec(`pragma busy_timeout = 5000; pragma journal_mode = memory; pragma synchronous = full`)
    copy.prepare('attach ? as source').run(source.href)
    copy.exec('begin')
    // SQLite's own tables, such as the statistics of `analyze`, can't be created by name.
    const objects = copy
      .prepare(`select type, name, sql from source.sqlite_schema
        where sql is not null and name not glob 'sqlite_*'
        order by type = 'table' desc`)
      .all() as { type: string; name: string; sql: string }[]
    const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name)
    if (!OURS.every((name) => tables.includes(name))) {
      throw new Error(`${from} is no database of Placard`)
    }
    assertWhole(copy, 'source', from)
    for (const { type, name, sql } of objects) {
      copy.exec(sql)
      if (type !== 'table') continue
      if (name !== LEFT_OUT) {
        copy.exec(`insert into main."${name}" select * from source."${name}"`)
      }
      rows.set(name, name === LEFT_OUT ? 0 : count(copy, `source."${name}"`))
    }
    copy.exec('commit')
  } catch (error) {
    throw isUnreadable(error)
      ? new Error(`${from} is damaged, or no database`, { cause: error })
      : error
  } finally {
    copy.close()
  }
  check(to, rows)
  return { rows }
}

/** Reads a copy again. @throws if it is incomplete */
function check(file: string, rows: ReadonlyMap<string, number>): void {
  const copy = connect(file)
  try {
    assertWhole(copy, 'main', file)
    for (const [name, expected] of rows) {
      const found = count(copy, `"${name}"`)
      if (found !== expected) {
        throw new Error(`The copy has ${found} rows of ${name}, and not ${expected}`)
      }
    }
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

function assertWhole(database: Connection, schema: string, file: string): void {
  const found = database.prepare(`pragma ${schema}.integrity_check(1)`).get()?.integrity_check
  if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`)
}

function count(database: Connection, table: string): number {
  return Number(database.prepare(`select count(*) as rows from ${table}`).get()?.rows)
}

/**
 * Takes a database for this process alone, and writes the contents of its log into the file.
 *
 * A process that has the file open in WAL mode always holds a lock, and the mode can't be left while others hold one. A
 * service that starts meanwhile waits.
 *
 * @returns a function that releases it
 * @throws if another process has it open
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
