import { Client } from 'pg'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import { collectedLog, type DirectMount, makePlacard } from '../harness.ts'
import { startProxy } from './proxy.ts'

/** A node of its own on a database, on a connection that can be broken. */
export async function makeNode(url: string, options: Partial<PostgresOptions> = {}) {
  const proxy = await startProxy(url)
  const storeLog = collectedLog()
  const mount = makePlacard(postgresStore({ log: storeLog, ...options, url: proxy.url }))
  return {
    ...mount,
    proxy,
    storeLog,
    /** How often it has begun, and ended, to hear the others. */
    heard: () => storeLog.lines.filter(({ message }) => message.startsWith('hearing')).length,
    deafened: () =>
      storeLog.lines.filter(({ message }) => message.startsWith('not hearing')).length,
    async close() {
      await mount.close()
      await proxy.close()
    },
  }
}

export type TestNode = Awaited<ReturnType<typeof makeNode>>

/** Statements beside the service, as an operator would type them. */
export async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
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

/** The value below which 99 of 100 lie. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN
}
