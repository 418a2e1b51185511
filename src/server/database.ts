import type { Logger } from 'pino'
import { describeError, type Log, rootCause, silent } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import type { Placard } from '../placard.ts'
import { sqliteStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import type { Config, Database } from './config.ts'
import { unusable } from './unusable.ts'

/** @throws if the file can't be opened, with why and what to do */
export async function openStore({ database }: Pick<Config, 'database'>, log: Log): Promise<Store> {
  if (database.kind === 'sqlite') {
    try {
      return sqliteStore(database.path)
    } catch (error) {
      throw unusable(database.path, error)
    }
  }
  // Loaded on use, because the driver would slow down every other start.
  const { postgresStore } = await import('../store/postgres.ts')
  return postgresStore({ url: database.url, log })
}

/**
 * Brings the tables up to date. It doesn't wait for an unreachable Postgres, because then a deployment should fail.
 *
 * @returns the numbers of the migrations that were applied
 * @throws if the database can't be reached or used, with why
 */
export async function bringUpToDate(database: Database): Promise<readonly number[]> {
  const store = await openStore({ database }, silent)
  try {
    return (await store.migrate?.()) ?? []
  } catch (error) {
    if (database.kind === 'sqlite') throw unusable(database.path, error)
    throw new Error(`The database can't be used: ${rootCause(error)}. See DATABASE_URL`)
  } finally {
    await store.close()
  }
}

/** SQLSTATE classes of lasting errors: wrong credentials, no such database, not allowed. */
const HOPELESS = /^(28|3D|42)/
const RETRY_MS = 1_000

/**
 * Resolves once the database has been read. It waits for a Postgres that isn't up yet, because machines start
 * everything at once, and nobody should have to restart a service that was only early.
 *
 * @throws if the database refuses for good, or a SQLite file can't be used, with what to do
 */
export async function firstRead(
  placard: Placard,
  { database }: Config,
  log: Logger,
): Promise<void> {
  for (;;) {
    try {
      await placard.snapshot()
      return
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (database.kind === 'sqlite') throw unusable(database.path, error)
      const { cause } = error as { cause?: { code?: unknown } }
      if (HOPELESS.test(String(cause?.code))) {
        throw new Error(`The database refuses: ${rootCause(error)}. See DATABASE_URL`, { cause })
      }
      log.warn({ error: describeError(cause) }, 'waiting for the database')
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
