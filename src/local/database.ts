import { describeError, type Log, rootCause, silent } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import { sqliteStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import type { Database } from './config.ts'
import { unusable } from './unusable.ts'

/** @throws Error whose message says why the SQLite file can't be opened, and gives the fix */
export async function openStore(database: Database, log: Log): Promise<Store> {
  if (database.kind === 'sqlite') {
    try {
      return sqliteStore(database.path)
    } catch (error) {
      throw unusable(database.path, error)
    }
  }
  // Load the Postgres driver only if it is used, because it would slow down every start with SQLite.
  const { postgresStore } = await import('../store/postgres.ts')
  return postgresStore({ url: database.url, log })
}

/**
 * Migrates the tables. If Postgres is unreachable, this throws instead of waiting, so that a deployment fails.
 *
 * @returns the numbers of the migrations that were applied
 * @throws Error whose message says why the database can't be reached or used
 */
export async function bringUpToDate(database: Database): Promise<readonly number[]> {
  const store = await openStore(database, silent)
  try {
    return await store.migrate()
  } catch (error) {
    if (database.kind === 'sqlite') throw unusable(database.path, error)
    throw unusablePostgres(error)
  } finally {
    await store.close()
  }
}

/** SQLSTATE classes of errors that waiting doesn't fix: wrong credentials, unknown database, missing permission. */
const HOPELESS = /^(28|3D|42)/
const RETRY_MS = 1_000

/**
 * Resolves once the database has been read. If Postgres isn't up yet, this waits for it, because Placard may be started
 * first when a machine boots.
 *
 * @param read reads the database. A `Problem` means that the database is unavailable
 * @throws Error whose message gives the fix, if waiting for Postgres won't help or the SQLite file can't be used
 */
export async function firstRead(read: () => unknown, database: Database, log: Log): Promise<void> {
  for (;;) {
    try {
      await read()
      return
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (database.kind === 'sqlite') throw unusable(database.path, error)
      if (HOPELESS.test(codeOf(error))) throw unusablePostgres(error)
      log.warn({ error: describeError(error) }, 'waiting for the database')
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** The SQLSTATE of an error from Postgres, or the system's code. */
const codeOf = ({ cause }: { cause?: unknown }) =>
  String((cause as { code?: unknown } | undefined)?.code)

const NO_PRIVILEGE = '42501'

function unusablePostgres(error: unknown): Error {
  const isDenied = codeOf(error as Error) === NO_PRIVILEGE
  const fix = isDenied ? 'Grant the privileges in docs/upgrading.md' : 'Check DATABASE_URL'
  return new Error(`Postgres can't be used: ${rootCause(error)}. ${fix}`, { cause: error })
}
