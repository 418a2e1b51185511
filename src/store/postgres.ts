import pg from 'pg'
import { type Log, silent } from '../core/log.ts'
import { loadOnce } from '../core/once.ts'
import { StoreUnavailable } from '../core/problem.ts'
import { probeDisk } from './changes.ts'
import { createStore } from './create-store.ts'
import { type Dialect, migrate } from './migrations.ts'
import { inspectServer, postgresDb } from './postgres-db.ts'
import { postgresLimiter } from './postgres-limiter.ts'
import { CHANNEL, cut, listen } from './postgres-listener.ts'
import { POSTGRES_0001 } from './sql/files.ts'
import { type Db, sql } from './sql.ts'
import type { DatabaseState, Store, WatchListener } from './store.ts'

/** The options of `postgresStore`. The defaults keep contract R3. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`: the address of the server or of a pooler in session mode. With
   * `listen: false`, a pooler in transaction mode works too.
   */
  url: string
  /**
   * Whether to listen for other nodes' writes. `false` is for platforms that freeze or end the process between
   * requests: each read queries the database, no connection is kept after a statement, and nothing runs between
   * requests. With `false`, the tables must exist, so run `placard migrate` when you deploy. Default: `true`.
   */
  listen?: boolean | undefined
  /**
   * The size of the connection pool. Two more connections listen and probe. The default of 5 is enough, because only
   * one writer runs at a time.
   */
  connections?: number | undefined
  /** The timeout for connecting and for each statement, in ms. Default 3,000. */
  timeoutMs?: number | undefined
  /** The time between two heartbeats of the listening connection, in ms. Default 1,000. */
  heartbeatMs?: number | undefined
  /** The timeout of a heartbeat, in ms. Default 1,500, so that a node notices a lost connection within 3 s. */
  heartbeatTimeoutMs?: number | undefined
  /** The log for lost connections. Default: none. */
  log?: Log | undefined
}

/**
 * Creates a store that any number of nodes can share, in one Postgres database (14 or later). The store connects on
 * first use, and reconnects by itself.
 *
 * @throws TypeError that names `DATABASE_URL`, where apps usually keep the address, if the address is empty or invalid
 */
export function postgresStore(options: string | PostgresOptions): Store {
  const settings: PostgresOptions = typeof options === 'string' ? { url: options } : options
  const {
    timeoutMs = 3_000,
    heartbeatMs = 1_000,
    heartbeatTimeoutMs = 1_500,
    log = silent,
  } = settings
  const { listen: listening = true } = settings
  // Without an address, or with one for a different protocol, the driver would connect to port 5432 of this machine.
  if (!settings.url?.trim() || ELSEWHERE.test(settings.url))
    throw new TypeError('DATABASE_URL must be set to postgres://…')
  const connection = {
    connectionString: settings.url,
    application_name: 'placard',
    keepAlive: true,
  }
  assertValid(connection)
  // Integers in our tables fit in a double. Only this pool uses the parser: an app's own pool may need a different one.
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({
    ...connection,
    max: settings.connections ?? 5,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 30_000,
    // A connection keeps the server's settings from when it was opened; for example, it may stay read-only.
    maxLifetimeSeconds: 30,
    allowExitOnIdle: true,
    // When a frozen process resumes, its idle connections may be dead, so without `listen`, each is used only once.
    maxUses: listening ? Number.POSITIVE_INFINITY : 1,
    types,
  })
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    clients.add(client)
    // The query on a lost connection fails anyway. Without a listener, the `error` event would also end the process.
    client.on('error', () => {}).once('end', () => clients.delete(client))
  })
  // The next statement opens another connection, and reports the error if that fails.
  pool.on('error', () => {})
  const db = postgresDb(pool, timeoutMs)
  const count = postgresLimiter(db)
  let stopListening = () => {}

  const migrated = loadOnce(async () => {
    await assertUnicode(db)
    return migrate(db, DIALECT)
  })
  /** Without `listen`, skips the check for migrations, because every short-lived process would repeat the check. */
  const run = <T>(work: () => Promise<T>): Promise<T> =>
    listening ? migrated().then(work) : work().catch(explainTables)

  /** Retries a read once if it fails early, because a pooled connection may be dead. A timeout isn't retried. */
  async function read<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await run(work)
    } catch (error) {
      if (performance.now() - started > timeoutMs / 2) throw error
      return run(work)
    }
  }

  /**
   * Runs a write transaction, which locks the row of placard_clock until the commit, so that only one writer runs at a
   * time and the rows that the writer reads can't change. Other nodes are notified only after the commit.
   */
  const transaction = <T>(work: (trx: Db) => Promise<T>): Promise<T> =>
    run(() =>
      db.transaction(async (trx) => {
        await sql`select pg_notify(${CHANNEL}, ''), ${guards(timeoutMs)}`.execute(trx)
        await sql`update placard_clock set last = last`.execute(trx)
        return work(trx)
      }),
    )

  return createStore({
    kind: 'postgres',
    runners: {
      read: (work) => read(() => work(db)),
      // Not retried: after an attempt that took effect, a conditional update would find its condition no longer met.
      update: (work) => run(() => work(db)),
      transaction,
    },
    limiter: { count: (address) => run(() => count(address)) },
    ...(listening && {
      watch(listener: WatchListener) {
        stopListening = listen(connection, { heartbeatMs, heartbeatTimeoutMs, log }, listener)
      },
    }),
    migrate: migrated,
    ping: () => read(async () => void (await sql`select 1`.execute(db))),
    async inspect() {
      let state: DatabaseState = {}
      try {
        const client = await pool.connect()
        const timer = setTimeout(() => cut(client), timeoutMs)
        try {
          state = await inspectServer(client)
        } finally {
          clearTimeout(timer)
          client.release()
        }
        await assertUnicode(db)
        if (!state.readOnly) await transaction(probeDisk)
        return state
      } catch (failed) {
        return { ...state, failed }
      }
    },
    async close() {
      stopListening()
      if (!pool.ending) await pool.end()
      // A frozen server never closes its end of a connection.
      setTimeout(() => clients.forEach(cut), 500).unref()
    },
  })
}

