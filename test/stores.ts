import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Announcement, Draft } from '../src/core/announcement.ts'
import { postgresStore } from '../src/store/postgres.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store, WriteContext } from '../src/store/store.ts'
import { afterFile } from './after-file.ts'
import { emptyDatabase, migratedDatabase, query } from './postgres/place.ts'
import { scratchDirectory } from './scratch.ts'

/** The events, newest first. */
export async function eventsIn(store: Store): Promise<readonly Announcement[]> {
  return (await store.load()).published
}

/** The smallest announcement that a store accepts. */
export const STORED: Draft = {
  ...{ text: 'We wrote about caching', type: 'post', slug: '/blog/caching' },
  ...{ icon: null, expiresAt: null, translations: null },
}

/** Who writes in most tests. */
export const asCode = (now: number): WriteContext => ({ now, by: { via: 'code' } })

/** A database of its own without announcements. */
export interface Place {
  /** As in `DATABASE_URL`. */
  url: string
  /** Opens it, for the first time, again after closing it, or a second time as another node would. */
  open(): Promise<Store>
  /** Runs a statement without a store. */
  query(statement: string): Promise<Record<string, unknown>[]>
}

export interface StoreKind {
  name: 'SQLite' | 'Postgres'
  place(): Promise<Place>
  /** One without tables. */
  bare(): Promise<Place>
}

function onFile(): Place {
  const path = join(temporaryDirectory(), 'placard.db')
  return {
    url: `file:${path}`,
    open: async () => sqliteStore(path),
    async query(statement) {
      const database = new DatabaseSync(path)
      try {
        return database.prepare(statement).all()
      } finally {
        database.close()
      }
    },
  }
}

function onServer(url: string): Place {
  return { url, open: async () => postgresStore(url), query: (statement) => query(url, statement) }
}

const sqlite: StoreKind = {
  name: 'SQLite',
  place: async () => onFile(),
  bare: async () => onFile(),
}

const postgres: StoreKind = {
  name: 'Postgres',
  place: async () => onServer(await migratedDatabase()),
  bare: async () => onServer(await emptyDatabase()),
}

/** The stores on which every suite of behaviour runs: those that `STORES` names, or all. */
export const STORES: readonly StoreKind[] = [sqlite, postgres].filter(
  ({ name }) => process.env.STORES?.includes(name) ?? true,
)

/**
 * Runs this code in a process of its own, where `store` is a file's and `publish` writes to it.
 *
 * @returns its output
 */
export async function inAnotherProcess(path: string, work: string): Promise<string> {
  const from = (name: string) => JSON.stringify(new URL(`../src/store/${name}.ts`, import.meta.url))
  const program = `
    const { sqliteStore } = await import(${from('sqlite')})
    const { StoreUnavailable } = await import(${from('store')})
    const store = sqliteStore(${JSON.stringify(path)})
    const publish = (parts) => {
      const draft = { ...${JSON.stringify(STORED)}, ...parts }
      return store.publish(draft, { now: Date.now(), by: { via: 'code' } })
    }
    ${work}
    await store.close()`
  const args = ['--input-type=module', '-e', program]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  return (stdout + stderr).trim()
}

/** A directory that is removed after the test file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(scratchDirectory(), 'placard-test-'))
  afterFile(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
