import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Copied, copyDatabase, takeAlone } from '../store/sqlite-copy.ts'
import { linkOrCopy, SIDE_FILES, writeAtomically } from './atomic-file.ts'
import { bringUpToDate } from './database.ts'
import { unusable } from './unusable.ts'

/**
 * Copies a database into a file while the service runs. The file appears once it is complete and checked, or not at
 * all.
 *
 * @param force whether to replace an existing file
 * @throws Error whose message states the problem and the fix
 */
export async function backUp(database: string, file: string, force: boolean): Promise<Copied> {
  assertReadable(database, `no database at ${database}. Use the service's DATABASE_URL`)
  assertUsable(file, database)
  const existing = new Error(
    `${file} already exists. Choose another name, or pass --force to replace it`,
  )
  if (!force && existsSync(file)) throw existing
  try {
    return await writeAtomically(file, force, (part) => copyDatabase(database, part))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existing
    throw explained(file, error)
  }
}

export interface Restored extends Copied {
  /** The migrations that were applied; empty unless an earlier version of Placard made the backup. */
  applied: readonly number[]
  /** The new path of the replaced database; `null` if there was none. */
  kept: string | null
}

/**
 * Replaces a database with a backup. The backup is copied, checked and migrated before anything changes. The
 * replaced database is kept in the same folder.
 *
 * @throws Error whose message states the problem and the fix
 */
export async function restore(file: string, database: string, now: Date): Promise<Restored> {
  assertRestorable(file, database)
  const isThere = existsSync(database)
  // Resolve a symbolic link, so that the restore replaces the link's target, not the link.
  const path = isThere ? realpathSync(database) : database
  const kept = `${path}.before-${now.toISOString().replace(/\W/g, '')}`
  const letGo = isThere ? takeAlone(path) : () => {}
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return await writeAtomically(path, true, async (part) => {
      const copied = copyBackup(file, part)
      const applied = await bringUpToDate({ kind: 'sqlite', path: part })
      giveTo(part, isThere ? path : dirname(path))
      if (isThere) {
        chmodSync(part, statSync(path).mode & 0o777)
        linkOrCopy(path, kept)
      }
      // Log files move too, because SQLite would replay the log of the replaced database into the restored one.
      for (const end of SIDE_FILES.filter((end) => existsSync(path + end))) {
        renameSync(path + end, kept + end)
      }
      return { ...copied, applied, kept: isThere ? kept : null }
    })
  } catch (error) {
    throw explained(path, error)
  } finally {
    letGo()
  }
}

/**
 * Copies a backup, or a SQLite database that no service has open, into a Postgres database that has no history yet.
 *
 * @throws Error whose message states the problem and the fix. After an error, nothing has been copied
 */
export async function restoreInto(file: string, url: string): Promise<Copied> {
  assertRestorable(file)
  const folder = mkdtempSync(join(tmpdir(), 'placard-'))
  const copy = join(folder, 'copy.db')
  try {
    copyBackup(file, copy)
    await bringUpToDate({ kind: 'sqlite', path: copy })
    await bringUpToDate({ kind: 'postgres', url })
    const { transfer } = await import('../store/transfer.ts')
    return { rows: await transfer(copy, url) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies a backup. Throws if a service has the file open, because the service's later writes would be lost. */
function copyBackup(file: string, to: string): Copied {
  const copied = copyDatabase(file, to)
  // Locks the file only now that it is known to be Placard's, because locking may rewrite it.
  takeAlone(file)()
  return copied
}

function assertRestorable(file: string, database = ''): void {
  assertReadable(file, `no backup at ${file}`)
  assertUsable(file, database)
}

function assertReadable(file: string, missing: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (cause) {
    const isDenied = (cause as NodeJS.ErrnoException).code === 'EACCES'
    const denied = `This user can't read ${file}: run the command as its owner, or change its mode`
    throw new Error(isDenied ? denied : `There is ${missing}`, { cause })
  }
}

function assertUsable(file: string, database: string): void {
  if (!existsSync(file)) return
  // Reading from a named pipe would block for ever.
  if (!statSync(file).isFile()) throw new Error(`${file} is not a regular file. Give another path`)
  if (!existsSync(database)) return
  if (realpathSync(file) === realpathSync(database)) {
    throw new Error(`${file} is the database itself. Give the path of a backup file instead`)
  }
}

/** Gives a file the owner of `like`, so that the service can still write to it after a restore by root. */
function giveTo(file: string, like: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(like)
  chownSync(file, uid, gid)
}

/** Replaces a system or SQLite error with one that explains it. All other errors already have clear messages. */
function explained(file: string, error: unknown): unknown {
  const bySystem = error instanceof Error && ('errcode' in error || 'errno' in error)
  return bySystem ? unusable(file, error, 'try again') : error
}
