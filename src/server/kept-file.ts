import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { unusable } from './unusable.ts'
import { nameAlso, partOf, sync } from './whole-file.ts'

/** What is in a file that the service keeps, or `undefined` if there is none. */
export function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Makes a file that only its owner can read. Of two processes that start at once, one makes it. It is on the disk before
 * anybody uses it.
 *
 * @returns what is in the file
 */
export function makeKept(file: string, text: string): string {
  const part = partOf(file)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(part, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
    // The file gets its name once it is written, so nobody reads half of it.
    nameAlso(part, file)
    sync(dirname(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, error)
  } finally {
    rmSync(part, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}
