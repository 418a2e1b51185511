import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makePlacard } from '../harness.ts'
import { makeNode, type TestNode } from '../postgres/nodes.ts'
import { emptyDatabase, query } from '../postgres/place.ts'
import type { Node } from './client.ts'

/** What clients act on. */
export interface Stage {
  nodes: readonly Node[]
  /** The proxies between the nodes and Postgres, if there are any. */
  proxies: readonly TestNode['proxy'][]
  /** Reads the database directly. */
  truth: Store
  close(): Promise<void>
}

export function sqliteStage(): Stage {
  const directory = mkdtempSync(join(tmpdir(), 'placard-history-'))
  const path = join(directory, 'placard.db')
  const mount = makePlacard(sqliteStore(path))
  const truth = sqliteStore(path)
  return {
    nodes: [{ name: 'A', mount }],
    proxies: [],
    truth,
    async close() {
      await Promise.all([mount.close(), truth.close()])
      rmSync(directory, { recursive: true })
    },
  }
}

/** @param server the address of a Postgres on which databases can be created */
export async function postgresStage(
  server: string,
  names: readonly string[],
  waits: Partial<PostgresOptions>,
): Promise<Stage> {
  const url = await emptyDatabase(server)
  // The default timeout is too short to create the tables on a busy machine.
  const truth = postgresStore({ url, timeoutMs: 30_000 })
  // Creates the tables before the nodes start, because the nodes' timeouts may be short.
  await truth.load()
  const mounts = await Promise.all(names.map(() => makeNode(url, waits)))
  return {
    nodes: mounts.map((mount, index) => ({ name: names[index] ?? '', mount })),
    proxies: mounts.map(({ proxy }) => proxy),
    truth,
    async close() {
      await Promise.all([truth, ...mounts].map((one) => one.close()))
      await query(server, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
    },
  }
}
