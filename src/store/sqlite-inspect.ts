import { statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DatabaseState } from './store.ts'

/**
 * Looks at a database file that is open.
 *
 * @param path `null` for one in memory
 * @param transact makes a transaction that needs the disk, and resolves with the connection that it was made on
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

/** How much this user may still write on the disk of a folder; `undefined` if it doesn't say. */
export function freeBytesAt(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}
