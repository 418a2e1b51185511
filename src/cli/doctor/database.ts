import type { Facts } from '../../http/facts.ts'
import { type Finding, fail, pass, skip, warn } from './finding.ts'

const MIB = 1024 * 1024
/** A database takes a few MiB, and SQLite's log up to as much again. */
const LITTLE_ROOM = 100 * MIB
const NO_ROOM = 10 * MIB
const OLDEST_POSTGRES = 14
/** `pragma synchronous`: an answered write survives a power cut. */
const FULL = 2

/** What to do about what SQLite, or the service, says of a file. */
const SQLITE_MENDS: [RegExp, (file: string) => string][] = [
  [
    /restart the service/,
    (file) =>
      `Put ${file} back, or a backup in its place (docs/self-hosting.md, Restore), and restart the service`,
  ],
  [/locked|busy/i, (file) => `End the program that has it locked: \`fuser ${file}\` names it`],
  [
    /not a database|malformed|corrupt/i,
    () => 'Put a backup in its place: docs/self-hosting.md, Restore',
  ],
  [/no locks are granted/, () => 'Move it to a local disk, because this one grants no locks'],
  [/full|quota/i, () => 'Free some space on its disk'],
  [
    /readonly|read-only|EACCES|EROFS|EPERM|unable to open/i,
    (file) => `Make ${file} and its folder writable for the user of the service`,
  ],
  [
    /no database|has run here/,
    (file) =>
      `Rename a backup to ${file} (docs/self-hosting.md, Restore); or restart, and begin with an empty one`,
  ],
]

/**
 * @param database what the service says of it, or what can be seen without the service
 * @param listens whether the service means to hear of changes by others
 */
export function checkDatabase(
  database: Facts['database'],
  hearing?: boolean,
  listens = true,
): Finding[] {
  if (database.kind === 'postgres') return checkPostgres(database, hearing, listens)
  return [checkFile(database), ...(database.freeBytes === undefined ? [] : [checkDisk(database)])]
}

function checkFile({ file = '', error, journalMode, synchronous }: Facts['database']): Finding {
  const name = file || 'The database'
  if (error !== undefined) {
    const [, mend] = SQLITE_MENDS.find(([said]) => said.test(error)) ?? []
    const usual = 'Look into the log of the service for what happened before, then restart it'
    const message = error.includes(name) ? `No write is possible: ${error}` : `${name}: ${error}`
    return fail('database', message, mend?.(file) ?? usual)
  }
  if (journalMode !== undefined && journalMode !== 'wal' && journalMode !== 'memory') {
    const message = `${name} is in journal mode ${journalMode}, so readers wait for writers`
    return fail('database', message, 'Open it with openDatabase or by its path, and restart')
  }
  if (synchronous !== undefined && synchronous < FULL) {
    const message = `${name} is written with synchronous ${synchronous}, so a power cut loses writes`
    return fail('database', message, 'Open it with openDatabase or by its path, and restart')
  }
  if (synchronous === undefined) return pass('database', `${name} can be read and written`)
  return pass('database', `${name} takes writes, in WAL mode with synchronous FULL`)
}

function checkDisk({ file = '', freeBytes = 0 }: Facts['database']): Finding {
  const message = `${(freeBytes / MIB).toFixed(0)} MiB are free on the disk of ${file}`
  const mend = 'Free some space there: without it, writes are answered 503'
  if (freeBytes < NO_ROOM) return fail('disk', `Only ${message}`, mend)
  return freeBytes < LITTLE_ROOM ? warn('disk', `Only ${message}`, mend) : pass('disk', message)
}

function checkPostgres(
  database: Facts['database'],
  hearing: boolean | undefined,
  listens: boolean,
): Finding[] {
  const { error, version = 0, readOnly, pooled, writable = true } = database
  if (error !== undefined) {
    const mend = 'Start it, or correct DATABASE_URL'
    const deaf = skip('listen', 'Postgres does not answer')
    return [fail('database', `Postgres can not be used: ${error}`, mend), deaf]
  }
  const [major, minor] = [Math.floor(version / 10_000), version % 10_000]
  const name = `Postgres ${major}.${minor}`
  const finding =
    major < OLDEST_POSTGRES
      ? fail('database', `${name} is too old`, `Use Postgres ${OLDEST_POSTGRES} or later`)
      : readOnly
        ? fail('database', `${name} takes no writes`, 'Point DATABASE_URL at the primary server')
        : !writable
          ? fail('database', `${name} refused the last write`, 'Look into the log for its cause')
          : pass('database', `${name} takes writes`)
  // A replica can't listen, so there is only one thing to mend.
  const deaf = skip('listen', 'A server that takes no writes tells of none')
  if (readOnly) return [finding, deaf]
  const unheard = 'Nothing listens between two requests, so each read asks the database'
  return [finding, listens ? checkHearing(hearing, pooled) : pass('listen', unheard)]
}

function checkHearing(hearing: boolean | undefined, pooled: boolean | undefined): Finding {
  if (hearing) return pass('listen', 'Changes by other nodes are heard')
  const price = 'so each read asks the database'
  if (!pooled) {
    const mend = 'Look into the log for “not hearing the other nodes”, and check the network'
    return warn('listen', `Changes by other nodes are not heard, ${price}`, mend)
  }
  const message = `A pooler delivers no notifications, as in transaction mode, ${price}`
  const mend = 'Give DATABASE_URL the server itself, or a pooler in session mode'
  return warn('listen', message, mend)
}
