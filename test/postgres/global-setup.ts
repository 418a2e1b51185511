import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { postgresStore } from '../../src/store/postgres.ts'
import { startCluster } from './cluster.ts'
import { emptyDatabase } from './place.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the Postgres that all test files share; each creates its own databases. */
    postgres: string
    /** The name of a database there that has the tables, and nothing in them. */
    template: string
  }
}

/** The data is thrown away, so it needn't reach a disk, survive a crash or be vacuumed. */
const FLAGS = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']

/** One Postgres and one build for the whole run: two builds at once would remove each other's files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ['scripts/setup.mjs'], { stdio: 'inherit' })
  const cluster = await startCluster([...FLAGS, 'autovacuum=off', 'max_connections=300'])
  const template = await emptyDatabase(cluster.url())
  const store = postgresStore(template)
  await store.load()
  await store.close()
  project.provide('postgres', cluster.url())
  project.provide('template', new URL(template).pathname.slice(1))
  return cluster.remove
}
