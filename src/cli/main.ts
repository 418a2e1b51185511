import manifest from '../../package.json' with { type: 'json' }
import { ClientError } from '../client/send.ts'
import { rootCause } from '../core/log.ts'
import { TimeError } from '../core/times.ts'
import { ConfigError, readConfig } from '../server/config.ts'
import { AskedError, usualUrl } from './access.ts'
import { helpFor, OVERVIEW } from './help.ts'
import { didYouMean, type Print, readArgs, UsageError } from './usage.ts'

/** Exit codes: 0 done, 1 refused or unreachable, 2 not understood. */
async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    print(OVERVIEW)
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    print(manifest.version)
    return 0
  }
  try {
    if (name === 'help') {
      const [topic] = args
      if (topic !== undefined) assertCommand(topic)
      print(topic === undefined ? OVERVIEW : helpFor(topic, usualUrl()))
      return 0
    }
    const load = assertCommand(name)
    if (args.includes('--help') || args.includes('-h')) print(helpFor(name, usualUrl()))
    else await (await load())(args, print)
    return 0
  } catch (error) {
    const { text, code } = explain(error, name)
    process.stderr.write(
      args.includes('--json')
        ? `${JSON.stringify({ error: text, ...(error instanceof ClientError && { status: error.status, issues: error.issues }) })}\n`
        : `placard: ${text}\n`,
    )
    return code
  }
}

/** @throws UsageError */
function assertCommand(name: string) {
  const load = commands.get(name)
  if (load) return load
  throw new UsageError(`There is no command ${name}${didYouMean(name, [...commands.keys()])}`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`, (error: NodeJS.ErrnoException | null | undefined) => {
    // The reader has closed the pipe, as `| head` does. The command has done its work.
    if (!error || error.code === 'EPIPE') return
    process.stderr.write(`placard: ${error.message}\n`)
    process.exitCode = 1
  })
}

/** One line with the error and what to do next. */
function explain(error: unknown, name: string): { text: string; code: number } {
  if (error instanceof UsageError || error instanceof TimeError)
    return {
      text: `${error.message}${error.message.endsWith('?') ? '' : '.'} See: placard help${commands.has(name) ? ` ${name}` : ''}`,
      code: 2,
    }
  if (error instanceof ConfigError) return { text: error.message, code: 2 }
  if (error instanceof ClientError) {
    const asked = error instanceof AskedError ? `. ${error.asked}` : ''
    const rest = error.status < 400 ? [asked, hint(error)] : [hint(error), asked]
    return { text: [error.message, ...rest].join(''), code: 1 }
  }
  const { message, code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return {
      text: `${message}. Stop the program that uses that port, or set PORT to another`,
      code: 1,
    }
  return { text: message, code: 1 }
}

function hint(error: ClientError): string {
  const { status, issues, retryAfter } = error
  if (status === 0) {
    // OpenSSL's messages have several lines, with positions in its sources.
    const cause = rootCause(error).replace(/^.*:SSL routines:[^:]*:([^:]*):.*$/s, 'TLS: $1')
    return cause.includes('ECONNREFUSED')
      ? '. Start the service (npm start), or give its address with --url'
      : ` (${cause}). Give the address of the service with --url`
  }
  if (status < 400) return '. Give the address of the service itself with --url'
  if (status === 401) return '. Set EVENT_API_SECRET to the secret of that service'
  if (status === 400 && issues.length > 0) {
    return `: ${issues.map(({ path, message }) => said(path, message)).join('; ')}`
  }
  if (retryAfter !== undefined) return `. Try again in ${retryAfter} s`
  return ''
}

/** The options for the fields of the API, and for other fields in messages. */
const OPTIONS: Record<string, string> = {
  text: 'the text',
  startsAt: '--from',
  expiresAt: '--until',
  translations: '--translation',
}

/** A fault in a field of the API, in terms of the option for it. */
function said(path: string, message: string): string {
  const [field = '', tag = ''] = path.split(/\.(.*)/)
  const given = process.argv.find((word) => /^--(for|expires-at)(=|$)/.test(word))
  const option =
    field === 'expiresAt' && given
      ? given.replace(/=.*/, '')
      : (OPTIONS[field] ?? (field && `--${field}`))
  const named = message.replace('startsAt', '--from').replace('expiresAt', '--until')
  return [option, tag, named].filter((part) => part !== '').join(' ')
}

type Command = (args: string[], print: Print) => Promise<void>

/** The commands, loaded on use, because together they take a tenth of a start. */
const LOADERS = {
  serve: async () => serve,
  open: async () => (await import('./open.ts')).open,
  migrate: async () => (await import('./backup.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
  publish: async () => (await import('./publish.ts')).publish,
  edit: async () => (await import('./edit.ts')).edit,
  current: async () => (await import('./look.ts')).current,
  list: async () => (await import('./look.ts')).list,
  history: async () => (await import('./look.ts')).history,
  undo: async () => (await import('./look.ts')).undo,
  withdraw: async () => (await import('./publish.ts')).withdraw,
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

// Without a listener, a closed or full output would end the process. A service goes on without its log.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
const code = await main(process.argv.slice(2))
if (code !== 0) process.exitCode = code
