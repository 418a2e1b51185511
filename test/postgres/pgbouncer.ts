import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from '../../src/store/postgres.ts'
import { freePort } from '../free-port.ts'
import { temporaryDirectory } from '../stores.ts'
import { until } from './cluster.ts'
import { query } from './place.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
  existsSync,
)

/** Whether the machine has no PgBouncer. */
export const LACKING = PROGRAM === undefined

export type Pooler = Awaited<ReturnType<typeof startPgBouncer>>

/**
 * Starts a real PgBouncer in front of the Postgres at `url`. Creates the tables first, as `placard migrate` does on
 * deployment, because a migration shouldn't go through the pooler.
 */
export async function startPgBouncer(url: string, mode: 'transaction' | 'session' = 'transaction') {
  const store = postgresStore({ url, listen: false })
  await store.migrate()
  await store.close()
  const { hostname, port: behind, username, password, pathname } = new URL(url)
  const port = await freePort()
  const home = temporaryDirectory()
  // PgBouncer refuses to run as root, so another user must be able to read its settings.
  chmodSync(home, 0o755)
  const settings = join(home, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${behind} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  )
  const user = userInfo().uid === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn(PROGRAM ?? '', ['-q', ...user, settings], { stdio: 'ignore' })
  const ended = once(pooler, 'exit')
  const at = (database: string) => `postgres://${username}@127.0.0.1:${port}/${database}`
  /** How many connections clients hold to it. */
  const clients = async () => {
    const all = await query(at('pgbouncer'), 'show clients')
    return all.filter(({ database }) => database !== 'pgbouncer').length
  }
  await until(() =>
    clients().then(
      () => true,
      () => false,
    ),
  )
  return {
    /** The database's address through the pooler. */
    url: at(pathname.slice(1)),
    clients,
    /** Nothing gets a response or an error, as from a database that is waking up. */
    freeze: () => void pooler.kill('SIGSTOP'),
    thaw: () => void pooler.kill('SIGCONT'),
    async close() {
      pooler.kill('SIGINT')
      await ended
    },
  }
}
