import type { Config } from './config.ts'

/**
 * The address at which people reach the service, for links and printed commands.
 *
 * @param port the port that it listens on, because `PORT` may be 0
 */
export function publicUrl(config: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  return config.publicUrl ?? localUrl(config.host, port)
}

/** The listening address as a person would type it: the default and wildcard addresses become `localhost`. */
export function localUrl(host: string, port: number): string {
  const wildcard = ['127.0.0.1', '0.0.0.0', '::'].includes(host)
  const name = wildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
