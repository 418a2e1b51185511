/**
 * `npm run bench`: every figure as a ratio to a named reference, measured in turns in one run on this
 * machine. Writes docs/performance.md and its plot. `--quick` for a look that is not written down,
 * `--only reads,writes,…` for a part.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchAdmin } from './admin.ts'
import { benchEdge } from './edge.ts'
import { benchIdlePage } from './idle-page.ts'
import { benchInstants } from './instants.ts'
import { benchMixed } from './mixed.ts'
import { benchPage } from './page.ts'
import { plot } from './plot.ts'
import { benchReads } from './reads.ts'
import { type Row, table } from './report.ts'
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
  reads: () =>
    benchReads({ starts: quick ? 1 : 4, rounds: quick ? 2 : 4, seconds: quick ? 1 : 2, progress }),
  writes: () => benchWrites({ rounds: quick ? 2 : 7, writes: quick ? 320 : 1600 }, progress),
  edge: () =>
    benchEdge({ rounds: quick ? 2 : 5, seconds: 2, changes: quick ? 300 : 10_000, progress }),
  streams: async () => {
    const counts = quick ? [1_000] : [10_000, 19_000]
    const rows: Row[] = []
    for (const count of counts) rows.push(...(await benchStreams(count, quick ? 3 : 20, progress)))
    return rows
  },
  instants: () => benchInstants(quick ? 5 : 20, progress),
  page: () => benchPage(quick ? 20 : 100, progress),
  admin: () => benchAdmin({ changes: quick ? 20 : 100, keystrokes: quick ? 50 : 200 }, progress),
  idle: () => benchIdlePage(quick ? 4 : 10, progress),
  time: () => benchTimeToBar(quick ? 3 : 9, progress),
  mixed: () => benchMixed(quick ? 10 : 300, progress),
  strangers: () => benchStrangers(quick ? 3 : 10, progress),
  stopped: () => benchStoppedReader(progress),
  next: async () => {
    const { benchNext } = await import('./next.ts')
    return benchNext({ rounds: quick ? 1 : 3, seconds: quick ? 2 : 4, progress })
  },
}

const rows: Row[] = []
const started = Date.now()
for (const [name, run] of Object.entries(parts)) {
  if (only && !only.includes(name)) continue
  try {
    rows.push(...(await run()))
  } catch (error) {
    process.stderr.write(`\n${name} could not be measured: ${error}\n`)
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
  writeFileSync(join(DOCS, 'performance.md'), page(rows))
}
if (rows.some((row) => row.holds === false)) process.exitCode = 1

/** One line that is written over, where somebody watches; else a line each. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}

function page(measured: Row[]): string {
  return `# Performance

Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`: ${machine}. The server and
the load generator had one core each. A ratio compares with the reference in the same round of the same run; it is the
median of all rounds. Absolute figures don't carry to other machines; ratios do better.

${table(measured)}

![Ratios to their references](images/performance.svg)

## What is compared

- **bare \`node:http\`**: a server of a dozen lines that writes the same bytes under the same headers
  (\`bench/bare.ts\`). It does nothing else. The service can still be faster, because it asks less of Node: no stream for a
  body that isn't there, and short text in one write with its headers.
- **nginx**: one worker that serves the same bytes as a file.
- **nginx with nchan**: one worker with the module for streams that Debian ships (\`libnginx-mod-nchan\`), and as many pages.
- **the same commit in a bare loop**: a loop that writes the rows of a publication or a notification into the same tables
  through \`node:sqlite\`, with prepared statements and \`synchronous=FULL\`. This is what the disk allows. A write
  does more than that before it is answered: it reads what is there, adds to the history, checks that the file is in place
  and that locks are granted, and reads what shows now. A request also pays for parsing and its answer. 16 clients share
  commits ([why](decisions/0006-group-commit.md)).
- **a Next.js route that asks its database**: what most people would build (\`bench/next\`).
- **a pipeline**: one connection without a credential sends the same request again and again and waits for no answer.
  Meanwhile others read and write.
- **the same text in the page's HTML**: a paragraph. In Chromium at 150 ms round trip and 1.6 Mbit/s, from the navigation to
  the first frame that shows the text. Ghost's announcement bar is the script of its package.
- **mixed work**: eight clients ask for everything in turn, on both stores at once, while 100 streams come and go.

There are 64 connections. The load generator (wrk, if it is installed) counts the answers per second. For the reads,
Placard, bare \`node:http\` and nginx are started several times, warmed up until the compiler has settled, and measured in
turns, because one start of a program can stay up to 5% faster than another. A start is timed from the beginning of the
process. From the second start on, compiled code is at hand ([how](decisions/0007-a-quick-start.md)).

On a shared machine, whole minutes can be half as fast as others. Ratios cancel that out and milliseconds don't, so compare
several runs.
`
}
