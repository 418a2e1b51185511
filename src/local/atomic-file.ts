import {
  closeSync,
  copyFileSync,
  constants as fs,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { unusable } from './unusable.ts'

/** The name suffixes of the files that SQLite keeps beside a database. */
export const SIDE_FILES = ['-journal', '-wal', '-shm']

/**
 * Writes a file under a temporary name, readable only by its owner, and renames it once it is complete and on the disk.
 *
 * @param replace whether to replace an existing file
 * @param make fills the empty file at the given path
 * @throws the errors of `make`, or EEXIST if `file` exists and `replace` is false. No temporary file is left behind
 */
export async function writeAtomically<T>(
  file: string,
  replace: boolean,
  make: (part: string) => T | Promise<T>,
): Promise<T> {
  // The pid wouldn't be unique: in containers that share a volume, all services may have pid 1.
  const part = `${file}.${crypto.randomUUID().slice(0, 8)}.part`
  closeSync(openSync(part, 'wx', 0o600))
  try {
    const made = await make(part)
    // Sync before the rename; otherwise, a crash could leave half a file under the final name.
    sync(part)
    if (replace) renameSync(part, file)
    else linkOrCopy(part, file)
    sync(dirname(file))
    return made
  } finally {
    for (const end of ['', ...SIDE_FILES]) rmSync(part + end, { force: true })
  }
}

/**
 * Creates a small file, and its folder, readable only by their owner. If two processes start at the same time, only
 * one of them creates the file.
 *
 * @returns the content of the file, which another process may have written
 */
export async function createOnce(file: string, text: string): Promise<string> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    await writeAtomically(file, false, (part) => writeFileSync(part, `${text}\n`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, error)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Links a file to a second name. @throws EEXIST if that name is taken */
export function linkOrCopy(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems don't support hard links.
    copyFileSync(file, name, fs.COPYFILE_EXCL)
    sync(name)
  }
}

/** Waits until the content of a file, or the names in a folder, are on the disk. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
