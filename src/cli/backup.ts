import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { postgresUrl } from '../local/address.ts'
import { type Database, readDatabase } from '../local/config.ts'
import { bringUpToDate } from '../local/database.ts'
import { OPTIONS } from './options.ts'
import { type Output, readArgs, UsageError } from './usage.ts'

/** `placard backup FILE`: copies the SQLite database to a file. */
export async function backup(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.backup, true)
  const file = oneFile(positionals)
  const from = readDatabase()
  if (from.kind === 'postgres') {
    throw new Error('`placard backup` copies only SQLite databases; use pg_dump: docs/scaling.md')
  }
  const { backUp } = await import('../local/backup.ts')
  finishFirst()
  const { rows } = await backUp(from.path, file, values.force === true)
  if (values.json) return { ok: true, file, rows: Object.fromEntries(rows) }
  return `Backed up ${short(from.path)} to ${file}: ${contents(rows)}.
The backup doesn't contain the secrets. To back those up, see docs/self-hosting.md.`
}

/** `placard restore FILE`: replaces the database with a backup. */
export async function restore(args: string[]): Promise<Output> {
  const { values, positionals } = readArgs(args, OPTIONS.restore, true)
  const file = oneFile(positionals)
  const to = readDatabase()
  const { restore, restoreInto } = await import('../local/backup.ts')
  finishFirst()
  if (to.kind === 'postgres') {
    const { rows } = await restoreInto(file, to.url)
    if (values.json) return { ok: true, rows: Object.fromEntries(rows) }
    return `Restored ${file} to ${placeOf(to)}: ${contents(rows)}.`
  }
  const database = to.path
  const { rows, applied, kept } = await restore(file, database, new Date())
  if (values.json) return { ok: true, database, kept, applied, rows: Object.fromEntries(rows) }
  const lines = [`Restored ${file} to ${short(database)}: ${contents(rows)}.`]
  if (applied.length > 0) {
    lines.push(`The backup is from an earlier version; applied migration ${applied.join(', ')}.`)
  }
  if (kept !== null) lines.push(`The previous database is now ${short(kept)}.`)
  return [...lines, 'Everybody is signed out of the admin. Start the service.'].join('\n')
}

/** @throws UsageError */
function oneFile([file = '', ...more]: string[]): string {
  if (!/[^/\\]$/.test(file) || more.length > 0)
    throw new UsageError('Give the path of one file, not of a folder')
  return file
}

/** Ignores Ctrl-C and similar signals, because finishing or cleaning up the copy takes only a moment. */
function finishFirst(): void {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})
}

/** The shortest form of a path: relative to the current folder if the file is in it. */
export function short(path: string): string {
  const inside = relative('', path)
  return inside.startsWith('..') ? path : inside || '.'
}

function contents(rows: ReadonlyMap<string, number>): string {
  const counted = (table: string) => rows.get(table) ?? 0
  return (
    `${counted('placard_event')} published, ${counted('placard_scheduled')} scheduled, ` +
    `${counted('placard_history')} history entries`
  )
}

/** `placard migrate`: brings the database's tables up to date. */
export async function migrate(args: string[]): Promise<Output> {
  const { values } = readArgs(args, OPTIONS.migrate)
  const database = readDatabase()
  const isNew = database.kind === 'sqlite' && !existsSync(database.path)
  const applied = await bringUpToDate(database)
  if (values.json) return { ok: true, applied }
  const where = placeOf(database)
  const done =
    applied.length > 0
      ? `Applied migration ${applied.join(', ')} to ${where}`
      : `Nothing to do: ${where} is up to date`
  // Report a new database, because its path may have been mistyped.
  return isNew ? `Created a new database: ${database.path} did not exist\n${done}` : done
}

/** The path of a SQLite database, or the name and host of a Postgres database. Never includes the password. */
export function placeOf(database: Database): string {
  if (database.kind === 'sqlite') return short(database.path)
  const { pathname, host, searchParams } = postgresUrl(database.url) as URL
  return `${pathname.slice(1) || 'the database'} at ${searchParams.get('host') ?? (host || 'this machine')}`
}
