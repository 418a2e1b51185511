import { accessSync, constants, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { rootCause } from '../core/log.ts'

/** The size of the probe file: more than the service writes when it starts. */
const PROBE_BYTES = 1024 * 1024

/** The system's error codes for a file that can't be written, each with its explanation and fix. */
const OBSTACLES = new Map<unknown, (folder: string) => string>([
  ['ENOENT', (folder) => `There is no folder ${folder}: create it`],
  ['ENOSPC', (folder) => `The disk that holds ${folder} is full: free some space there`],
  ['EDQUOT', (folder) => `The quota on the disk that holds ${folder} is used up: free some space`],
  ['EFBIG', (folder) => `A file in ${folder} has reached the size limit: raise ulimit -f`],
  ['EROFS', (folder) => `The disk that holds ${folder} is read-only: mount it for writing`],
  ['EACCES', (folder) => `This user can't write in ${folder}: change the folder's owner or mode`],
])

/**
 * Creates an error that explains why a file can't be used, and how to fix it. SQLite's error doesn't always name the
 * cause of a disk failure, so this writes a probe file into the same folder to find it.
 *
 * @param next the step to take after the fix
 */
export function unusable(file: string, error: unknown, next = 'start again'): Error {
  const folder = dirname(file)
  const probe = `${folder}/probe.${process.pid}`
  const obstacle = codeOf(() => writeFileSync(probe, new Uint8Array(PROBE_BYTES)))
  codeOf(() => rmSync(probe, { force: true }))
  const denied = [file, `${file}-wal`, `${file}-shm`].find((it) =>
    /EACCES|EPERM/.test(String(codeOf(() => accessSync(it, constants.R_OK | constants.W_OK)))),
  )
  const found = OBSTACLES.get((error as NodeJS.ErrnoException).code) ?? OBSTACLES.get(obstacle)
  const fix =
    denied !== undefined && obstacle === undefined
      ? `This user needs read and write access to ${denied}: change the file's owner or mode`
      : found?.(folder)
  const message = rootCause(error)
  if (fix === undefined) {
    const restore = /malformed/.test(message)
      ? '. Restore a backup: docs/self-hosting.md, Restore'
      : ''
    return new Error(`${file} can't be used: ${message}${restore}`, { cause: error })
  }
  return new Error(`${fix}, then ${next} (${message})`, { cause: error })
}

/** Runs a step. @returns the system's error code if the step fails, or `undefined` */
function codeOf(step: () => void): unknown {
  try {
    step()
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}
