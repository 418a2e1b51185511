import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyOfProject, plant } from '../../planted.ts'
import { temporaryDirectory } from '../../stores.ts'
import { PLANTED } from './defects.ts'

it.each(PLANTED)('offers, of a service with a defect: %s: found', async (_, fault, defect) => {
  const directory = copyOfProject()
  try {
    plant(directory, defect)
    const { runHistory } = await import(join(directory, 'test/stripe/histories/run.ts'))
    const place = temporaryDirectory()
    const found = new Set<string>()
    // What Stripe lists each hour mends most of it, so some defects show seldom.
    for (let seed = 1; seed <= 600 && !found.has(fault); seed++) {
      const { faults } = await runHistory(seed, join(place, `${seed}.db`))
      for (const one of faults) found.add(one.fault)
    }
    expect(found).toContain(fault)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
