import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { copyOfProject, plant } from '../planted.ts'
import { PLANTED } from './defects.ts'
import type { Plan } from './plan.ts'

/** With more, the event loop would be so busy that late answers could not be told from slow ones. */
const AT_ONCE = 4

describe('histories, of a service with a defect', () => {
  it.each(PLANTED.map((planted) => [planted.what, planted] as const))(
    '%s: found',
    async (_, { plans, defects }) => {
      const directory = copyOfProject()
      try {
        for (const defect of defects) plant(directory, defect)
        const copy: typeof import('./run.ts') = await import(
          join(directory, 'test/histories/run.ts')
        )
        const run = (plan: Plan) => copy.runHistory(plan, inject('postgres'))
        let found = false
        for (let next = 0; next < plans.length && !found; next += AT_ONCE) {
          const outcomes = await Promise.all(plans.slice(next, next + AT_ONCE).map(run))
          found = outcomes.some(({ fault }) => fault !== undefined)
        }
        expect(found).toBe(true)
      } finally {
        rmSync(directory, { recursive: true })
      }
    },
  )
})
