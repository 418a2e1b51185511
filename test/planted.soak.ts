import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { UNDECIDED } from './histories/history.ts'
import { type Plan, planOf } from './histories/plan.ts'
import type { TroubleName } from './histories/trouble.ts'
import { copyOfProject, type Defect, plant, plantedIn } from './planted.ts'
import { temporaryDirectory } from './stores.ts'

/** Whether the project's random tests find planted defects, which is partly a matter of chance. */

/** Imports from a copy of the project that has the defects. */
function broken(...defects: Defect[]) {
  const directory = copyOfProject()
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const defect of defects) plant(directory, defect)
  return (path: string) => import(join(directory, path))
}

const named = <T extends { what: string }>(all: readonly T[]) =>
  all.map((one) => [one.what, one] as const)

/** With more histories at once, the event loop would be too busy to tell delayed responses from slow ones. */
const AT_ONCE = 4

const plans = (kind: Plan['kind'], number: number, given: Partial<Plan> = {}): Plan[] =>
  Array.from({ length: 3 * number }, (_, seed) => ({ ...planOf(seed), ...given })).filter(
    (plan) => plan.kind === kind,
  )
/** One of two nodes gets the database's responses late. SQLite responds too fast for that to show. */
const late = (trouble: TroubleName) =>
  plans('two nodes with faults', 24, {
    ...{ troubles: [trouble], troubleMs: Number.POSITIVE_INFINITY },
    ...{ bothTroubled: false, timeoutMs: 2_500 },
  })
/** The plans that expose a defect, by the word in `planted.diff`. Chance plays a part, so a single plan may miss it. */
const PLANS: Record<string, Plan[]> = {
  alone: plans('SQLite', 6),
  crowded: plans('SQLite', 6, { crowded: true }),
  slow: late('slowAnswers'),
  'very slow': late('verySlowAnswers'),
}
/** A defect in two files has one name. */
const OF_HISTORIES = Object.entries(Object.groupBy(plantedIn('histories'), ({ what }) => what))

it.each(OF_HISTORIES)(
  'the random histories find the planted defect: %s',
  async (_, defects = []) => {
    const copy: typeof import('./histories/run.ts') = await broken(...defects)(
      'test/histories/run.ts',
    )
    const run = (plan: Plan) => copy.runHistory(plan, inject('postgres'))
    const all = PLANS[String(defects[0]?.by)] ?? []
    let found = false
    for (let next = 0; next < all.length && !found; next += AT_ONCE) {
      const outcomes = await Promise.all(all.slice(next, next + AT_ONCE).map(run))
      found = outcomes.some(({ fault }) => fault !== undefined && fault !== UNDECIDED)
    }
    expect(found).toBe(true)
  },
)

it.each(named(plantedIn('windows')))(
  'the test of random starts and ends finds the planted defect: %s',
  async (_, planted) => {
    const load = broken(planted)
    const { runWindows } = await load('test/windows/run.ts')
    const { sqliteStore } = await load('src/store/sqlite.ts')
    const path = join(temporaryDirectory(), 'placard.db')
    const { faults } = await runWindows(1, 40, async () => sqliteStore(path))
    expect(faults.map(({ fault }: { fault: string }) => fault)).toContain(planted.by[0])
  },
)

it.each(named(plantedIn('stripe/histories')))(
  'the random histories of coupons find the planted defect: %s',
  async (_, planted) => {
    const { runHistory } = await broken(planted)('test/stripe/histories/run.ts')
    const place = temporaryDirectory()
    const found = new Set<string>()
    // The hourly list of Stripe's events repairs most faults, so some defects rarely show.
    for (let seed = 1; seed <= 600 && !found.has(String(planted.by[0])); seed++) {
      const { faults } = await runHistory(seed, join(place, `${seed}.db`))
      for (const one of faults) found.add(one.fault)
    }
    expect(found).toContain(planted.by[0])
  },
)
