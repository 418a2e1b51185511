import { pathToFileURL } from 'node:url'
import { connect } from './sqlite-driver.ts'

/** What lets browsers into the admin. A copy must not restore anyone's session (contract O2). */
const LEFT_OUT = 'placard_token'
/** Without these it is no database of ours. */
const OURS = ['placard_event', 'placard_clock', 'placard_migration']

/** What is in a copy. */
export interface Copied {
  /** The rows of each table. */
  rows: ReadonlyMap<string, number>
}

/**
 * Copies a database as it is at one moment, while others write to it, and checks what it has read and what it has written.
 * Rows are copied and not pages. So what is left out was never in the copy, not even as free space, and what is damaged is
 * found here and not when the copy is needed.
 *
 * @param to an empty file. What is in it after an error is of no use
 * @throws if it is no database of ours, or damaged, or the copy can't be written
 */
export function copyDatabase(from: string, to: string): Copied {
  const rows = new Map<string, number>()
  const source = pathToFileURL(from)
  source.search = '?mode=ro'
  const copy = connect(to)
  try {
    // It is written once, and thrown away if that fails.
    copy.exec(`pragma busy_timeout = 5000; pragma journal_mode = memory; pragma synchronous = full`)
    copy.prepare('attach ? as source').run(source.href)
    copy.exec('begin')
    // Tables of SQLite's own, such as the figures of `analyze`, can't be made by name.
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

/** Reads a copy anew. @throws if it isn't whole */
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

/** SQLite's codes for a file that is damaged and for one that never was a database. */
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
