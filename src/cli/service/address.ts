import { isLoopback } from '../../core/shell-command.ts'
import { UsageError } from '../usage.ts'

/** Maps each wildcard address to the loopback address, because some systems can't connect to wildcards. */
const OWN: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address at which this machine reaches a service with these settings. */
export function connectUrl({ host, port }: { host: string; port: number }): string {
  const name = OWN[host] ?? host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Checks the address in an option. @throws UsageError, which never repeats a password from the address */
export function addressIn(given: string, option = '--url'): string {
  const { protocol, username, password } = URL.canParse(given) ? new URL(given) : {}
  if (username || password) throw new UsageError(`${option} must have no user name or password`)
  if (protocol !== 'http:' && protocol !== 'https:') {
    const shown = given.replace(/^.*@/s, '…@')
    throw new UsageError(`${option} must be http://… or https://…, not "${shown}"`)
  }
  return given.replace(/\/+$/, '')
}

/**
 * Keeps requests to this machine from going through a proxy, which would see the secret. With `NODE_USE_ENV_PROXY`,
 * Node reads `NO_PROXY` before each request.
 */
export function bypassProxy(url: string): void {
  if (!isLoopback(url)) return
  const { no_proxy, NO_PROXY } = process.env
  const others = no_proxy ?? NO_PROXY
  if (others === '*') return
  const all = [...(others ? [others] : []), new URL(url).hostname].join(',')
  Object.assign(process.env, { no_proxy: all, NO_PROXY: all })
}
