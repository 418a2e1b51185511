import { relative } from 'node:path'
import type { AnnouncementType } from '../announcement.ts'
import { readConfig, readDatabase } from '../server/config.ts'
import { clientFor } from './access.ts'
import { backup, restore } from './backup.ts'
import { doctor } from './doctor.ts'
import { current, history, list, undo } from './look.ts'
import { open } from './open.ts'
import { publish } from './publish.ts'
import { simulate } from './simulate.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

type Command = (args: string[], print: Print) => Promise<void>

/** A map, not an object, as `placard constructor` is no command. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    serve,
    open,
    migrate,
    backup,
    restore,
    publish,
    current,
    list,
    history,
    undo,
    withdraw,
    simulate,
    doctor,
  }),
)

async function serve(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  const { run } = await import('./run.ts')
  await run(readConfig(), print, values.json === true)
}

async function migrate(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  if (values.url !== undefined) throw new UsageError('migrate takes no --url, but DATABASE_URL')
  const database = readDatabase()
  const { bringUpToDate } = await import('../server/database.ts')
  const applied = await bringUpToDate(database)
  if (values.json) return print(JSON.stringify({ ok: true, applied }))
  const where = database.kind === 'sqlite' ? relative('', database.path) : placeOf(database.url)
  const done = applied.length > 0
  print(
    done ? `Applied ${applied.join(', ')} to ${where}` : `Nothing to do: ${where} is up to date`,
  )
}

/** Which database it is, without its user and password. */
function placeOf(url: string): string {
  const { pathname, host } = new URL(url)
  return `${pathname.slice(1) || 'the database'} at ${host || 'this machine'}`
}

async function withdraw(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {
    type: { type: 'string' },
    id: { type: 'string' },
    as: { type: 'string' },
  })
  const { type, id } = values
  if ((type === undefined) === (id === undefined)) {
    throw new UsageError('Say which: --type TYPE or --id ID')
  }
  const selector = id === undefined ? { type: type as AnnouncementType } : { id }
  const { client } = await clientFor(values)
  const { deleted, message } = await client.withdraw(selector)
  print(values.json ? JSON.stringify({ ok: true, deleted, message }) : message)
}
