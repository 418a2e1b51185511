import { type Client, ClientError, createClient } from '../client/client.ts'
import { parseSecrets } from '../core/secrets.ts'
import { readAccess, type SecretName } from '../server/config.ts'
import { existingSecret, existingServiceId } from '../server/kept-files.ts'
import { type Answer, fieldsIn, get } from './get.ts'
import { UsageError } from './usage.ts'

/** The service that a command talks to. */
export interface Access {
  url: string
  /** The first secret of the setting, which holds several during a rotation. */
  secret: string | undefined
  /** Where the secret comes from, or would come from; `null` if the command needs none, or it must be set and isn't. */
  origin: string | null
  /** The variable that sets the secret; `null` if the command needs none. */
  variable: SecretName | null
}

/**
 * Finds the address of the service and, if the command needs it, the secret.
 *
 * @param given the option `--url`
 * @throws UsageError; ConfigError; for a secret from a file, also the errors of {@link makeSureOfService}
 */
export async function access(given: string | undefined, name: SecretName | null): Promise<Access> {
  const needs = { port: given === undefined, secret: name }
  const { secret: setting, origin, ...local } = readAccess(needs)
  const url = given === undefined ? localUrl(local) : addressIn(given)
  const [secret] = parseSecrets((setting && existingSecret(setting)) ?? '').secrets
  if (secret !== undefined && setting && 'file' in setting) {
    await makeSureOfService(url, setting.file)
  }
  return { url, secret, origin, variable: name }
}

/** The address that commands use by default; `http://127.0.0.1:3000` if the settings are invalid, so help works. */
export function usualUrl(): string {
  try {
    return localUrl(readAccess({ port: true }))
  } catch {
    return localUrl({ host: '127.0.0.1', port: 3000 })
  }
}

/** Wildcard addresses, which clients on some systems can't connect to, and the loopback address for each. */
const OWN: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address at which this machine reaches a service with these settings. */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const name = OWN[host] ?? host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** @throws UsageError that doesn't repeat a password */
export function addressIn(given: string, option = '--url'): string {
  const { protocol, username, password } = URL.canParse(given) ? new URL(given) : {}
  if (username || password) throw new UsageError(`${option} takes no user name or password`)
  if (protocol !== 'http:' && protocol !== 'https:') {
    const shown = given.replace(/^.*@/s, '…@')
    throw new UsageError(`${option} takes http://… or https://…, not "${shown}"`)
  }
  return given.replace(/\/+$/, '')
}

/**
 * Creates the client for a command. The history attributes its writes to the command line (contract R8).
 *
 * @param name the secret that it needs, or `null` if it only reads public data
 */
export async function clientFor(
  { url, as }: { url?: string | undefined; as?: string | undefined },
  name: SecretName | null = 'EVENT_API_SECRET',
): Promise<{ client: Client; url: string }> {
  const found = await access(url, name)
  const client = createClient({ ...found, actor: as, headers: { 'Placard-Via': 'cli' } })
  const explain = explaining(found)
  const methods = Object.entries<(...args: never[]) => Promise<unknown>>(client)
  const explained = methods.map(([name, method]) => [
    name,
    (...args: never[]) => method(...args).catch(explain),
  ])
  return { client: Object.fromEntries(explained), url: found.url }
}

/** Returns a handler that adds `asked` to a request's error: the service's address and where the secret came from. */
export function explaining({ url, secret, origin, variable }: Access): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ClientError)) throw error
    // Without an error response, the error already names the address, and no secret was accepted or rejected.
    if (error.status < 400 && (origin === null || secret !== undefined)) throw error
    const means =
      secret === undefined
        ? ` without a secret: ${variable} is not set, and there is none in ${origin}`
        : ` with the secret from ${origin}`
    throw Object.assign(error, { asked: `. Asked ${url}${origin === null ? '' : means}` })
  }
}

/** The timeout of the request for the service's id, to which Placard responds without delay. */
const PATIENCE_MS = 5_000

/**
 * Makes sure that a secret is sent only to its own service, whose id is kept beside it. By now, another service may be
 * using the port.
 *
 * This guards against mistakes only: the id isn't secret, so a hostile program can claim it.
 *
 * @param secretFile where the secret was read from
 * @throws ClientError if nothing answers; Error, with what to do, if another service or program answers
 */
async function makeSureOfService(url: string, secretFile: string): Promise<void> {
  const id = existingServiceId(secretFile)
  // No start has created an id yet, so there is nothing to compare.
  if (id === undefined) return
  const endpoint = `${url}/healthz`
  const health = await get(endpoint, PATIENCE_MS, { redirect: 'manual' })
  if ('silent' in health) {
    throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, new Error(health.silent))
  }
  const stranger = strangerIn(health, id)
  if (stranger !== undefined) {
    throw new Error(`${url} is ${stranger}, ${nothingSent(secretFile)}. ${ELSEWHERE}`)
  }
}

/**
 * Describes the service that sent this response to `GET /healthz`; `undefined` if it is the right one.
 *
 * @param id the id of the right service; `undefined` if any will do
 */
export function strangerIn(answer: Answer, id: string | undefined): string | undefined {
  const found = answer.status === 200 ? fieldsIn(answer) : {}
  if (found.ok !== true) return `not Placard (GET /healthz answers ${answer.status})`
  if (id === undefined || found.id === id) return undefined
  if (typeof found.id !== 'string') return 'a service without an id'
  return `another service (its id is ${JSON.stringify(found.id.slice(0, 36))})`
}

export const nothingSent = (secretFile: string | null) =>
  `not the service whose secret is in ${secretFile}, so nothing was sent`

export const ELSEWHERE =
  'Give the address of that service with --url, ' +
  "or run this in that service's folder, or set EVENT_API_SECRET"
