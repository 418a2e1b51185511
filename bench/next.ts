import { load } from './load.ts'
import { startNextReference } from './next-reference.ts'
import { freePort, startPlacard } from './processes.ts'
import type { RoundOptions } from './reads.ts'
import { median, type Row } from './report.ts'

/** Against what most would build: a route in a Next.js app that asks its database for each request. */
export async function benchNext({ rounds, seconds, progress }: RoundOptions): Promise<Row[]> {
  progress('next: installing and building the reference')
  const next = await startNextReference(await freePort())
  const placard = await startPlacard()
  try {
    const ratios: number[] = []
    const rates: number[] = []
    for (let round = 0; round <= rounds; round++) {
      progress(`next: round ${round}/${rounds}`)
      const ours = load(`${placard.url}/api/events`, seconds)
      const theirs = load(`${next.url}/api/events`, seconds)
      // The first round warms up.
      if (round === 0) continue
      ratios.push(ours.rate / theirs.rate)
      rates.push(ours.rate)
    }
    return [
      {
        what: 'GET /api/events 200, answers per second',
        value: `${Math.round(median(rates)).toLocaleString('en')}/s`,
        reference: 'a Next.js route that asks its database',
        ratio: median(ratios),
        bound: '≥ 30',
        holds: median(ratios) >= 30,
      },
    ]
  } finally {
    await placard.stop()
    await next.stop()
  }
}
