import { expect, it } from 'vitest'
import { STORES } from '../stores.ts'
import { runWindows } from './run.ts'

it.each(STORES.map((kind) => [kind.name, kind] as const))(
  'contract A9, A14, R7: on %s, starts and ends show exactly on time, no replaced announcement returns, and ?at= predicts what shows',
  async (_, kind) => {
    for (const seed of [1, 2]) {
      const place = await kind.place()
      const { reads, foretold, faults } = await runWindows(seed, 15, place.open)
      expect(faults).toEqual([])
      expect([reads, foretold]).toEqual([15 * (5 + 2 * 5), 15 * 5])
    }
  },
)