/** Matches a URL with a scheme other than that of Postgres, or a bare `postgres:`. */
const ELSEWHERE = /^\s*((?!postgres(ql)?:|socket:)[a-z][\w+.-]*:|postgres(ql)?:\/*\s*$)/i

/** Rejects an invalid address at startup. The error has no cause, because the driver's error contains the password. */
function assertValid(connection: pg.ClientConfig): void {
  const url = connection.connectionString ?? ''
  try {
    new pg.Client(connection)
    // An unescaped `/` in the password ends the host, and the rest of the address becomes the path.
    if (!URL.canParse(url) || !/@.*\//.test(new URL(url).pathname)) return
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException
    if (path !== undefined) throw new Error(`${path}, which DATABASE_URL names, can't be read`)
  }
  throw new TypeError(
    'DATABASE_URL must be a valid address, postgres://…; in a password, write %23 for # and %2F for /',
  )
}

/**
 * Settings for one transaction only, because a pooler would pass session settings on to other clients. The timeouts
 * release the locks of a node that stops in the middle of a transaction. `synchronous_commit` makes an acknowledged
 * write survive a crash of the server even if the server's default is `off`.
 */
function guards(ms: number) {
  return sql`
    set_config('statement_timeout', ${String(ms)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(ms / 2)}, true),
    set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`
}

/** Text that a database in a legacy encoding, such as LATIN1, rejects: letters of five scripts and an emoji. */
const EVERYWHERE = 'aéжعא日🎉'
/** Postgres's error code for a character that the database's encoding lacks. */
const UNTRANSLATABLE = '22P05'

/** @throws Error if the database's encoding can't hold every text */
async function assertUnicode(db: Db): Promise<void> {
  await sql`select ${EVERYWHERE}::text`.execute(db).catch(async (error) => {
    if (error.cause?.code !== UNTRANSLATABLE) throw error
    const [row] = await sql<{ name: string }>`
      select current_setting('server_encoding') as name`.execute(db)
    const message = `The database's encoding is ${row?.name}, which lacks most characters`
    throw new Error(`${message}: use a database with the encoding UTF8`)
  })
}

const DIALECT: Dialect = {
  migrations: [POSTGRES_0001],
  hasTable: (name) => sql`select count(to_regclass(${name})) as there`,
  lock: sql`select pg_advisory_xact_lock(3853314791062309107)`,
}

/** Postgres's error codes for a missing table and a missing column. */
const MISSING = ['42P01', '42703']

/** Tells the operator to run `placard migrate` if a table or a column is missing. */
function explainTables(error: unknown): never {
  const { code, message } = ((error as Error).cause ?? {}) as Error & { code?: string }
  if (!code || !MISSING.includes(code)) throw error
  throw new StoreUnavailable(new Error(`${message}: run "placard migrate" when you deploy`))
}
