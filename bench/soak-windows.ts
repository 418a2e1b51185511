/**
 * Publishes announcements with random starts and ends on both stores, moves the clock to random instants, and counts
 * announcements that show early, late, or again after they were replaced, and wrong predictions of `?at=`.
 *
 * `npm run soak windows` for 10,000 windows on each store, `npm run soak windows 200 4711` for the 200 with that seed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from '../src/store/postgres.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { startCluster } from '../test/postgres/cluster.ts'
import { query } from '../test/postgres/place.ts'
import { type Outcome, runWindows } from '../test/windows/run.ts'

const WINDOWS = Number(process.argv[2] ?? 10_000)
const FIRST = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9))
/** Rounds on one database, of 5 windows and 5 instants each. */
const ROUNDS = 40
const REPORT_EVERY = 10

const directory = mkdtempSync(join(tmpdir(), 'placard-windows-'))
const cluster = await startCluster(['fsync=off'])

/** Each function creates an empty database and returns a function that opens it. */
const stores: Record<string, (seed: number) => Promise<() => Promise<Store>>> = {
  SQLite: async (seed) => async () => sqliteStore(join(directory, `${seed}.db`)),
  async Postgres(seed) {
    const url = new URL(cluster.url())
    await query(url.href, `create database windows_${seed}`)
    url.pathname = `windows_${seed}`
    return async () => postgresStore(url.href)
  },
}

function figures(name: string, outcomes: readonly Outcome[]): string {
  const sum = (part: (one: Outcome) => number) => outcomes.reduce((all, one) => all + part(one), 0)
  const count = (kind: string) =>
    sum(({ faults }) => faults.filter(({ fault }) => fault === kind).length)
  const foretold = sum((one) => one.foretold)
  return (
    `${name}: ${sum((one) => one.windows)} windows, ${sum((one) => one.reads)} reads: ` +
    `${count('early')} early, ${count('late')} late, ${count('returned')} returned, ` +
    `${count('other')} otherwise wrong; ?at= right ${foretold - count('foretold')} of ${foretold}`
  )
}

try {
  console.log(`The first seed is ${FIRST}`)
  for (const [name, make] of Object.entries(stores)) {
    const outcomes: Outcome[] = []
    for (let seed = FIRST, windows = 0; windows < WINDOWS; seed++) {
      const outcome = await runWindows(seed, ROUNDS, await make(seed))
      outcomes.push(outcome)
      windows += outcome.windows
      for (const { what } of outcome.faults) console.log(what)
      if (outcome.faults.length > 0) process.exitCode = 1
      if (outcomes.length % REPORT_EVERY === 0) console.log(figures(name, outcomes))
    }
    console.log(`\n${figures(name, outcomes)}\n`)
  }
} finally {
  await cluster.remove()
  rmSync(directory, { recursive: true, force: true })
}
