import { Writable } from 'node:stream'
import pino from 'pino'
import { readConfig } from '../src/local/config.ts'
import { type RunningServer, serve } from '../src/server/serve.ts'
import { afterFile } from './after-file.ts'
import { httpMount, type Mount, readOwned, SECRETS } from './harness.ts'
import { temporaryDirectory } from './stores.ts'

export interface Running extends Mount {
  service: RunningServer
  port: number
  /** Everything that was logged, as it was written. */
  logged(): string
  /** The values of these metrics, by name and labels. */
  metrics(names: string): Promise<Record<string, number>>
}

/**
 * The whole service in this process, with real sockets, a real file and a free port. Stops after the test file.
 *
 * @param onLog gets each log line as it is written, even before the service listens
 */
export async function running(
  environment: Record<string, string> = {},
  onLog: (line: string) => void = () => {},
): Promise<Running> {
  const config = readConfig(
    { PORT: '0', TRUST_PROXY: '1', ...SECRETS, ...environment },
    temporaryDirectory(),
  )
  let written = ''
  const output = new Writable({
    write(chunk, _, done) {
      written += chunk
      onLog(String(chunk))
      done()
    },
  })
  const service = await serve(config, pino({ level: config.logLevel }, output))
  const { port } = new URL(service.url)
  let stopped: Promise<void> | undefined
  const close = () => {
    stopped ??= service.stop()
    return stopped
  }
  afterFile(close)
  const mount = httpMount(`http://127.0.0.1:${port}`)
  return {
    ...mount,
    async metrics(names) {
      const text = await (await readOwned(mount, '/metrics')).text()
      const found = text.matchAll(new RegExp(`^placard_(${names})({.*})? (\\S+)$`, 'gm'))
      return Object.fromEntries(
        [...found].map(([, name, labels = '', value]) => [`${name}${labels}`, Number(value)]),
      )
    },
    service,
    port: Number(port),
    logged: () => written,
    close,
  }
}
