/**
 * `npm run mutants`: plants one small defect at a time in the sources, and checks whether a test detects it. Stryker creates
 * most of them. The others are in planted.diff; `npm run mutants planted` tries these alone, and
 * `npm run mutants 3` the third group alone.
 */
import { availableParallelism } from 'node:os'
import { plantedIn } from '../planted.ts'
import { passWithout, tryAll } from './run-planted.ts'
import { runStryker } from './run-stryker.ts'

const ENOUGH = 0.9

/** The files that Stryker changes, and the tests that must detect that, first those that detect most in the least time. */
const GROUPS = [
  {
    files: [
      ...[
        'src/bar/view.ts',
        'src/core/board.ts',
        'src/stripe/notification.ts',
        'src/core/limiter.ts',
      ],
      'src/http/guard.ts',
    ],
    tests: [
      ...['bar', 'board', 'language', 'rate-limit', 'api', 'time', 'hostile'],
      ...['foreign-pages', 'admin/sessions', 'warnings', 'refusals', 'history'],
      ...['notification-order', 'webhooks', 'edit', 'schedule', 'stripe/coupon-watcher'],
      ...['stripe/catching-up', 'stripe/offer', 'stripe/promotion-code', 'stripe/undo'],
    ],
  },
  {
    files: ['src/showing/*.ts', 'src/http/stream.ts'],
    tests: [
      ...['callbacks', 'stream', 'stream-places', 'showing', 'time', 'closing', 'purge', 'api'],
    ],
  },
  {
    files: [
      ...['changes', 'notification-ledger', 'slots', 'mutations'].map(
        (name) => `src/store/${name}.ts`,
      ),
      'src/core/coupon.ts',
    ],
    tests: [
      ...['api', 'store', 'retention', 'time', 'schedule', 'edit', 'history'],
      ...[
        'notification-order',
        'stripe/coupon-watcher',
        'stripe/catching-up',
        'stripe/other-account',
      ],
      ...['stripe/lease', 'coupon', 'dismissed-before'],
    ],
  },
  {
    files: [
      ...[
        'coupon-watcher',
        'catch-up',
        'check-offer',
        'intervals',
        'judging',
        'lease',
        'listing',
        'offer',
        'polling',
      ].map((name) => `src/stripe/${name}.ts`),
      'src/store/offer-memory.ts',
    ],
    tests: [
      ...['coupon-watcher', 'offer', 'catching-up', 'lease', 'promotion-code', 'other-account'].map(
        (name) => `stripe/${name}`,
      ),
      ...['stripe/not-stripe', 'stripe/undo', 'metrics'],
    ],
  },
]

const started = performance.now()
const survivors: string[] = []
let all = 0
let late = 0

const part = process.argv[2]
for (const [index, group] of GROUPS.entries()) {
  if (part !== undefined && part !== String(index + 1)) continue
  const { tried, timedOut, survived } = runStryker(group)
  all += tried
  late += timedOut
  survivors.push(...survived)
}
if (part === undefined || part === 'planted') survivors.push(...(await tryPlanted()))

console.log(`\nSurvived:\n${survivors.map((line) => `  ${line}\n`).join('')}`)
const killed = 1 - survivors.length / all
const minutes = (performance.now() - started) / 60_000
console.log(
  `${all - survivors.length} of ${all} killed: ${(killed * 100).toFixed(1)} %, ${late} by taking too long (${minutes.toFixed(0)} min)`,
)
process.exitCode = killed < ENOUGH ? 1 : 0

async function tryPlanted(): Promise<string[]> {
  const queue = plantedIn('mutants')
  all += queue.length
  if (!(await passWithout(queue))) {
    throw new Error('The tests fail without a mutant, so they would notice none')
  }
  const workers = Array.from({ length: availableParallelism() }, () => tryAll(queue))
  return (await Promise.all(workers)).flat()
}
