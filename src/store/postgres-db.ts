import type { Pool, PoolClient } from 'pg'
import { cut } from './postgres-listener.ts'
import { type Connections, sql, type Value } from './sql.ts'
import { type DatabaseState, fromDriver } from './store.ts'

const time = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Runs statements on the connections of a pool. If Postgres doesn't answer a statement within `limitMs`, the connection
 * is cut, because a frozen connection never reports an error.
 */
export function postgresDb(pool: Pool, limitMs: number): Connections {
  async function connect(): Promise<PoolClient> {
    return pool.connect().catch((error) => {
      throw fromDriver(error)
    })
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
    async query(pieces, values) {
      const client = await connect()
      try {
        return await query(client, pieces, values)
      } finally {
        client.release()
      }
    },
    async transaction(work) {
      const client = await connect()
      let usable = true
      try {
        await run(client, 'begin isolation level read committed')
        const result = await work({ time, query: (...args) => query(client, ...args) })
        const { command } = await run(client, 'commit')
        // If an earlier statement failed, Postgres rolls back on `commit` without reporting an error.
        if (command === 'ROLLBACK') throw fromDriver(new Error('the transaction was rolled back'))
        return result
      } catch (error) {
        await run(client, 'rollback').catch(() => {
          usable = false
        })
        throw error
      } finally {
        client.release(!usable)
      }
    },
  }
}

const ABOUT = `select current_setting('server_version_num')::int as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now,
  current_setting('transaction_read_only') = 'on' as read_only, pg_backend_pid() as pid`

/**
 * Reads the state of a Postgres server.
 *
 * Postgres tells each client the id of its server process. A pooler reports an id of its own, not the real one.
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
