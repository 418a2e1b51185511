import { rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** More than a start writes. */
const PROBE_BYTES = 1024 * 1024

/** What keeps a file from being written, by the system's code, and what to do about it. */
const OBSTACLES = new Map<unknown, (folder: string) => string>([
  ['ENOSPC', (folder) => `The disk that holds ${folder} is full: free some space there`],
  ['EDQUOT', (folder) => `The quota on the disk that holds ${folder} is used up: free some space`],
  ['EFBIG', (folder) => `Files in ${folder} may not grow any more: raise ulimit -f`],
  ['EROFS', (folder) => `The disk that holds ${folder} is read-only: mount it for writing`],
  ['EACCES', (folder) => `This user may not write in ${folder}: change its owner or its mode`],
])

/**
 * Says why a file can't be used, and what to do. SQLite calls whatever fails on a disk an I/O error, so the reason is
 * looked for where the file is: by writing beside it.
 */
export function unusable(file: string, error: unknown): Error {
  const folder = dirname(file)
  const found = OBSTACLES.get(codeOf(error)) ?? OBSTACLES.get(obstacleIn(folder))
  const said = innermost(error)
  if (found) return new Error(`${found(folder)}, then start again (${said})`, { cause: error })
  return new Error(`${file} can't be used: ${said}`, { cause: error })
}

function obstacleIn(folder: string): unknown {
  const probe = `${folder}/probe.${process.pid}`
  try {
    writeFileSync(probe, new Uint8Array(PROBE_BYTES))
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    removeProbe(probe)
  }
}

function removeProbe(probe: string): void {
  try {
    rmSync(probe, { force: true })
  } catch {
    // There is nothing to remove where no file could be: the reason is in what writing said.
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** What really happened: the message of the innermost cause. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return innermost(error.cause)
  // Several addresses of one host, none of which answers, are one error without a message.
  return error.message || String(codeOf(error))
}
