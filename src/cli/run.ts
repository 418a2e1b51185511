import { relative } from 'node:path'
import v8 from 'node:v8'
import type { Logger } from 'pino'
import { describeError } from '../core/log.ts'
import { shellCommand } from '../core/shell-command.ts'
import type { Config, SecretSetting } from '../server/config.ts'
import { createLogger } from '../server/logger.ts'
import { type Service, serve } from '../server/serve.ts'

/** `placard serve`: runs until it is told to stop. */
export async function run(
  config: Config,
  print: (text: string) => void,
  json: boolean,
): Promise<void> {
  const log = createLogger(config)
  speakForNode(log)
  keepHeapSmall()
  const service = await serve(config, log)
  // Prepared before the service says that it listens, because a supervisor that reads that may stop it at once.
  const stopSignal = nextStopSignal()
  if (json || config.production || !process.stdout.isTTY) {
    log.info({ url: service.url, secret: placeOf(config.apiSecret) }, 'listening')
  } else print(welcome(service, config, await invitation(service, log)))

  log.info({ signal: await stopSignal }, 'stopping')
  await service.stop()
  log.info({}, 'stopped')
  // At once, because a signal that comes again while Node takes itself down would end it as if it had not stopped.
  process.exit()
}

/**
 * Keeps the heap close to what is in use. V8 would let the young generation grow to 64 MiB, all of it resident, and reads
 * would be no faster. It stays at the size that it has once the program is loaded, 4 MiB for each half. The old generation
 * is collected when it has grown by a third, not when it has doubled: 125 MiB are resident then after minutes of mixed work,
 * and not 180. Options of the command line would do the same, but not every way to start the service can set them.
 */
function keepHeapSmall(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=1')
  v8.setFlagsFromString('--heap-growing-percent=30')
}

/**
 * The listeners stay, because Ctrl-C may come twice: from the terminal, and from a parent process that forwards it. The
 * second must not end the process before it has stopped.
 */
function nextStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, resolve)
  })
}

/** Logs what Node itself would print, so that every line of output is a line of the log. */
function speakForNode(log: Logger): void {
  process.removeAllListeners('warning').on('warning', (warning) => {
    log.warn({ error: describeError(warning) }, 'warned by Node')
  })
  process.on('uncaughtException', (error) => {
    log.fatal({ error: describeError(error) }, 'ended by a fault')
    process.exit(1)
  })
}

/** How to get into the admin. A database that takes no writes now must not keep the service from answering reads. */
async function invitation(service: Service, log: Logger): Promise<string> {
  try {
    return `Open this link to put an announcement up. It works once, for ten minutes:

    ${await service.createLink()}`
  } catch (error) {
    log.error({ error: describeError(error) }, 'no link to the admin could be made')
    return `No link to the admin could be made. Once the database takes writes again, this makes one:

    ${shellCommand('open', service.publicUrl)}`
  }
}

/** Where it listens is certain; whether people reach it at `PUBLIC_URL` is up to the operator. */
function welcome({ url, publicUrl }: Service, config: Config, invited: string): string {
  const database =
    config.database.kind === 'sqlite' ? placeOf({ file: config.database.path }) : 'Postgres'
  const page = config.publicPage ? `    Page      ${publicUrl}/\n` : ''
  return `
  Placard is up at ${url}

  ${invited}

${page}    API       ${publicUrl}/api/events
    Stripe    ${publicUrl}/api/webhooks
    Database  ${database}
    Secret    ${placeOf(config.apiSecret)}

  Try this in another terminal:

    ${shellCommand('simulate coupon.created --name "Black Friday" --percent-off 25', publicUrl)}

  Ctrl-C stops it.
`
}

/** Where a secret is kept, never what it is. */
function placeOf(setting: SecretSetting): string {
  return 'file' in setting ? relative(process.cwd(), setting.file) || '.' : 'from the environment'
}
