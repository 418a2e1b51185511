import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { makePlacard } from '../harness.ts'
import { makeNode, query, type TestNode } from '../postgres/nodes.ts'
import type { Node } from './client.ts'

/** What clients act on. */
export interface Stage {
  nodes: readonly [Node, ...Node[]]
  /** The connections of the nodes, if there are any. */
  proxies: readonly TestNode['proxy'][]
  /** Reads the database past the service. */
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

/** @param server the address of a Postgres on which databases can be made */
export async function postgresStage(
  server: string,
  names: readonly [string, ...string[]],
  waits: Partial<PostgresOptions>,
): Promise<Stage> {
  const database = `history_${crypto.randomUUID().replaceAll('-', '')}`
  await query(server, `create database ${database}`)
  const url = new URL(server)
  url.pathname = database
  const truth = postgresStore(url.href)
  // Makes the tables, so that the nodes, whose waits may be short, find them.
  await truth.load()
  const start = async (name: string) => ({ name, mount: await makeNode(url.href, waits) })
  const [first, ...others] = names
  const nodes = [await start(first), ...(await Promise.all(others.map(start)))] as const
  return {
    nodes,
    proxies: nodes.map(({ mount }) => mount.proxy),
    truth,
    async close() {
      await Promise.all([truth.close(), ...nodes.map(({ mount }) => mount.close())])
      await query(server, `drop database ${database} with (force)`)
    },
  }
}
