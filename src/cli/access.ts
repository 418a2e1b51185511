import { type Client, ClientError, createClient } from '../client/client.ts'
import { parseSecrets } from '../core/secrets.ts'
import { readAccess, type SecretName } from '../server/config.ts'
import { existingSecret } from '../server/secret-file.ts'
import { makeSureOfService } from './right-service.ts'
import { UsageError } from './usage.ts'

/** The service that a command asks. */
export interface Access {
  url: string
  /** While secrets are rotated there are several, and this is the first. */
  secret: string | undefined
  /** Where the secret comes from, or would; `null` if the command needs none. */
  origin: string | null
  /** The variable that sets it; `null` if the command needs none. */
  variable: SecretName | null
}

/**
 * Where the service is, and its secret.
 *
 * @param given the option `--url`
 * @throws Error if the secret is kept in a file, and the service at that address is not the one it belongs to
 */
export async function access(given: string | undefined, name: SecretName | null): Promise<Access> {
  const needs = { port: given === undefined, secret: name }
  const { secret: setting, origin, ...local } = readAccess(needs)
  const url = given === undefined ? localUrl(local) : addressIn(given)
  const list = setting === null ? undefined : existingSecret(setting)
  const [secret] = parseSecrets(list ?? '').secrets
  if (secret !== undefined && setting !== null && 'file' in setting) {
    await makeSureOfService(url, setting.file)
  }
  return { url, secret, origin, variable: name }
}

/** Where a command goes that doesn't say where. If the settings have faults, help is still there. */
export function usualUrl(): string {
  try {
    return localUrl(readAccess({ port: true }))
  } catch {
    return localUrl({ host: '127.0.0.1', port: 3000 })
  }
}

/** The wildcard addresses, which nobody can ask, and this machine's own of the same kind. */
const OWN: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a service with these settings is asked on this machine. */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const name = OWN[host] ?? host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** @throws UsageError that doesn't repeat a password */
export function addressIn(given: string): string {
  const { protocol, username, password } = URL.canParse(given) ? new URL(given) : {}
  if (username || password) throw new UsageError('--url takes no user and no password')
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`--url takes http://… or https://…, not "${given}"`)
  }
  return given.replace(/\/+$/, '')
}

/**
 * A client for what a command needs. The history shows its writes as those of the command line (contract R8).
 *
 * @param name the secret that it needs, or `null` if it only reads what everybody may read
 */
export async function clientFor(
  { url, as }: { url?: string | undefined; as?: string | undefined },
  name: SecretName | null = 'EVENT_API_SECRET',
): Promise<{ client: Client; url: string }> {
  const found = await access(url, name)
  const client = createClient({ ...found, actor: as, headers: { 'Placard-Via': 'cli' } })
  const explain = explaining(found)
  const explained = Object.entries(client).map(([name, method]) => [
    name,
    (...args: unknown[]) => method(...args).catch(explain),
  ])
  return { client: Object.fromEntries(explained), url: found.url }
}

/** The error of a request, and which service was asked with which secret. */
export class AskedError extends ClientError {
  /** A sentence that comes after what is wrong: `Asked http://… with the secret from .env`. */
  readonly asked: string

  constructor(error: ClientError, asked: string) {
    const { message, status, issues, retryAfter } = error
    super(message, status, { issues, retryAfter }, error.cause)
    this.asked = asked
  }
}

/** Adds to the error of a request which service was asked, and where the secret came from. */
export function explaining({ url, secret, origin, variable }: Access): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ClientError)) throw error
    // What is no answer of Placard's names the address, and neither took nor refused a secret.
    if (error.status < 400 && (origin === null || secret !== undefined)) throw error
    const means =
      origin === null
        ? ''
        : secret === undefined
          ? ` without a secret: ${variable} is not set, and there is none in ${origin}`
          : ` with the secret from ${origin}`
    throw new AskedError(error, `Asked ${url}${means}`)
  }
}
