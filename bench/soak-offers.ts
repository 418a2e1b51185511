/**
 * Runs histories of coupons, redemptions, edits, deletions, notifications that are late, lost or repeated, and outages of
 * Stripe and of the service, and counts refused offers that stay visible too long, and ends that are not right.
 *
 * `npm run soak:offers` for 10,000 histories, `npm run soak:offers 200 4711` for the 200 that begin with that seed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '../test/scratch.ts'
import { type HistoryOutcome, runHistory } from '../test/stripe/histories/run.ts'

const HISTORIES = Number(process.argv[2] ?? 10_000)
const FIRST = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9))
const REPORT_EVERY = 500

// In memory where that can be had: the disk has no part in this.
const directory = mkdtempSync(join(scratchDirectory(), 'placard-offers-'))
const sums = { looks: 0, refusedLooks: 0, refused: 0, end: 0 }
const ends: Record<HistoryOutcome['end'], number> = { offer: 0, 'by hand': 0, nothing: 0 }

const figures = (count: number) =>
  `${count} histories, ${sums.looks} looks: ${sums.refused} refused offers visible too long ` +
  `(${sums.refusedLooks} within the bounds), ${sums.end} wrong ends ` +
  `(right: ${ends.offer} offers, ${ends['by hand']} by hand, ${ends.nothing} nothing)`

try {
  console.log(`The first seed is ${FIRST}`)
  for (let count = 1; count <= HISTORIES; count++) {
    const path = join(directory, 'placard.db')
    const outcome = await runHistory(FIRST + count - 1, path)
    sums.looks += outcome.looks
    sums.refusedLooks += outcome.refusedLooks
    if (outcome.faults.every(({ fault }) => fault !== 'end')) ends[outcome.end]++
    for (const { fault, what } of outcome.faults) {
      sums[fault]++
      console.log(what)
      process.exitCode = 1
    }
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    if (count % REPORT_EVERY === 0) console.log(figures(count))
  }
  console.log(`\n${figures(HISTORIES)}`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
