import pg from 'pg'
import { describeError, type Log, silent } from '../core/log.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { createStore } from './create-store.ts'
import { type Dialect, migrate, onceMigrated } from './migrations.ts'
import { inspectServer, postgresDb } from './postgres-db.ts'
import { postgresLimiter } from './postgres-limiter.ts'
import { CHANNEL, cut, listen } from './postgres-listener.ts'
import { POSTGRES_0001 } from './sql/files.ts'
import { type Db, sql } from './sql.ts'
import type { Store, WatchListener } from './store.ts'

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`: the server itself, or a pooler in session mode; with `listen: false`
   * also one in transaction mode.
   */
  url: string
  /**
   * Whether to listen for other nodes' writes. `false` is for platforms that freeze or end the process between two
   * requests: each read queries the database, no connection is kept after a statement, and nothing happens between two
   * requests. The tables must exist: run `placard migrate` at deploy. Default: `true`.
   */
  listen?: boolean | undefined
  /**
   * How many connections run statements, besides two that listen and probe. Default 5, because only one writer runs at
   * a time anyway.
   */
  connections?: number | undefined
  /** How long connecting and each statement may take, in ms. Default 3,000. */
  patienceMs?: number | undefined
  /** The time between two heartbeats of the listening connection, in ms. Default 1,000. */
  heartbeatMs?: number | undefined
  /** How long the answer to a heartbeat may take, in ms. Default 1,500, so that a node notices a loss within 3 s. */
  answerMs?: number | undefined
  /** The log for lost connections. Default: none. */
  log?: Log | undefined
}

/**
 * Keeps announcements, the ledger and the rate limit of any number of nodes in one Postgres (14 or later). It connects
 * on first use, and reconnects by itself.
 *
 * @throws TypeError if the address is empty or invalid. The message names the variable, because hosts take the address
 *   from the environment
 */
export function postgresStore(options: string | PostgresOptions): Store {
  const settings: PostgresOptions = typeof options === 'string' ? { url: options } : options
  const { patienceMs = 3_000, heartbeatMs = 1_000, answerMs = 1_500, log = silent } = settings
  const { listen: listening = true } = settings
  // Without this check, the driver would connect to port 5432 of this machine.
  if (!settings.url?.trim() || ELSEWHERE.test(settings.url))
    throw new TypeError('DATABASE_URL must be set to postgres://…')
  const connection = {
    connectionString: settings.url,
    application_name: 'placard',
    keepAlive: true,
  }
  assertValid(connection)
  // Our integers fit a double. The parser applies only to this pool, because an app may want another on its own pool.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({
    ...connection,
    max: settings.connections ?? 5,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    // A frozen process would keep idle connections and find them dead when it wakes, so each is used only once.
    maxUses: listening ? Number.POSITIVE_INFINITY : 1,
    types,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // A lost connection fails the query that uses it. Without a listener, the event would also end the process.
    client.on('error', () => {}).once('end', () => clients.delete(client))
  })
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ error: describeError(error) }, 'lost an idle connection')
  })
  const db = postgresDb(pool, patienceMs)
  let stopListening = () => {}

  const migrated = onceMigrated(() => migrate(db, DIALECT))
  /** Without `listen`, skips the check for migrations, because each of many short-lived processes would repeat it. */
  const run: typeof migrated = listening ? migrated : (work) => work([]).catch(explainTables)

  /** A pooled connection may have died unnoticed, so a read that fails early is retried once; a timeout isn't. */
  async function read<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await run(work)
    } catch (error) {
      if (performance.now() - started > patienceMs / 2) throw error
      return run(work)
    }
  }

  /**
   * Runs one transaction. It locks the row of the clock until the commit, so that only one writer runs at a time and
   * nothing that it reads can change. The notification to the other nodes is sent only if the transaction commits.
   */
  const write = <T>(work: (trx: Db) => Promise<T>): Promise<T> =>
    run(() =>
      db.transaction(async (trx) => {
        await sql`select pg_notify(${CHANNEL}, ''), ${guards(patienceMs)}`.execute(trx)
        await sql`update placard_clock set last = last`.execute(trx)
        return work(trx)
      }),
    )

  return createStore({
    time: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    read: (work) => read(() => work(db)),
    write,
    limiter: (limit, windowMs) => {
      const count = postgresLimiter(db, limit, windowMs)
      return { count: (address) => run(() => count(address)) }
    },
    ...(listening && {
      watch(listener: WatchListener) {
        stopListening = listen(connection, { heartbeatMs, answerMs, log }, listener)
      },
    }),
    migrate: () => migrated(async (applied) => applied),
    ping: () => read(async () => void (await sql`select 1`.execute(db))),
    async inspect() {
      try {
        const client = await pool.connect()
        const timer = setTimeout(() => cut(client), patienceMs)
        try {
          return await inspectServer(client)
        } finally {
          clearTimeout(timer)
          client.release()
        }
      } catch (failed) {
        return { kind: 'postgres', failed }
      }
    },
    async close() {
      stopListening()
      if (!pool.ending) await pool.end()
      // A frozen peer never closes its end.
      setTimeout(() => clients.forEach(cut), 500).unref()
    },
  })
}

/** An address of another protocol, or a bare `postgres:`. */
const ELSEWHERE = /^\s*((?!postgres(ql)?:|socket:)[a-z][\w+.-]*:|postgres(ql)?:\/*\s*$)/i

/** Fails at startup, not on every request. The error has no cause: the driver's error contains the password. */
function assertValid(connection: pg.ClientConfig): void {
  try {
    new pg.Client(connection)
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException
    if (path !== undefined) throw new Error(`${path}, which DATABASE_URL names, can't be read`)
    throw new TypeError(
      'DATABASE_URL must be a valid address, postgres://…; in a password, write %23 for # and %2F for /',
    )
  }
}

/**
 * Settings for one transaction, because a pooler would keep session settings. The timeouts release the locks of a node
 * that stops half-way. The last setting makes an answered write survive a crash even if the server's default wouldn't.
 */
function guards(ms: number) {
  return sql`
    set_config('statement_timeout', ${String(ms)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(ms / 2)}, true),
    set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`
}

const DIALECT: Dialect = {
  migrations: [POSTGRES_0001],
  hasTable: (name) => sql`select count(to_regclass(${name})) as there`,
  lock: sql`select pg_advisory_xact_lock(3853314791062309107)`,
}

/** Postgres's codes for a missing table and a missing column. */
const MISSING = ['42P01', '42703']

/** Adds the remedy to an error about missing tables or columns. */
function explainTables(error: unknown): never {
  const { code, message } = ((error as Error).cause ?? {}) as Error & { code?: string }
  if (!code || !MISSING.includes(code)) throw error
  throw new StoreUnavailable(new Error(`${message}: run "placard migrate" at deploy`))
}
