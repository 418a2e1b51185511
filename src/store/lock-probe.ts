import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from './store.ts'

export interface LockProbe {
  /** @throws StoreUnavailable where no lock is to be had. Cost: one that is taken and let go. */
  assert(): void
  close(): void
}

/**
 * Asks for a lock where SQLite doesn't wait for it.
 *
 * A file system may refuse locks, above all one that is shared over a network. SQLite in WAL mode takes that for
 * contention whenever it begins to read, and tries again for 10 s without giving the event loop a turn: no request
 * is answered meanwhile. Without WAL it reports at once. So the probe is a database without WAL in the same
 * directory. It is empty, and its name is removed, so that nothing stays behind.
 *
 * @param file the database file, or `null` for one in memory
 */
export function openLockProbe(file: string | null): LockProbe {
  if (file === null) return { assert() {}, close() {} }
  const path = join(dirname(file), `.placard-${crypto.randomUUID()}`)
  const database = new DatabaseSync(path, { timeout: 0 })
  rmSync(path)
  const read = database.prepare('pragma schema_version')
  return {
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
