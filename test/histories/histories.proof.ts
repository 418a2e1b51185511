import { describe, expect, inject, it } from 'vitest'
import { planOf } from './plan.ts'
import { runHistory } from './run.ts'

/** Repeats one history: `HISTORY=17 npm run proofs test/histories`. */
const { HISTORY } = process.env
const SEEDS = HISTORY ? [Number(HISTORY)] : Array.from({ length: 30 }, (_, index) => index + 1)

describe.concurrent('histories', () => {
  it.each(SEEDS.map((seed) => [seed, planOf(seed).kind] as const))(
    'contract A12, A13, R1, R3, R4: random history %i (%s) is linearizable',
    async (seed) => {
      const { fault } = await runHistory(planOf(seed), inject('postgres'))
      expect(fault, `HISTORY=${seed} runs it again`).toBeUndefined()
    },
  )
})
