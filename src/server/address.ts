import type { Config } from './config.ts'

/**
 * How people reach the service: what its links and the commands that it prints name.
 *
 * @param port the one that it listens on, because `PORT` may be 0
 */
export function publicUrl(config: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  return config.publicUrl ?? localUrl(config.host, port)
}

/** Where it listens, as a person would type it: the usual and the wildcard addresses are this machine. */
export function localUrl(host: string, port: number): string {
  const wildcard = ['127.0.0.1', '0.0.0.0', '::'].includes(host)
  const name = wildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
