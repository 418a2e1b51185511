import { accessSync, constants, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { rootCause } from '../core/log.ts'

/** The size of the probe, larger than what a start writes. */
const PROBE_BYTES = 1024 * 1024

/** The system's error codes that keep a file from being written, and what to do about each. */
const OBSTACLES = new Map<unknown, (folder: string) => string>([
  ['ENOENT', (folder) => `There is no folder ${folder}: make it`],
  ['ENOSPC', (folder) => `The disk that holds ${folder} is full: free some space there`],
  ['EDQUOT', (folder) => `The quota on the disk that holds ${folder} is used up: free some space`],
  ['EFBIG', (folder) => `Files in ${folder} may not grow any more: raise ulimit -f`],
  ['EROFS', (folder) => `The disk that holds ${folder} is read-only: mount it for writing`],
  ['EACCES', (folder) => `This user may not write in ${folder}: change its owner or its mode`],
])

/**
 * Explains why a file can't be used, and what to do. SQLite calls every failure of a disk an I/O error, so this writes
 * a probe beside the file to find the reason.
 *
 * @param next what to do once that is fixed
 */
export function unusable(file: string, error: unknown, next = 'start again'): Error {
  const folder = dirname(file)
  const obstacle = obstacleIn(folder)
  const message = rootCause(error)
  const denied = [file, `${file}-wal`, `${file}-shm`].find(isDenied)
  if (denied !== undefined && obstacle === undefined) {
    const mend = `This user may not read and write ${denied}: change its owner or its mode`
    return new Error(`${mend}, then ${next} (${message})`, { cause: error })
  }
  const found = OBSTACLES.get(codeOf(error)) ?? OBSTACLES.get(obstacle)
  if (found) return new Error(`${found(folder)}, then ${next} (${message})`, { cause: error })
  return new Error(`${file} can't be used: ${message}`, { cause: error })
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

/** Whether the file exists, and this user may not read or write it. */
function isDenied(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM'
  }
}

function removeProbe(probe: string): void {
  try {
    rmSync(probe, { force: true })
  } catch {
    // If no file can be written, there is none to remove. The caller has the reason.
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
