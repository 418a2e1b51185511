import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/free-port.ts'

/** A measured server in its own process, and where `taskset` is installed, on its own core. */
export interface Target {
  url: string
  pid: number
  /** From the start of the process to its first response, in ms. */
  startMs: number
  stop(): Promise<void>
}

/** A server with a stream that pages follow. */
export interface Source {
  url: string
  /** The id of the process that holds the streams. */
  pid: number
  /** The address that another client reads during the measurement. */
  read: string
  publish(change: number): Promise<void>
  stop(): Promise<void>
}

export const has = (command: string) => spawnSync('which', [command]).status === 0

/** Runs the server on core 0 and the load on core 1, so that neither slows the other. */
export function onCore(core: 0 | 1, command: string[]): [string, string[]] {
  const [name = '', ...args] = has('taskset')
    ? ['taskset', '-c', String(core), ...command]
    : command
  return [name, args]
}

/** The response that bare `node:http` writes, copied from a server. */
export interface Copied {
  headers: Record<string, string>
  body: string
  /** The encoding of `body`. Default: UTF-8 */
  encoding?: 'base64'
  etag: string
  /** The headers of a 304. */
  unchanged: Record<string, string>
}

/** Starts bare `node:http`. @param copied the response that it sends. Default: `ok` */
export async function startBare(copied: Partial<Copied> = {}): Promise<Target> {
  const port = await freePort()
  const program = join(import.meta.dirname, 'bare.mjs')
  return start(port, ['node', program, String(port), JSON.stringify(copied)])
}

/** Starts the built service on an empty database. @param given its port. Default: a free one */
export async function startPlacard(env: Record<string, string> = {}, given?: number) {
  const port = given ?? (await freePort())
  const directory = mkdtempSync(join(tmpdir(), 'placard-bench-'))
  const target = await start(port, ['node', PROGRAM, 'serve'], directory, {
    LOG_LEVEL: 'warn',
    EVENT_API_SECRET: SECRET,
    STRIPE_WEBHOOK_SECRET: SIGNING_SECRET,
    ...env,
  })
  return {
    ...target,
    async stop() {
      await target.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Starts the built service, to be killed by {@link kill}. Doesn't wait until it answers. */
export function launch(directory: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      EVENT_API_SECRET: SECRET,
      STRIPE_WEBHOOK_SECRET: SIGNING_SECRET,
      TRUST_PROXY: '1',
      ...env,
    },
  })
}

/** Kills a process as `kill -9` does, and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Whether a service responds and can reach its database. */
export const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

const PROGRAM = join(import.meta.dirname, '../bin/placard.mjs')

export const SECRET = 'a-secret-of-the-bench'
export const SIGNING_SECRET = 'whsec_of_the_bench_itself'

/** A different address for each number, because the rate limit is per address. */
export const clientAddress = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

/**
 * @param from the client address, because the rate limit is per address
 * @param fields of the announcement, besides its text
 */
export async function publish(
  url: string,
  text: string,
  from: string,
  fields: object = {},
): Promise<void> {
  const response = await fetch(`${url}/api/events`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${SECRET}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': from,
    },
    body: JSON.stringify({ text, type: 'post', slug: '/', ...fields }),
  })
  await response.arrayBuffer()
  if (response.status !== 201) throw new Error(`POST answered ${response.status}`)
}

/** The live text; `undefined` while nothing is live. */
export async function liveText(url: string): Promise<string | undefined> {
  const { event } = await (await fetch(`${url}/api/events`)).json()
  return event?.text
}

/** The resident memory of a process in MiB: now, or the peak since it was last reset. */
export function resident(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}

/** Starts a program and waits until it answers. */
export async function start(
  port: number,
  command: string[],
  cwd = process.cwd(),
  env: Record<string, string> = {},
): Promise<Target> {
  const [name, args] = onCore(0, command)
  const started = performance.now()
  const child = spawn(name, args, {
    cwd,
    env: { ...process.env, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await answering(child, url)
  const startMs = performance.now() - started
  return { url, pid: child.pid ?? 0, startMs, stop: () => stopped(child) }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${child.spawnargs.join(' ')} does not answer`)
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
