import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DatabaseState } from './store.ts'

/**
 * Reads the state of an open database file.
 *
 * @param path `null` for a database in memory
 * @param transact runs a transaction that needs the disk, and resolves with its connection
 */
export async function inspectFile(
  path: string | null,
  transact: () => Promise<DatabaseSync>,
): Promise<DatabaseState> {
  const place = path === null ? {} : { file: resolve(path), freeBytes: freeBytesAt(dirname(path)) }
  try {
    const database = await transact()
    const pragma = (name: string) =>
      Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
    const [journalMode, synchronous] = [pragma('journal_mode'), pragma('synchronous')]
    return {
      kind: 'sqlite',
      ...place,
      journalMode: String(journalMode),
      synchronous: Number(synchronous),
    }
  } catch (failed) {
    return { kind: 'sqlite', ...place, failed }
  }
}

/** How much this user may still write on the disk of a folder; `undefined` if the system doesn't say. */
export function freeBytesAt(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}
