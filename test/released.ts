import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { postgresStore } from '../src/store/postgres.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { postgresStore as releasedPostgresStore } from './fixtures/released-0.1.0/postgres.js'
import { sqliteStore as releasedSqliteStore } from './fixtures/released-0.1.0/sqlite.js'
import released from './fixtures/released-0.1.0.json' with { type: 'json' }
import { query } from './postgres/nodes.ts'
import { emptyDatabase } from './postgres/place.ts'
import { STORES, temporaryDirectory } from './stores.ts'

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)

/** A store as version 0.1.0 was built: its statements and its driver settings, not a likeness. */
export type ReleasedStore = ReturnType<typeof releasedSqliteStore>

/** A database that the released version and today's may open side by side. */
export interface SharedPlace {
  /** The value of `DATABASE_URL`. */
  readonly url: string
  today(): Store
  released(): ReleasedStore
  /** The text of a program that opens it as `store`, for a process of its own. */
  readonly openReleased: string
  /** All rows of a table, in the order of their first column. */
  rows(table: string): Promise<unknown[]>
}

export interface ReleasedKind {
  name: 'SQLite' | 'Postgres'
  /** What `GET /api/events` of the released version answered, and when. */
  reads: { at: number; etag: string; body: string }[]
  /** A database with what the released version stored. */
  filled(): Promise<SharedPlace>
  empty(): Promise<SharedPlace>
}

function opening(kind: 'sqlite' | 'postgres', where: string): string {
  const module = pathToFileURL(fixture(`released-0.1.0/${kind}.js`)).href
  return `import { ${kind}Store } from '${module}'; const store = ${kind}Store('${where}')`
}

function onFile(path: string): SharedPlace {
  return {
    url: `file:${path}`,
    today: () => sqliteStore(path),
    released: () => releasedSqliteStore(path),
    openReleased: opening('sqlite', path),
    async rows(table) {
      const database = new DatabaseSync(path, { readOnly: true })
      const rows = database.prepare(`select * from ${table} order by 1`).all()
      database.close()
      return rows
    },
  }
}

function onServer(url: string): SharedPlace {
  return {
    url,
    today: () => postgresStore(url),
    released: () => releasedPostgresStore(url),
    openReleased: opening('postgres', url),
    rows: (table) => query(url, `select * from ${table} order by 1`),
  }
}

const ALL: readonly ReleasedKind[] = [
  {
    name: 'SQLite',
    reads: released.SQLite,
    async filled() {
      const path = join(temporaryDirectory(), 'placard.db')
      copyFileSync(fixture('released-0.1.0.db'), path)
      return onFile(path)
    },
    empty: async () => onFile(join(temporaryDirectory(), 'placard.db')),
  },
  {
    name: 'Postgres',
    reads: released.Postgres,
    async filled() {
      const url = await emptyDatabase()
      await query(url, readFileSync(fixture('released-0.1.0.sql'), 'utf8'))
      return onServer(url)
    },
    empty: async () => onServer(await emptyDatabase()),
  },
]

export const RELEASED = ALL.filter(({ name }) => STORES.some((kind) => kind.name === name))
