/**
 * Runs histories of coupons, promotion codes, redemptions, edits, deletions, notifications that are late, lost or
 * repeated, events that can't be read, stored or judged, a trigger per second, and outages of Stripe and of two nodes.
 * In one history in seven, our clock is ten minutes off. Counts the faults.
 *
 * `npm run soak offers` for 10,000 histories, `npm run soak offers 200 4711` for the 200 that begin with that seed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '../test/scratch.ts'
import { type HistoryOutcome, type OfferFault, runHistory } from '../test/stripe/histories/run.ts'

const HISTORIES = Number(process.argv[2] ?? 10_000)
const FIRST = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9))
const REPORT_EVERY = 500

// In memory where possible, because this doesn't test the disk.
const directory = mkdtempSync(join(scratchDirectory(), 'placard-offers-'))
const faults: Record<OfferFault, number> = { refused: 0, silent: 0, paused: 0, early: 0, end: 0 }
const sums = { looks: 0, refusedLooks: 0, pausedLooks: 0, asked: 0, spoilt: 0 }
const ends: Record<HistoryOutcome['end'], number> = { offer: 0, 'by hand': 0, nothing: 0 }

const figures = (count: number) =>
  `${count} histories, ${sums.looks} looks, ${sums.asked} requests, ${sums.spoilt} events that can't be read, stored or judged:
  with a limit shown after 5 min + 10 s without an answer: ${faults.silent} (paused in ${sums.pausedLooks} looks)
  good offers paused while Stripe answers: ${faults.paused}
  refused offers visible too long: ${faults.refused} (${sums.refusedLooks} within the bounds: 32 s, 7 s nearly gone, 2 s by a trigger)
  requests before Stripe allowed them: ${faults.early}
  wrong ends: ${faults.end} (right: ${ends.offer} offers, ${ends['by hand']} by hand, ${ends.nothing} nothing)`

try {
  console.log(`The first seed is ${FIRST}`)
  for (let count = 1; count <= HISTORIES; count++) {
    const path = join(directory, 'placard.db')
    const outcome = await runHistory(FIRST + count - 1, path)
    for (const what of Object.keys(sums) as (keyof typeof sums)[]) sums[what] += outcome[what]
    if (outcome.faults.every(({ fault }) => fault !== 'end')) ends[outcome.end]++
    for (const { fault, what } of outcome.faults) {
      faults[fault]++
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
