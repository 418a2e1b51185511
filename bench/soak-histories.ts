/**
 * Lets 8 clients publish, withdraw, read and follow, on one node and on two nodes with failing connections. Checks
 * that some sequential order of their operations explains everything that they saw, as the contract demands.
 *
 * `npm run soak histories` for 1,000 histories, `npm run soak histories 1 4711` for the one with that seed.
 */
import { UNDECIDED } from '../test/histories/history.ts'
import { planOf } from '../test/histories/plan.ts'
import { runHistory } from '../test/histories/run.ts'
import { startCluster } from '../test/postgres/cluster.ts'

const HISTORIES = Number(process.argv[2] ?? 1_000)
const FIRST = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9))
/** Histories mostly wait, so several run at once. More would stall the event loop, and make answers late. */
const AT_ONCE = 4
const REPORT_EVERY = 20

const cluster = await startCluster(['fsync=off', 'max_connections=300'])
const faulty: number[] = []
const undecided: number[] = []
let next = FIRST
let done = 0
let steps = 0

async function runOn(): Promise<void> {
  while (next < FIRST + HISTORIES) {
    const plan = planOf(next++)
    const { fault, history } = await runHistory(plan, cluster.url())
    done++
    steps += history.length
    if (fault) {
      const seeds = fault === UNDECIDED ? undecided : faulty
      seeds.push(plan.seed)
      console.log(`${JSON.stringify(plan)}\n${fault}\n`)
    }
    if (done % REPORT_EVERY === 0 || done === HISTORIES) {
      const found = `${faulty.length} faulty · ${undecided.length} undecided`
      console.log(`${done}/${HISTORIES} histories · ${steps} steps · ${found}`)
    }
  }
}

try {
  console.log(`${HISTORIES} histories, the first with seed ${FIRST}`)
  await Promise.all(Array.from({ length: AT_ONCE }, runOn))
} finally {
  await cluster.remove()
}
report(faulty, 'The contract does not allow what clients saw. Run one of these histories again:')
report(undecided, 'Nothing was decided about these histories. Run them again:')

function report(seeds: readonly number[], headline: string) {
  if (seeds.length === 0) return
  console.log(headline)
  for (const seed of seeds) console.log(`  npm run soak histories 1 ${seed}`)
  process.exitCode = 1
}
