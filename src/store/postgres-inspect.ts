import type { DatabaseState } from './store.ts'

/** The part of a connection to Postgres that is needed here. */
interface Connection {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
}

const ABOUT = `select current_setting('server_version_num')::int as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now,
  current_setting('transaction_read_only') = 'on' as read_only, pg_backend_pid() as pid`

/**
 * Reads the state of a Postgres server.
 *
 * The server tells each connection its process number. A pooler makes one up, because its connections change servers.
 */
export async function inspectServer(connection: Connection): Promise<DatabaseState> {
  const { rows } = await connection.query(ABOUT)
  const { version, now, read_only, pid } = rows[0] ?? {}
  return {
    kind: 'postgres',
    version: Number(version),
    now: Number(now),
    readOnly: read_only === true,
    // The driver has it, but its types don't.
    pooled: (connection as { processID?: number | null }).processID !== pid,
  }
}
