import type { Pool, PoolClient } from 'pg'
import { StoreUnavailable } from '../core/problem.ts'
import { cut } from './postgres-listener.ts'
import { type Connections, sql, type Value } from './sql.ts'
import { type DatabaseState, fromDriver } from './store.ts'

const time = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Runs statements on the connections of a pool. If Postgres doesn't answer a statement within `limitMs`, the connection
 * is cut, because a frozen connection never reports an error.
 */
export function postgresDb(pool: Pool, limitMs: number): Connections {
  /**
   * Runs work on a connection. If a statement fails, the connection is closed, because a pooled connection keeps the
   * server's settings from when it was opened: after a failover, for example, it may still be read-only.
   */
  async function connected<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error) => {
      throw fromDriver(error)
    })
    let failed = false
    try {
      return await work(client)
    } catch (error) {
      failed = error instanceof StoreUnavailable
      throw error
    } finally {
      client.release(failed)
    }
  }

  async function run(client: PoolClient, text: string, values: readonly Value[] = []) {
    const timer = setTimeout(() => cut(client), limitMs)
    try {
      return await client.query(text, [...values])
    } catch (error) {
      throw fromDriver(error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function query(client: PoolClient, pieces: readonly string[], values: readonly Value[]) {
    const text = pieces.reduce((before, piece, i) => `${before}$${i}${piece}`)
    return (await run(client, text, values)).rows
  }

  return {
    time,
    query: (pieces, values) => connected((client) => query(client, pieces, values)),
    transaction: (work) =>
      connected(async (client) => {
        await run(client, 'begin isolation level read committed')
        try {
          const result = await work({ time, query: (...args) => query(client, ...args) })
          const { command } = await run(client, 'commit')
          // If an earlier statement failed, Postgres rolls back on `commit` without reporting an error.
          if (command === 'ROLLBACK') throw fromDriver(new Error('the transaction was rolled back'))
          return result
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) await run(client, 'rollback')
          throw error
        }
      }),
  }
}

const ABOUT = `select current_setting('server_version_num')::int as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now,
  current_setting('transaction_read_only') = 'on' as read_only, pg_backend_pid() as pid`

/**
 * Reads the state of a Postgres server.
 *
 * Postgres tells each client the id of its server process. A pooler makes up an id, which differs from the real one.
 */
export async function inspectServer(client: PoolClient): Promise<DatabaseState> {
  const { rows } = await client.query(ABOUT)
  const { version, now, read_only, pid } = rows[0] ?? {}
  return {
    version: Number(version),
    now: Number(now),
    readOnly: read_only === true,
    // The driver's types don't declare `processID`.
    pooled: (client as { processID?: number | null }).processID !== pid,
  }
}
