import { type Client, ClientError, createClient } from '../client/client.ts'
import { nameOf, ownerSecret, splitSecrets } from '../core/secrets.ts'
import { shellCommand } from '../core/shell-command.ts'
import { readAccess, type SecretName } from '../local/config.ts'
import { existingSecret, existingServiceId } from '../local/secret-files.ts'
import { addressIn, bypassProxy, connectUrl } from './service/address.ts'
import { get } from './service/get.ts'
import { ELSEWHERE, heard, nothingSent, strangerIn } from './service/identity.ts'
import { escapeControls } from './terminal.ts'
import { UsageError } from './usage.ts'

/** The service that a command talks to. */
export interface Access {
  url: string
  /** The owner's first secret in the setting or, if all secrets there are colleagues', the first one. */
  secret: string | undefined
  /**
   * Where the secret is, or where the service will store it. `null` if the command needs no secret, or if none is set
   * and the service generates none.
   */
  origin: string | null
  /** The variable that sets the secret; `null` if the command needs no secret. */
  variable: SecretName | null
}

/**
 * Finds the address of the service and, if the command needs one, the secret.
 *
 * @param given the value of the option `--url`
 * @throws UsageError or ConfigError; for a secret from a file, also the errors of {@link makeSureOfService}
 */
export async function access(given: string | undefined, name: SecretName | null): Promise<Access> {
  const needs = { port: given === undefined, secret: name }
  const { secret: setting, origin, astray, ...local } = readAccess(needs)
  if (astray !== undefined) throw new UsageError(astray)
  const url = given === undefined ? connectUrl(local) : addressIn(given)
  bypassProxy(url)
  const secret = ownerSecret(splitSecrets((setting && existingSecret(setting)) ?? ''))
  if (secret !== undefined && setting && 'file' in setting) {
    await makeSureOfService(url, setting.file)
  }
  return { url, secret, origin, variable: name }
}

/** The commands' default address; `http://127.0.0.1:3000` if the settings are invalid, so that help still works. */
export function usualUrl(): string {
  try {
    return connectUrl(readAccess({ port: true }))
  } catch {
    return connectUrl({ host: '127.0.0.1', port: 3000 })
  }
}

/**
 * Creates the client for a command. The history attributes the client's writes to the command line (contract R8).
 *
 * @param name the secret that the command needs, or `null` if the command only reads public data
 */
export async function clientFor(
  { url, as }: { url?: string | undefined; as?: string | undefined },
  name: SecretName | null = 'EVENT_API_SECRET',
): Promise<{ client: Client; url: string }> {
  const found = await access(url, name)
  warnOfName('--as', as, found)
  const client = createClient({ ...found, actor: as, headers: { 'Placard-Via': 'cli' } })
  const explain = explaining(found)
  const methods = Object.entries<(...args: never[]) => Promise<unknown>>(client)
  const explained = methods.map(([name, method]) => [
    name,
    (...args: never[]) => method(...args).catch(explain),
  ])
  return { client: Object.fromEntries(explained), url: found.url }
}

/**
 * Says that a name has no effect if the secret belongs to somebody else (contract A4). Writes to stderr, so that
 * programs can still read the command's output.
 */
export function warnOfName(
  option: '--as' | '--for',
  given: string | undefined,
  { secret = '', origin }: Access,
): void {
  const name = nameOf(secret)
  if (given === undefined || name === null || name.toLowerCase() === given.toLowerCase()) return
  const ignored = `${option} ${escapeControls(given)} has no effect`
  const why = `the secret from ${origin} is ${name}'s, so the history says ${name}`
  process.stderr.write(`placard: ${ignored}: ${why}\n`)
}

/**
 * Returns an error handler that sets `asked` on a `ClientError`, to say which address and which secret were used, and
 * which command looks for the cause of a 5xx.
 */
export function explaining({ url, secret, origin, variable }: Access): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ClientError)) throw error
    // A fault of the input or a conflict isn't about the address or the secret.
    if (INPUT.includes(error.status)) throw error
    // Without an error response, the message already names the address, and a secret that was sent isn't the cause.
    if (error.status < 400 && (origin === null || secret !== undefined)) throw error
    const means =
      secret === undefined
        ? ` without a secret: ${variable} is not set, and there is none in ${origin}`
        : ` with the secret from ${origin}`
    const next =
      error.status >= 500 ? `. If it fails again, run: ${shellCommand('doctor', url)}` : ''
    const asked = `. Called ${url}${origin === null ? '' : means}${next}`
    throw Object.assign(error, { asked })
  }
}

/** The statuses that reject the input or report a conflict, so the address and the secret are right. */
const INPUT = [400, 409, 412, 413]

/** The timeout for requesting the service's id, which Placard returns without delay. */
const HEALTH_TIMEOUT_MS = 5_000

/**
 * Checks that the service at `url` has the id in the file beside the secret, so that the secret is sent only to the
 * service that it belongs to. Another service may have taken over the port since the secret was stored.
 *
 * The check prevents mistakes, not attacks: the id isn't secret, so a hostile program can claim it.
 *
 * @param secretFile the file that the secret was read from
 * @throws ClientError if nothing answers; if another service or program answers, an Error that says what to do
 */
async function makeSureOfService(url: string, secretFile: string): Promise<void> {
  const id = existingServiceId(secretFile)
  // No service has stored an id beside the secret yet, so there is nothing to compare.
  if (id === undefined) return
  const endpoint = `${url}/healthz`
  const health = heard(await get(endpoint, HEALTH_TIMEOUT_MS, { redirect: 'manual' }))
  if ('silent' in health) {
    throw new ClientError(`Nothing answers at ${endpoint}`, 0, {}, new Error(health.silent))
  }
  const stranger = strangerIn(health, id)
  if (stranger !== undefined) {
    throw new Error(`${url} is ${stranger}, ${nothingSent(secretFile)}. ${ELSEWHERE}`)
  }
}
