import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../../stores.ts'
import { runHistory } from './run.ts'

it('contract T2, T3, T4, spec 6: in every random history, refused offers come down in time and the right announcement is live at the end', async () => {
  const ends = new Set<string>()
  const directory = temporaryDirectory()
  let refusedLooks = 0
  for (let seed = 1; seed <= 12; seed++) {
    const outcome = await runHistory(seed, join(directory, `${seed}.db`))
    expect(outcome.faults).toEqual([])
    ends.add(outcome.end)
    refusedLooks += outcome.refusedLooks
  }
  expect(ends.size).toBe(3)
  expect(refusedLooks).toBeGreaterThan(0)
})
