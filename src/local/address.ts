import { networkInterfaces } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isLoopback } from '../core/shell-command.ts'

/**
 * The listening address as a person would type it: the default and wildcard addresses become `localhost`.
 *
 * @param port the port that the server listens on, which differs from `PORT` if that is 0
 */
export function localUrl(host: string, port: number): string {
  const isLocal = ['127.0.0.1', '0.0.0.0', '::'].includes(host)
  return `http://${isLocal ? 'localhost' : inUrl(host)}:${port}`
}

/** Returns the addresses at which other machines can reach a server that listens on `address`. */
export function outsideAddresses(address: string): string[] {
  if (address !== '0.0.0.0' && address !== '::') {
    return isLoopback(`http://${inUrl(address)}`) ? [] : [address]
  }
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? [])
  const isUsed = ({ family, internal, scopeid }: (typeof all)[number]) =>
    !internal && !scopeid && (address === '::' || family === 'IPv4')
  return all.filter(isUsed).map((one) => one.address)
}

const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** Whether a URL is an origin without a path. The page and the admin's cookies need the root of a host. */
export function isOrigin(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false
  const { href, origin } = new URL(url)
  return href === `${origin}/`
}

/**
 * Returns the path in a URL: a relative path for `file:data/x.db`, an absolute path for `file:///var/x.db`. Returns
 * `undefined` for a URL that identifies no file on this machine.
 */
export function pathOf(url: string): string | undefined {
  if (!url.startsWith('file://')) return url.slice('file:'.length) || undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

/**
 * Parses the address of a Postgres database. Like the driver, this accepts an empty host after `user@`: the address of a
 * socket is then in `?host=`, as in `postgres://user@/db?host=/cloudsql/…`.
 *
 * @returns `null` if the address is invalid
 */
export function postgresUrl(url: string): URL | null {
  if (!/^postgres(ql)?:\/\/./.test(url)) return null
  const parsed = URL.parse(url)
  if (parsed) return parsed
  const named = URL.parse(url.replace(/^([^/]+\/\/[^/?#]*@)(?=[/?])/, '$1localhost'))
  return named?.searchParams.has('host') ? named : null
}
