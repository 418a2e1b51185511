import manifest from '../../package.json' with { type: 'json' }
import { ClientError } from '../client/send.ts'
import { ConfigError, readConfig } from '../local/config.ts'
import { TimeError } from '../times/parse.ts'
import { usualUrl } from './access.ts'
import { helpFor, OVERVIEW } from './help.ts'
import { type CommandName, LOCAL, OPTIONS } from './options.ts'
import { fixFor, why } from './service/get.ts'
import { escapeControls, forTerminal } from './terminal.ts'
import { didYouMean, type Output, readArgs, UsageError } from './usage.ts'

/**
 * Runs a command with the environment, the folder and the outputs of this process.
 *
 * @returns the exit code: 0 for success, 1 for a failure, 2 for a usage or configuration error
 */
export async function runCommand([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    print(OVERVIEW)
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-v') {
    print(manifest.version)
    return 0
  }
  try {
    print(await answerTo(name, args))
    return 0
  } catch (error) {
    const text = explain(error, name)
    const refused = error instanceof ClientError && { status: error.status, issues: error.issues }
    const isJson = args.includes('--json')
    const said = isJson ? JSON.stringify({ error: text, ...refused }) : `placard: ${text}`
    process.stderr.write(`${forTerminal(said)}\n`)
    const isMisuse = [UsageError, TimeError, ConfigError].some((kind) => error instanceof kind)
    return isMisuse ? 2 : 1
  }
}

async function answerTo(name: string, args: string[]): Promise<Output> {
  if (name === 'help') {
    const [topic] = args
    return topic === undefined ? OVERVIEW : helpFor(known(topic), usualUrl())
  }
  const command = known(name)
  if (args.includes('--help') || args.includes('-h')) return helpFor(command, usualUrl())
  if (command in LOCAL && args.some((word) => /^--url(=|$)/.test(word))) {
    throw new UsageError(`${command} takes no --url; it reads ${LOCAL[command]}`)
  }
  const run = await LOADERS[command]()
  return run(args)
}

/** @throws UsageError */
function known(name: string): CommandName {
  if (Object.hasOwn(LOADERS, name)) return name as CommandName
  throw new UsageError(`There is no command ${name}${didYouMean(name, Object.keys(LOADERS))}`)
}

function print(answer: Output): void {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  process.stdout.write(
    `${forTerminal(text)}\n`,
    (error: NodeJS.ErrnoException | null | undefined) => {
      // EPIPE means that the reader closed the pipe, as `| head` does. The command itself succeeded.
      if (!error || error.code === 'EPIPE') return
      process.stderr.write(`placard: ${error.message}\n`)
      process.exitCode = 1
    },
  )
}

/** Describes an error and what to do about it. */
function explain(error: unknown, name: string): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (error instanceof UsageError || error instanceof TimeError) {
    const topic = Object.hasOwn(LOADERS, name) ? ` ${name}` : ''
    return `${message}${message.endsWith('?') ? '' : '.'} See: placard help${topic}`
  }
  if (error instanceof ClientError) {
    return escapeControls(`${message}${hint(error)}${'asked' in error ? error.asked : ''}`)
  }
  if (code !== 'EADDRINUSE') return message
  return `${message}. Stop the program that uses that port, or set PORT to a free port`
}

function hint(error: ClientError): string {
  const { status, issues, retryAfter, cause } = error
  if (status === 0) {
    const silence = why(cause)
    return ` (${silence.silent}). ${fixFor(silence)}`
  }
  if (status < 400) return '. Give the address of the service itself with --url'
  if (status === 401) return ". Set EVENT_API_SECRET to that service's secret"
  if (status === 400 && issues.length > 0) {
    return `: ${issues.map(({ path, message }) => said(path, message)).join('; ')}`
  }
  return retryAfter === undefined ? '' : `. Try again in ${retryAfter} s`
}

/** The options whose names differ from the API's field names. */
const OPTION_FOR: Record<string, string> = {
  text: 'the text',
  startsAt: '--from',
  expiresAt: '--until',
  translations: '--translation',
  slugs: '--slug-for',
  name: '--for',
}

/** Describes an issue with a field of the API in terms of the option for that field. */
function said(path: string, message: string): string {
  const [field = '', tag = ''] = path.split(/\.(.*)/)
  const hasSpan = process.argv.some((word) => /^--for(=|$)/.test(word))
  const option =
    field === 'expiresAt' && hasSpan ? '--for' : (OPTION_FOR[field] ?? (field && `--${field}`))
  const named = message.replace('startsAt', '--from').replace('expiresAt', '--until')
  return [option, tag, named].filter((part) => part !== '').join(' ')
}

/** Loads only the command that is used, because loading all of them takes a tenth of the start-up time. */
const LOADERS: Record<CommandName, () => Promise<(args: string[]) => Promise<Output>>> = {
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
}

async function serve(args: string[]): Promise<never> {
  const { values } = readArgs(args, OPTIONS.serve)
  const { run } = await import('./run.ts')
  return run(readConfig(), print, values.json === true)
}
