import type { Facts } from '../../core/facts.ts'
import { by, type Finding } from './finding.ts'

const { pass, fail } = by('database')

const LOOK = "Look for the cause in the service's log"
const MIB = 1024 * 1024
/** The doctor warns if less space is free: a database takes a few MiB, and its write-ahead log may double that. */
const LITTLE_ROOM = 100 * MIB
const NO_ROOM = 10 * MIB
const OLDEST_POSTGRES = 14
/** The value of `pragma synchronous` at which an acknowledged write survives a power cut. */
const FULL = 2

/** Fixes for errors that SQLite or the service reports about the database file. The first matching pattern wins. */
const SQLITE_FIXES: [RegExp, string][] = [
  [
    /restart the service/,
    'Move FILE back. If it is gone, restore a backup (docs/self-hosting.md, Restore) and restart',
  ],
  [/locked|busy/i, 'Stop the program that holds the lock: `fuser FILE` prints its process id'],
  [/malformed|corrupt/i, 'Restore a backup: docs/self-hosting.md, Restore'],
  [/full|quota/i, 'Free some space on the disk that holds FILE'],
  [
    /read-?only|EACCES|EROFS|EPERM|unable to open/i,
    'Make FILE and its folder writable by the user that runs the service',
  ],
  [/./, `${LOOK}, then restart the service`],
]

export function checkDatabase({ database, stored, hearing, background = true }: Facts): Finding[] {
  const isPostgres = database.kind === 'postgres'
  const main = isPostgres ? checkPostgres(database) : checkFile(database)
  const isUnread = !stored && main.status !== 'fail'
  return [
    isUnread ? fail("The announcement can't be read", LOOK) : main,
    ...(isPostgres ? [checkListening(database, hearing, background)] : checkDisk(database)),
  ]
}

function checkFile({ file = '', error, journalMode, synchronous }: Facts['database']): Finding {
  const name = file || 'The database'
  const reopen =
    'Open the file with openDatabase or pass its path to the store, and restart the app'
  if (error !== undefined) {
    const [, advice = ''] = SQLITE_FIXES.find(([said]) => said.test(error)) ?? []
    const fix = advice.replace('FILE', () => file)
    return fail(error.includes(name) ? `Writes fail: ${error}` : `${name}: ${error}`, fix)
  }
  if (journalMode !== undefined && journalMode !== 'wal' && journalMode !== 'memory') {
    return fail(`${name} is in journal mode ${journalMode}, so readers wait for writers`, reopen)
  }
  if (synchronous !== undefined && synchronous < FULL) {
    return fail(`${name} has synchronous=${synchronous}, so a power cut can lose writes`, reopen)
  }
  return pass(`${name} accepts writes`)
}

function checkDisk({ file = '', freeBytes }: Facts['database']): Finding[] {
  const { pass, warn, fail } = by('disk')
  if (freeBytes === undefined) return []
  const message = `${(freeBytes / MIB).toFixed(0)} MiB are free on the disk that holds ${file}`
  const fix = 'Free some space there: once the disk is full, writes get 503'
  if (freeBytes >= LITTLE_ROOM) return [pass(message)]
  return [(freeBytes < NO_ROOM ? fail : warn)(`Only ${message}`, fix)]
}

function checkPostgres({ error, version = 0, readOnly }: Facts['database']): Finding {
  if (error !== undefined) {
    const fix = 'Start Postgres, correct DATABASE_URL, or grant the privileges in docs/upgrading.md'
    return fail(`Postgres can't be used: ${error}`, fix)
  }
  const major = Math.floor(version / 10_000)
  const name = `Postgres ${major}.${version % 10_000}`
  if (readOnly) return fail(`${name} is read-only`, 'Point DATABASE_URL at the primary server')
  if (major < OLDEST_POSTGRES) {
    return fail(`${name} is too old`, `Use Postgres ${OLDEST_POSTGRES} or later`)
  }
  return pass(`${name} accepts writes`)
}

function checkListening(
  { error, readOnly, pooled }: Facts['database'],
  hearing: boolean,
  listens: boolean,
): Finding {
  const { pass, warn, skip } = by('listen')
  if (error !== undefined) return skip("Not checked, because Postgres can't be used")
  if (readOnly) return skip('Not checked, because Postgres is read-only')
  const price = 'so each read queries the database'
  if (!listens) return pass(`No process listens between requests, ${price}`)
  if (hearing) return pass('The service hears of changes by other nodes')
  if (pooled) {
    const message = 'A pooler, probably in transaction mode, drops notifications from other nodes'
    const fix = 'Point DATABASE_URL at the server itself, or at a pooler in session mode'
    return warn(`${message}, ${price}`, fix)
  }
  const fix = 'Look in the log for “not hearing the other nodes”, and check the network'
  return warn(`The service doesn't hear of changes by other nodes, ${price}`, fix)
}
