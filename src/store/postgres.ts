import pg from 'pg'
import { describeError, type Log, silent } from '../core/log.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { createStore } from './create-store.ts'
import { type Dialect, migrate, onceMigrated } from './migrations.ts'
import { postgresDb } from './postgres-db.ts'
import { inspectServer } from './postgres-inspect.ts'
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
   * Whether to listen for what others write. `false` is for platforms that freeze or end the process between two requests.
   * Then each read asks the database, no connection is kept once a statement is through, and nothing happens between two
   * requests. The tables have to be there: run `placard migrate` at deploy. Default: `true`.
   */
  listen?: boolean | undefined
  /** Connections for statements; one more only listens. Default 5, as there is one writer at a time in any case. */
  connections?: number | undefined
  /** How long a connection or a statement may take before it is given up, in ms. Default 3,000. */
  patienceMs?: number | undefined
  /** Between two heartbeats of the listening connection, in ms. Default 1,000. */
  heartbeatMs?: number | undefined
  /** How long the answer to a heartbeat may take, in ms. Default 1,500: a loss is then noticed within 3 s. */
  answerMs?: number | undefined
  /** Where to report lost connections. Default: nowhere. */
  log?: Log | undefined
}

/**
 * Keeps announcements, the ledger and the rate limit of any number of nodes in one Postgres (14 or later).
 * Connects when it is first used, and again by itself whenever it has to.
 *
 * @throws TypeError if the address is empty or invalid; it names the variable, as hosts take the address from the environment
 */
export function postgresStore(options: string | PostgresOptions): Store {
  const settings: PostgresOptions = typeof options === 'string' ? { url: options } : options
  const { patienceMs = 3_000, heartbeatMs = 1_000, answerMs = 1_500, log = silent } = settings
  const { listen: listening = true } = settings
  // The driver would go to this machine's port 5432.
  if (!settings.url?.trim() || ELSEWHERE.test(settings.url))
    throw new TypeError('DATABASE_URL must be set to postgres://…')
  const connection = {
    connectionString: settings.url,
    application_name: 'placard',
    keepAlive: true,
  }
  assertValid(connection)
  // Our integers fit a double. An app may want another parser on its own pool.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({
    ...connection,
    max: settings.connections ?? 5,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    // A frozen process would keep what is idle, and would find it dead on waking.
    maxUses: listening ? Number.POSITIVE_INFINITY : 1,
    types,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // A lost connection fails the query that uses it. Without a listener, the event would end the process as well.
    client.on('error', () => {}).once('end', () => clients.delete(client))
  })
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ error: describeError(error) }, 'lost an idle connection')
  })
  const db = postgresDb(pool, patienceMs)
  let stopListening = () => {}

  const migrated = onceMigrated(() => migrate(db, DIALECT))
  /** Each of many short processes would look for migrations first. */
  const run: typeof migrated = listening ? migrated : (work) => work([]).catch(explainTables)

  /** A pooled connection can have died unnoticed, so a read is tried twice. After a timeout it is not worth it. */
  async function read<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await run(work)
    } catch (error) {
      if (performance.now() - started > patienceMs / 2) throw error
      return run(work)
    }
  }

  /** One transaction. The notification to the other nodes is part of it, and so is sent only with the commit. */
  async function write<T>(
    work: (trx: Db) => Promise<T>,
    isDone: (trx: Db) => Promise<boolean> = async () => false,
  ): Promise<T> {
    let committing: { result: T } | undefined
    try {
      return await run(() =>
        transaction(async (trx) => {
          const result = await work(trx)
          committing = { result }
          return result
        }),
      )
    } catch (error) {
      // Every writer locks the clock. Once another transaction has that lock, the one in doubt is over.
      if (committing && (await read(() => transaction(isDone)).catch(() => false))) {
        return committing.result
      }
      throw error
    }
  }

  /** Locks the clock until the commit, one writer at a time. So what a writer reads can't change. */
  function transaction<T>(work: (trx: Db) => Promise<T>): Promise<T> {
    return db.transaction(async (trx) => {
      await sql`select pg_notify(${CHANNEL}, ''), ${guards(patienceMs)}`.execute(trx)
      await sql`update placard_clock set last = last`.execute(trx)
      return work(trx)
    })
  }

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

/** The address of something else, or nothing but the name of the protocol. */
const ELSEWHERE = /^\s*((?!postgres(ql)?:|socket:)[a-z][\w+.-]*:|postgres(ql)?:\/*\s*$)/i

/** The pool would find out with each request. The cause stays out, because the address has the password. */
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
 * Settings for one transaction, so that poolers keep none of them. The time-outs release the locks of a node that stops
 * half-way. The last setting makes an answered write survive a crash, even where the server's default risks it.
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

/** What Postgres says of a table, and of a column, that is not there. */
const MISSING = ['42P01', '42703']

/** Says what to do about tables or columns that are not there yet. */
function explainTables(error: unknown): never {
  const { code, message } = ((error as Error).cause ?? {}) as Error & { code?: string }
  if (!code || !MISSING.includes(code)) throw error
  throw new StoreUnavailable(new Error(`${message}: run "placard migrate" at deploy`))
}
