import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../core/problem.ts'

/**
 * Opens a database with Node's own driver. SQLite itself never waits for locks, because that would block the event
 * loop.
 *
 * The driver is looked up here. An import would keep the whole app from loading on a Node without it.
 *
 * @throws if this Node has no such driver, or the database can't be opened
 */
export function connect(path: string | URL): DatabaseSync {
  // Before 20.16, Node lacks the function too.
  const driver = process.getBuiltinModule?.('node:sqlite')
  if (driver) return new driver.DatabaseSync(path, { timeout: 0 })
  throw new Error(`Node ${process.versions.node} has no node:sqlite. Use Node 24 or newer`)
}

/**
 * Checks, without waiting, whether the file system grants locks.
 *
 * A file system may refuse locks, above all a network share. When SQLite in WAL mode begins to read, it takes a refusal
 * for contention, tries again for 10 s and blocks the event loop, so no request is answered. Without WAL, it reports
 * the refusal at once. So the probe is an empty database without WAL in the same directory. Its name is removed, so
 * nothing stays behind.
 *
 * @param file the database file, or `null` for one in memory
 */
export function openLockProbe(file: string | null) {
  if (file === null) return { assert() {}, close() {} }
  const path = join(dirname(file), `.placard-${crypto.randomUUID()}`)
  const database = connect(path)
  rmSync(path)
  const read = database.prepare('pragma schema_version')
  return {
    /** @throws StoreUnavailable if no lock is granted. Cost: one lock, taken and released. */
    assert() {
      try {
        read.get()
      } catch (cause) {
        throw new StoreUnavailable(new Error(`no locks are granted beside ${file}`, { cause }))
      }
    },
    close: () => database.close(),
  }
}
