import v8 from 'node:v8'
import type { Logger } from 'pino'
import { describeError } from '../core/log.ts'
import { commandFrom } from '../core/shell-command.ts'
import type { Config } from '../local/config.ts'
import { createLogger } from '../server/logger.ts'
import { type RunningServer, serve } from '../server/serve.ts'
import { placeOf, short } from './backup.ts'

/** `placard serve`: runs the service until a signal stops it. */
export async function run(
  config: Config,
  print: (text: string) => void,
  json: boolean,
): Promise<never> {
  const log = createLogger(config)
  speakForNode(log)
  // By default, V8 lets its heap grow for speed that no reader notices: with 10,000 open pages, to 170 MiB instead of 117.
  for (const flag of ['--heap-growing-percent=30', '--semi-space-growth-factor=1']) {
    v8.setFlagsFromString(flag)
  }
  const service = await serve(config, log)
  // Listen for signals first, because a supervisor may stop the service as soon as it reads “listening”.
  const stopSignal = nextStopSignal()
  if (json || config.production || !process.stdout.isTTY) {
    const places = { database: databasePlace(service, config), secret: secretPlace(config) }
    const { url, elsewhere } = service
    log.info({ url, ...(elsewhere.length > 0 && { elsewhere }), ...places }, 'listening')
  } else print(welcome(service, config, await invitation(service, log)))

  log.info({ signal: await stopSignal }, 'stopping')
  await service.stop()
  log.info({}, 'stopped')
  // Exit immediately, because another signal while Node shuts down would change the exit code.
  process.exit()
}

/**
 * Resolves with the first stop signal. The listeners stay, because Ctrl-C may arrive twice: from the terminal, and from
 * a parent that forwards it. The second signal must not end the process before the service has stopped.
 */
function nextStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, resolve)
  })
}

/** Logs the warnings and errors that Node itself would print, so that every line of output is a log line. */
function speakForNode(log: Logger): void {
  process.removeAllListeners('warning').on('warning', (warning) => {
    log.warn({ error: describeError(warning) }, 'Node issued a warning')
  })
  process.on('uncaughtException', (error) => {
    log.fatal({ error: describeError(error) }, 'exiting because of an uncaught error')
    process.exit(1)
  })
}

/** Offers a link to the admin. If the database rejects writes, the service starts without a link and serves reads. */
async function invitation(service: RunningServer, log: Logger): Promise<string> {
  try {
    return `Open this link to publish an announcement. It works once, within ten minutes:

    ${await service.createLink()}`
  } catch (error) {
    log.error({ error: describeError(error) }, 'could not create a link to the admin')
    return `Could not create an admin link. Once the database accepts writes again, create one with:

    ${commandFrom(process.cwd(), 'open', service.publicUrl)}`
  }
}

/** The service listens at `url`. Whether people reach the service at `PUBLIC_URL` depends on its proxy and DNS. */
function welcome(service: RunningServer, config: Config, invited: string): string {
  const { url, publicUrl, elsewhere } = service
  const reached =
    elsewhere.length > 0
      ? `\n  Because of HOST, other machines can reach it: ${elsewhere.slice(0, 3).join(', ')}\n`
      : ''
  const here = (command: string) => commandFrom(process.cwd(), command, publicUrl)
  const page = config.publicPage ? `    Page      ${publicUrl}/\n` : ''
  return `
  Placard is up at ${url}
${reached}
  ${invited}

${page}    API       ${publicUrl}/api/events
    Stripe    ${publicUrl}/api/webhooks
    Database  ${databasePlace(service, config)}
    Secret    ${secretPlace(config)}

  Or publish from another terminal, in any folder:

    ${here('publish "We wrote about caching" --slug /blog/caching')}

  To see what a coupon in Stripe does:

    ${here('simulate coupon.created --name "Black Friday" --percent-off 25')}

  Press Ctrl-C to stop the service.
`
}

/** Says where the database is, and whether it is new: if its file was moved away, the service creates an empty one. */
function databasePlace({ isNew }: RunningServer, { database }: Config): string {
  return `${placeOf(database)}${isNew ? ' (new)' : ''}`
}

/** Says where the API secret comes from: its file or its setting. */
function secretPlace({ apiSecret }: Config): string {
  return 'file' in apiSecret ? short(apiSecret.file) : 'EVENT_API_SECRET'
}
