import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { readDatabase } from '../server/config.ts'
import { bringUpToDate } from '../server/database.ts'
import { OPTIONS } from './options.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

/** `placard backup FILE` */
export async function backup(args: string[], print: Print): Promise<void> {
  const { values, positionals } = readArgs(args, OPTIONS.backup, true)
  const { file, database: from } = files('backup', values.url, positionals)
  if (from.kind === 'postgres') {
    throw new Error('backup is for SQLite. With Postgres, use pg_dump: see docs/scaling.md')
  }
  const database = from.path
  const { backUp } = await import('../server/backup.ts')
  finishFirst()
  const { rows } = await backUp(database, file, values.force === true)
  if (values.json) return print(JSON.stringify({ ok: true, file, rows: Object.fromEntries(rows) }))
  print(`Backed up ${short(database)} to ${file}: ${contents(rows)}.
The secrets are not in it: see docs/self-hosting.md.`)
}

/** `placard restore FILE` */
export async function restore(args: string[], print: Print): Promise<void> {
  const { values, positionals } = readArgs(args, {}, true)
  const { file, database: to } = files('restore', values.url, positionals)
  const { restore, restoreInto } = await import('../server/backup.ts')
  finishFirst()
  if (to.kind === 'postgres') {
    const { rows } = await restoreInto(file, to.url)
    if (values.json) return print(JSON.stringify({ ok: true, rows: Object.fromEntries(rows) }))
    return print(`Restored ${file} to ${placeOf(to.url)}: ${contents(rows)}.`)
  }
  const database = to.path
  const { rows, applied, kept } = await restore(file, database, new Date())
  if (values.json) {
    return print(
      JSON.stringify({ ok: true, database, kept, applied, rows: Object.fromEntries(rows) }),
    )
  }
  print(`Restored ${file} to ${short(database)}: ${contents(rows)}.`)
  if (applied.length > 0)
    print(`An earlier version had made it; applied migration ${applied.join(', ')}.`)
  if (kept !== null) print(`What was there before is in ${short(kept)}.`)
  print('Everybody is signed out of the admin. Start the service.')
}

/** @throws UsageError */
function files(command: string, url: string | undefined, [file, ...more]: string[]) {
  if (url !== undefined) throw new UsageError(`${command} takes no --url, but DATABASE_URL`)
  if (!file || more.length > 0) {
    throw new UsageError('Name one file')
  }
  return { file, database: readDatabase() }
}

/** Makes Ctrl-C wait until a copy is whole or deleted, which takes a moment. */
function finishFirst(): void {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})
}

const short = (path: string) => relative('', path) || '.'

function contents(rows: ReadonlyMap<string, number>): string {
  const counted = (table: string) => rows.get(table) ?? 0
  return (
    `${counted('placard_event')} up, ${counted('placard_scheduled')} scheduled, ` +
    `${counted('placard_history')} entries of the history`
  )
}

/** `placard migrate` */
export async function migrate(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  if (values.url !== undefined) throw new UsageError('migrate takes no --url, but DATABASE_URL')
  const database = readDatabase()
  const isNew = database.kind === 'sqlite' && !existsSync(database.path)
  const applied = await bringUpToDate(database)
  if (values.json) return print(JSON.stringify({ ok: true, applied }))
  // A file's name is easily mistyped.
  if (isNew) print(`There was no ${database.path}, so a new database was made`)
  const where = database.kind === 'sqlite' ? relative('', database.path) : placeOf(database.url)
  const done = applied.length > 0
  print(
    done
      ? `Applied migration ${applied.join(', ')} to ${where}`
      : `Nothing to do: ${where} is up to date`,
  )
}

/** The address of a database without its user and password. */
export function placeOf(url: string): string {
  const { pathname, host } = new URL(url)
  return `${pathname.slice(1) || 'the database'} at ${host || 'this machine'}`
}
