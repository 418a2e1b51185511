import type { Facts } from '../../http/facts.ts'
import { by, type Finding } from './finding.ts'

const { pass, fail } = by('database')

const MIB = 1024 * 1024
/** A database takes a few MiB, and SQLite's log may need as much again. */
const LITTLE_ROOM = 100 * MIB
const NO_ROOM = 10 * MIB
const OLDEST_POSTGRES = 14
/** `pragma synchronous`: an answered write survives a power cut. */
const FULL = 2

/** What to do about the errors that SQLite or the service reports about a file. */
const SQLITE_FIXES: [RegExp, string][] = [
  [
    /restart the service/,
    'Put FILE back, or a backup (docs/self-hosting.md, Restore), and restart the service',
  ],
  [/locked|busy/i, 'End the program that has it locked: `fuser FILE` names it'],
  [/malformed|corrupt/i, 'Put a backup in its place: docs/self-hosting.md, Restore'],
  [/full|quota/i, 'Free some space on its disk'],
  [
    /read-?only|EACCES|EROFS|EPERM|unable to open/i,
    'Make FILE and its folder writable for the user of the service',
  ],
  [/./, 'Look in the log of the service for the cause, then restart it'],
]

export function checkDatabase({ database, hearing, background = true }: Facts): Finding[] {
  if (database.kind === 'postgres') return checkPostgres(database, hearing, background)
  return [checkFile(database), ...(database.freeBytes === undefined ? [] : [checkDisk(database)])]
}

function checkFile({ file = '', error, journalMode, synchronous }: Facts['database']): Finding {
  const name = file || 'The database'
  const reopen = 'Open it with openDatabase or by its path, and restart'
  if (error !== undefined) {
    const [, fix = ''] = SQLITE_FIXES.find(([said]) => said.test(error)) ?? []
    const message = error.includes(name) ? `No write is possible: ${error}` : `${name}: ${error}`
    return fail(
      message,
      fix.replace('FILE', () => file),
    )
  }
  if (journalMode !== undefined && journalMode !== 'wal' && journalMode !== 'memory') {
    return fail(`${name} is in journal mode ${journalMode}, so readers wait for writers`, reopen)
  }
  if (synchronous !== undefined && synchronous < FULL) {
    return fail(`${name} has synchronous ${synchronous}, so a power cut loses writes`, reopen)
  }
  return pass(`${name} takes writes`)
}

function checkDisk({ file = '', freeBytes = 0 }: Facts['database']): Finding {
  const { pass, warn, fail } = by('disk')
  const message = `${(freeBytes / MIB).toFixed(0)} MiB are free on the disk of ${file}`
  const fix = 'Free some space there: without it, writes get 503'
  if (freeBytes >= LITTLE_ROOM) return pass(message)
  return (freeBytes < NO_ROOM ? fail : warn)(`Only ${message}`, fix)
}

function checkPostgres(
  { error, version = 0, readOnly, pooled, writable }: Facts['database'],
  hearing: boolean,
  listens: boolean,
): Finding[] {
  const listen = by('listen')
  if (error !== undefined) {
    const found = fail(`Postgres can't be used: ${error}`, 'Start it, or correct DATABASE_URL')
    return [found, listen.skip('Postgres does not answer')]
  }
  const major = Math.floor(version / 10_000)
  const name = `Postgres ${major}.${version % 10_000}`
  if (readOnly) {
    const found = fail(`${name} takes no writes`, 'Point DATABASE_URL at the primary server')
    return [found, listen.skip('A read-only server announces no writes')]
  }
  const finding =
    major < OLDEST_POSTGRES
      ? fail(`${name} is too old`, `Use Postgres ${OLDEST_POSTGRES} or later`)
      : writable === false
        ? fail(`${name} refused the last write`, 'Look in the log for the cause')
        : pass(`${name} takes writes`)
  const price = 'so each read queries the database'
  if (!listens) return [finding, listen.pass(`No process listens between requests, ${price}`)]
  if (hearing) return [finding, listen.pass('Changes by other nodes are heard')]
  const [message, fix] = pooled
    ? [
        `A pooler delivers no notifications, as in transaction mode, ${price}`,
        'Give DATABASE_URL the server itself, or a pooler in session mode',
      ]
    : [
        `Changes by other nodes are not heard, ${price}`,
        'Look in the log for “not hearing the other nodes”, and check the network',
      ]
  return [finding, listen.warn(message, fix)]
}
