import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Announcement } from '../src/announcement.ts'
import { postgresStore } from '../src/store/postgres.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store, WriteContext } from '../src/store/store.ts'
import { afterFile } from './after-file.ts'
import { migratedDatabase } from './postgres/place.ts'
import { scratchDirectory } from './scratch.ts'

/** The events, newest first. */
export async function eventsIn(store: Store): Promise<readonly Announcement[]> {
  return (await store.load()).events
}

/** Who writes in most tests. */
export const asCode = (now: number): WriteContext => ({ now, by: { via: 'code' } })

/** An empty database of its own. */
export interface Place {
  /** Opens it: the first time, again after a close, or a second time beside the first, as another node would. */
  open(): Promise<Store>
}

export interface StoreKind {
  name: string
  place(): Promise<Place>
}

const sqlite: StoreKind = {
  name: 'SQLite',
  async place() {
    const path = join(temporaryDirectory(), 'placard.db')
    return { open: async () => sqliteStore(path) }
  },
}

const postgres: StoreKind = {
  name: 'Postgres',
  async place() {
    const url = await migratedDatabase()
    return { open: async () => postgresStore(url) }
  },
}

/** Every behaviour suite runs on each of these; on those alone that `STORES` names, where it does. */
export const STORES: readonly StoreKind[] = [sqlite, postgres].filter(
  ({ name }) => process.env.STORES?.includes(name) ?? true,
)

/** A directory that is removed after the test file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(scratchDirectory(), 'placard-test-'))
  afterFile(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
