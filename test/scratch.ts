import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** A whole run takes about half of it, nearly all for the databases. */
const NEEDED_BYTES = 8 * 1024 ** 3

/**
 * Where tests put temporary files: in memory if there is enough, otherwise in the temporary directory. Each
 * Postgres database has 300 files, and creating them on a disk takes longer than most tests.
 */
export function scratchDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES) return MEMORY
  } catch {
    // There is none, as on macOS.
  }
  return tmpdir()
}
