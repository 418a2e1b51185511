import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { unusable } from './unusable.ts'

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
 * Makes a file that only its owner can read. Of two processes that start at once, one makes it.
 *
 * @returns what is in the file
 */
export function makeKept(file: string, text: string): string {
  const whole = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(whole, `${text}\n`, { mode: 0o600 })
    // The file gets its name once it is written, so nobody reads half of it.
    linkSync(whole, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, error)
  } finally {
    rmSync(whole, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}
