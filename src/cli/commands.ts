import type { AnnouncementType } from '../announcement.ts'
import { readConfig } from '../server/config.ts'
import { clientFor } from './access.ts'
import { current, history, list, undo } from './look.ts'
import { publish } from './publish.ts'
import { simulate } from './simulate.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

type Command = (args: string[], print: Print) => Promise<void>

/** A map, not an object: `placard constructor` is no command. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({ serve, publish, current, list, history, undo, withdraw, simulate }),
)

async function serve(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  const { run } = await import('./run.ts')
  await run(readConfig(), print, values.json === true)
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
  const { deleted, message } = await clientFor(values).withdraw(selector)
  print(values.json ? JSON.stringify({ ok: true, deleted, message }) : message)
}
