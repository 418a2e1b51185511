import type { TestProject } from 'vitest/node'
import { startCluster } from './cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the Postgres that all test files share; each makes databases of its own. */
    postgres: string
  }
}

/** One Postgres for the whole run. What it holds is thrown away, so that it need not reach a disk, nor be vacuumed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster(['fsync=off', 'max_connections=300', 'autovacuum=off'])
  project.provide('postgres', cluster.url())
  return cluster.remove
}
