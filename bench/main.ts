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
import { benchEdge } from './edge.ts'
import { benchHostile } from './hostile.ts'
import { benchIdlePage } from './idle-page.ts'
import { benchInstants } from './instants.ts'
import { benchMixed } from './mixed.ts'
import { benchNodes } from './nodes.ts'
import { benchPage } from './page.ts'
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

/** The rows that the page shows first, in this order. All other rows are folded. */
const DECIDE = [
  'start to first response',
  'resident memory after start',
  'GET /api/events 200, responses per second',
  'POST, durable, 16 clients',
  'first GET after each of 10,000 writes',
  '10,000 streams, memory above idle per stream',
  '10,000 streams, kernel memory per stream',
  '10,000 streams, time until all pages have a change',
  'write answered → open page changed in Chromium, p95',
  'the script tag, cold cache: delay after the page’s own text',
]

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
  writeFileSync(join(DOCS, 'performance.md'), page(rows))
}
if (rows.some((row) => row.holds === false)) process.exitCode = 1

/** Overwrites one line in a terminal; elsewhere it prints a line for each step. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
  else if (text) process.stderr.write(`${text}\n`)
}

function page(measured: Row[]): string {
  const first = DECIDE.flatMap((what) => measured.find((row) => row.what === what) ?? [])
  const rest = measured.filter((row) => !first.includes(row))
  return `# Performance

Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`: ${machine}. The server and the load generator
had one core each. A ratio is the measured figure divided by the reference's figure in the same round. If there were
several rounds, the table shows the median. Ratios carry over to other machines; absolute figures don't.

${table(first)}

![Placard beside its references](images/performance.svg)

To size a machine, take the resident memory after start, and add the process and kernel memory of one stream for each
open page.

<details>
<summary>All other figures</summary>

${table(rest)}

</details>

## The references

- **bare \`node:http\`**: a server of a dozen lines that writes the same response as the service, with head and body in
  one string (\`bench/bare.mjs\`).
- **nginx**: one worker that serves the same body from memory (\`return 200\`) or from a file (\`sendfile on\`).
- **nginx with nchan**: one worker with Debian's module for streams (\`libnginx-mod-nchan\`), and the same number of open
  pages.
- **the same commit in a bare loop**: a loop that inserts announcements into the service's tables through \`node:sqlite\`,
  with prepared statements and \`synchronous=FULL\`. With one commit per write, the disk allows nothing faster. A write to
  the service also reads the stored announcements, adds to the history, checks that the database file is still in place,
  and reads the live announcement; each write is a commit of its own.
  Writes have no bound, because their ratio depends on the disk: on a fast disk, a request costs more than a
  commit; on a slow disk, it costs less.
- **pipelined requests**: a client without a credential sends one request again and again over one connection, without
  waiting for responses, while other clients read and write.
- **the same text in the page's HTML**: the page has the announcement's text as a plain paragraph, and no bar. The time
  is measured in Chromium, over a simulated connection of 1.6 Mbit/s with a round trip of 150 ms, from the navigation to
  the first frame that shows the text. For Ghost's announcement bar, the page loads the script of the package
  \`@tryghost/announcement-bar\`.
- **mixed work**: on each store, eight clients cycle through all kinds of request, while 100 streams open and close.

Kernel memory is the growth in \`/proc/slabinfo\`, halved because both ends of each connection are on this machine. For
reads, wrk (or a Node script, if wrk isn't installed) keeps 64 connections busy. Each server is started several times,
warms up until the compiler has settled, and takes turns with the other servers, because the same program can run 5%
faster after one start than after another. Every start after the first loads the service's compiled code from a cache
([how](decisions/0007-a-quick-start.md)).

We don't compare with a Next.js route that queries its database, because the ratio varied with the version of Next.js
and the machine, and said nothing about Placard.

On a shared machine, speed can halve for minutes at a time. Ratios cancel out such changes in speed, but absolute times
don't, so compare several runs.
`
}
