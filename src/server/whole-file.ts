import {
  closeSync,
  copyFileSync,
  constants as fs,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** What SQLite has beside a database. */
export const BESIDE = ['-journal', '-wal', '-shm']

/**
 * Makes a file beside where it is to be, for its owner alone, and gives it its name once it is whole and on the disk.
 *
 * @param replace whether it may take the place of a file that is there
 * @param make fills the empty file that it is given
 * @throws what `make` throws, or EEXIST. Then nothing is left behind.
 */
export async function makeWhole<T>(
  file: string,
  replace: boolean,
  make: (part: string) => T | Promise<T>,
): Promise<T> {
  const part = partOf(file)
  closeSync(openSync(part, 'wx', 0o600))
  try {
    const made = await make(part)
    sync(part)
    if (replace) renameSync(part, file)
    else nameAlso(part, file)
    sync(dirname(file))
    return made
  } finally {
    for (const end of ['', ...BESIDE]) rmSync(part + end, { force: true })
  }
}

/** Where to write a file until it is whole. Not by the pid: two containers with one volume both have pid 1. */
export function partOf(file: string): string {
  return `${file}.${crypto.randomUUID().slice(0, 8)}.part`
}

/** Gives a file a second name, at once. @throws EEXIST if that is taken */
export function nameAlso(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems know no second name.
    copyFileSync(file, name, fs.COPYFILE_EXCL)
    sync(name)
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
