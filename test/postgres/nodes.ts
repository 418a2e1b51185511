import { expect } from 'vitest'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import {
  collectedLog,
  type DirectMount,
  DRAFT,
  type Mount,
  makePlacard,
  publish,
} from '../harness.ts'
import { until } from './cluster.ts'
import { startProxy } from './proxy.ts'

/** Creates a node on a database, over a connection that can be broken. */
export async function makeNode(url: string, options: Partial<PostgresOptions> = {}) {
  const proxy = await startProxy(url)
  const storeLog = collectedLog()
  const mount = makePlacard(postgresStore({ log: storeLog, ...options, url: proxy.url }))
  const said = (words: string) =>
    storeLog.lines.filter(({ message }) => message.startsWith(words)).length
  return {
    ...mount,
    proxy,
    /** How often it has started, and stopped, hearing the others. */
    heard: () => said('hearing'),
    deafened: () => said('not hearing'),
    async close() {
      await mount.close()
      await proxy.close()
      // A lost connection isn't a bug in the service (contract R6).
      expect(JSON.stringify(storeLog.lines)).not.toContain('"stack"')
    },
  }
}

export type TestNode = Awaited<ReturnType<typeof makeNode>>

/** Publishes a text. */
export async function put(mount: Mount, text: string, more: object = {}): Promise<void> {
  expect((await publish(mount, { ...DRAFT, text, ...more })).status).toBe(201)
}

/** What a reader gets, and how long that took. */
export async function read(mount: Pick<DirectMount, 'fetch'>) {
  const started = performance.now()
  const response = await mount.fetch('/api/events')
  const { event } = await response.json()
  const ms = performance.now() - started
  const stale = response.headers.get('placard-stale') === '1'
  return { status: response.status, text: event?.text as string | undefined, stale, ms }
}

/** Resolves when a reader gets a text that isn't marked as stale. */
export const shows = (mount: Pick<DirectMount, 'fetch'>, wanted: string, limitMs?: number) =>
  until(async () => {
    const { text, stale } = await read(mount)
    return text === wanted && !stale
  }, limitMs)

/** The 99th percentile. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN
}
