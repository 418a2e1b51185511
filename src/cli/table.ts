import { readConfig } from '../server/config.ts'
import { type Print, readArgs, UsageError } from './usage.ts'

type Command = (args: string[], print: Print) => Promise<void>

/** The commands, loaded on use, because together they take a tenth of a start. */
const LOADERS = {
  serve: async () => serve,
  open: async () => (await import('./open.ts')).open,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
  publish: async () => (await import('./publish.ts')).publish,
  edit: async () => (await import('./edit.ts')).edit,
  current: async () => (await import('./look.ts')).current,
  list: async () => (await import('./look.ts')).list,
  history: async () => (await import('./look.ts')).history,
  undo: async () => (await import('./look.ts')).undo,
  withdraw: async () => (await import('./withdraw.ts')).withdraw,
  simulate: async () => (await import('./simulate.ts')).simulate,
  doctor: async () => (await import('./doctor.ts')).doctor,
} satisfies Record<string, () => Promise<Command>>

/** A map, because an object would make `placard constructor` a command. */
export const commands: ReadonlyMap<string, () => Promise<Command>> = new Map(
  Object.entries(LOADERS),
)

async function serve(args: string[], print: Print): Promise<void> {
  const { values } = readArgs(args, {})
  if (values.url !== undefined)
    throw new UsageError('serve takes no --url, but HOST, PORT and PUBLIC_URL')
  const { run } = await import('./run.ts')
  await run(readConfig(), print, values.json === true)
}
