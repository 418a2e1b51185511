import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { has, onCore } from './processes.ts'

export interface Load {
  /** Responses per second. */
  rate: number
  /** The 99th percentile of response times, in ms. */
  p99: number
}

const CONNECTIONS = 64

/** Keeps 64 connections busy, each with one request at a time. */
export function load(url: string, seconds: number, headers: Record<string, string> = {}): Load {
  return has('wrk') ? loadWithWrk(url, seconds, headers) : loadWithNode(url, seconds, headers)
}

function loadWithWrk(url: string, seconds: number, headers: Record<string, string>): Load {
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const [name, args] = onCore(1, [
    ...['wrk', '--latency', '--timeout', '30s', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`],
    ...named,
    url,
  ])
  const { stdout } = spawnSync(name, args, { encoding: 'utf8' })
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  if (!rate || /Non-2xx|Socket errors/.test(stdout.replace(/Non-2xx or 3xx responses: 0/, ''))) {
    throw new Error(`${url}: ${stdout}`)
  }
  return { rate, p99: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'] }
}

/** Used where wrk isn't installed. It is slower, but equally so for every server that is compared. */
function loadWithNode(url: string, seconds: number, headers: Record<string, string>): Load {
  const program = join(import.meta.dirname, 'load-with-node.ts')
  const [name, args] = onCore(1, [
    ...['node', program, url, String(seconds), String(CONNECTIONS), JSON.stringify(headers)],
  ])
  return JSON.parse(spawnSync(name, args, { encoding: 'utf8' }).stdout)
}
