import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { readDatabase } from '../server/config.ts'
import { bringUpToDate } from '../server/database.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

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
