import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** A whole run takes about half of it, nearly all for the databases. */
const NEEDED_BYTES = 8 * 1024 ** 3

/**
 * Where tests put what they throw away: in memory where there is plenty, otherwise in the temporary directory. Each
 * database of Postgres is 300 files, and a disk takes longer to make them than most tests take.
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
