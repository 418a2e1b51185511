import { SENT } from './bytes.ts'
import { type Row, table } from './report.ts'

const READS = 'GET /embed.js gzip 200, responses per second'
const MEMORY = 'resident memory after start'
const STREAM = '10,000 streams, memory above idle per stream'
const KERNEL = '10,000 streams, kernel memory per stream'

/** The rows that the page shows first, in this order. All other rows are folded. */
const DECIDE = [
  'the script tag, cold cache: delay after the page’s own text',
  'the bar in the page’s HTML, cold cache: delay after the page’s own text',
  'first GET after each of 10,000 writes',
  '10,000 streams, time until all pages have a change',
  '10,000 pages after a restart: all are connected again after',
  READS,
  'start to first response',
  MEMORY,
  STREAM,
  KERNEL,
]

/** A month of an example site. */
const MONTH = { views: 1_000_000, visitors: 200_000, changes: 30, open: 500 }

/** docs/performance.md for these rows, all of one run. */
export function performancePage(measured: Row[], machine: string): string {
  const first = DECIDE.flatMap((what) => measured.find((row) => row.what === what) ?? [])
  const rest = measured.filter((row) => !first.includes(row))
  return `# Performance

Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`: ${machine}. The server and the load generator
had one core each. A ratio is the measured figure divided by the reference's figure in the same round. If there were
several rounds, the table shows the median. Other machines give similar ratios, but not similar absolute figures.

${table(first)}

![Placard beside its references](images/performance.svg)

## What it costs

${costs(measured)}

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

/** What a site, a node and a month cost, in the requests that pages really send. */
function costs(rows: Row[]): string {
  const value = (what: string) => rows.find((row) => row.what === what)?.value ?? 'not measured'
  const number = (what: string) => Number.parseFloat(value(what).replaceAll(',', ''))
  const { views, visitors, changes, open } = MONTH
  const kilobytes =
    visitors * number(SENT.first) +
    (views - visitors) * number(SENT.later) +
    views * number(SENT.open) +
    changes * open * number(SENT.change)
  const count = (n: number) => n.toLocaleString('en')
  return `- **A page** with the script tag receives ${value(SENT.first)} on the first visit, ${value(SENT.later)} on each later visit while nothing
  changes, and ${value(SENT.open)} when it opens its stream. While it is open, it receives ${value(SENT.change)} for each change, and no
  request follows.
- **A node** takes ${value(MEMORY)} of memory, and for each open page ${value(STREAM)} in the process and ${value(KERNEL)} in the kernel. One
  core answers ${value(READS).replace('/s', '')} requests for \`/embed.js\` a second. [scaling.md](scaling.md) sizes nodes with these figures.
- **A month** of a site with ${count(views)} page views by ${count(visitors)} visitors, and ${changes} changes with ${open} pages open at
  each: the service sends ${(kilobytes / 1e6).toFixed(1)} GB, and loading the script takes ${Math.round(views / number(READS))} s of one core.`
}
