import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from '../free-port.ts'
import { spawned } from '../spawned.ts'

/** Next's command-line program, in an app. */
export const NEXT = 'node_modules/next/dist/bin/next'

/** A Node, and what it needs in its environment. */
export interface NodeCommand {
  command: string
  environment: Record<string, string>
}

export interface Serving {
  /** What Node runs; `PORT` stands for the port. Default: `next start`. */
  args?: string[]
  /** Default: the Node of this run. */
  node?: NodeCommand | undefined
  /** How long it may take until it responds. Default: two minutes. */
  startMs?: number
}

export interface Served {
  url: string
  /** Its process. */
  child: ChildProcess
  /** Everything that it has written to its outputs. */
  logged(): string
  /** Sends it a signal. Resolves with its exit code, or with the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>
  /** Ends it, by force if SIGTERM isn't enough. `next dev` needs SIGTERM, because its own child would live on otherwise. */
  end(): Promise<void>
}

/** On a quiet machine, a start takes less than 10 s, even if it compiles for development. */
const START_MS = 120_000
const END_MS = 2_000

/**
 * Serves an app, and waits until it responds.
 *
 * @throws with its output, if it ends or does not respond in time
 */
export async function serve(
  directory: string,
  more: Record<string, string>,
  { args = [NEXT, 'start'], node, startMs = START_MS }: Serving = {},
): Promise<Served> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const { command = process.execPath, environment } = node ?? {}
  const env = environmentOf({ PORT: String(port), ...environment, ...more })
  const given = args.map((arg) => (arg === 'PORT' ? String(port) : arg))
  const { child, ended, written } = spawned(command, given, { cwd: directory, env })
  async function end() {
    child.kill()
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
    await ended
    clearTimeout(late)
  }
  const late = AbortSignal.timeout(startMs)
  while (!(await fetch(url, { signal: late }).catch(() => undefined))) {
    if (child.exitCode !== null || child.signalCode !== null || late.aborted) {
      await end()
      throw new Error(`It does not start:\n${written()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    child,
    logged: written,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code, by] = await ended
      return code ?? by
    },
    end,
  }
}

/** The environment of this run, without what is meant for Placard or says that this is a test. */
export function environmentOf(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const ours = /^(EVENT_API_SECRET|STRIPE_.*|DATABASE_URL|TRUST_PROXY|PORT|NODE_ENV|VITEST.*)$/
  const given = Object.entries(process.env).filter(([name]) => !ours.test(name))
  const all = { ...Object.fromEntries(given), NEXT_TELEMETRY_DISABLED: '1', ...more }
  return all as NodeJS.ProcessEnv
}

/** A Node without `node:sqlite`: the machine's own, if it is that old, or else this one with SQLite turned off. */
export function nodeWithoutSqlite(): NodeCommand | undefined {
  const machine = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const candidates = [
    ...machine.filter(existsSync).map((command) => ({ command, environment: {} })),
    { command: process.execPath, environment: { NODE_OPTIONS: '--no-experimental-sqlite' } },
  ]
  // Next.js needs Node 20.9, and `getBuiltinModule` has existed since 20.16.
  const lacks = 'process.getBuiltinModule && !process.getBuiltinModule("node:sqlite")'
  return candidates.find(({ command, environment }) => {
    const { stdout } = spawnSync(command, ['-p', lacks], { env: environment, encoding: 'utf8' })
    return stdout?.trim() === 'true'
  })
}
