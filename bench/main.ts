/**
 * `npm run bench`: measures the service and its references alternately, in one run on this machine, and writes
 * docs/performance.md and its plot. `--quick` makes a short run, and `--only reads,writes,…` runs only those parts;
 * with either option, the bench doesn't write the page.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAdmin } from './admin.ts'
import { benchBytes } from './bytes.ts'
import { benchEdge } from './edge.ts'
import { benchHostile } from './hostile.ts'
import { benchIdlePage } from './idle-page.ts'
import { benchInstants } from './instants.ts'
import { benchMixed } from './mixed.ts'
import { benchNodes } from './nodes.ts'
import { benchPage } from './page.ts'
import { performancePage } from './performance-page.ts'
import { plot } from './plot.ts'
import { benchReads } from './reads.ts'
import { type Row, table } from './report.ts'
import { benchRestart } from './restart.ts'
import { benchStart } from './start.ts'
import { benchStoppedReader } from './stopped-reader.ts'
import { benchStrangers } from './strangers.ts'
import { benchStreams } from './streams.ts'
import { benchTimeToBar } from './time-to-bar.ts'
import { benchWrites } from './writes.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const { quick } = values
const only = values.only?.split(',')
const DOCS = join(import.meta.dirname, '../docs')

const parts: Record<string, () => Promise<Row[]>> = {
  start: () => benchStart(quick ? 3 : 10, progress),
  reads: () => benchReads({ starts: quick ? 1 : 3, rounds: quick ? 2 : 5, progress }),
  writes: () => benchWrites({ rounds: quick ? 2 : 7, writes: quick ? 320 : 1600 }, progress),
  edge: () =>
    benchEdge({ rounds: quick ? 2 : 5, seconds: 2, changes: quick ? 300 : 10_000, progress }),
  nodes: () => benchNodes(quick ? 100 : 2_000, progress),
  streams: async () => {
    const counts = quick ? [1_000] : [10_000, 19_000]
    const rows: Row[] = []
    for (const count of counts) rows.push(...(await benchStreams(count, quick ? 8 : 20, progress)))
    return rows
  },
  bytes: benchBytes,
  restart: () => benchRestart(quick ? 1_000 : 10_000, progress),
  instants: () => benchInstants(quick ? 5 : 20, progress),
  page: () => benchPage(quick ? 20 : 100, progress),
  admin: () => benchAdmin({ changes: quick ? 20 : 100, keystrokes: quick ? 50 : 200 }, progress),
  idle: () => benchIdlePage(quick ? 4 : 10, progress),
  time: () => benchTimeToBar(quick ? 3 : 9, progress),
  mixed: () => benchMixed(quick ? 10 : 300, progress),
  hostile: () => benchHostile(quick ? 3 : 20, progress),
  strangers: () => benchStrangers(quick ? 3 : 10, progress),
  stopped: () => benchStoppedReader(progress),
}

const rows: Row[] = []
const started = Date.now()
for (const [name, run] of Object.entries(parts)) {
  if (only && !only.includes(name)) continue
  try {
    rows.push(...(await run()))
  } catch (error) {
    process.stderr.write(`\nCould not measure ${name}: ${error}\n`)
    rows.push({ what: name, value: 'not measured', holds: false })
  }
}
progress('')

const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
const minutes = ((Date.now() - started) / 60_000).toFixed(1)
process.stdout.write(`${table(rows)}\n\n${machine}; ${minutes} minutes\n`)

if (!quick && !only) {
  mkdirSync(join(DOCS, 'images'), { recursive: true })
  writeFileSync(join(DOCS, 'images/performance.svg'), plot(rows))
  writeFileSync(join(DOCS, 'performance.md'), performancePage(rows, machine))
}
if (rows.some((row) => row.holds === false)) process.exitCode = 1

/** Overwrites one line in a terminal; elsewhere it prints a line for each step. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}
