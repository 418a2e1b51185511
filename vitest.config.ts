import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LIMIT_MS } from './test/limit.ts'

/** Tests that count the timers or bytes of their process, or limit its files, so each runs in its own process. */
const ALONE = ['closing', 'full-disk', 'node-server', 'rate-limit', 'showing'].map(
  (name) => `test/${name}.test.ts`,
)

export const everywhere = {
  setupFiles: ['test/each-file.ts'],
  // A test that asserts nothing can't fail.
  expect: { requireAssertions: true, poll: { timeout: LIMIT_MS } },
  // The slowest test takes 17 s on a quiet machine, and ten times as long on one that is slow and busy.
  testTimeout: 5 * LIMIT_MS,
  hookTimeout: 5 * LIMIT_MS,
  // V8 collects young objects less often, which saves a tenth of the CPU time.
  execArgv: ['--max-semi-space-size=64'],
  // Bundles packages that consist of many small modules, which each worker would otherwise load one by one.
  deps: {
    optimizer: { ssr: { enabled: true, include: ['stripe', 'zod', 'prom-client'] } },
  },
}

/**
 * Starts browser tests before most others. In a fresh clone, Vitest knows no durations and starts the largest files
 * first. Browser tests are small files but take the longest, so one of them would still run when all others are done.
 */
class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const turn = ({ project, moduleId }: TestSpecification) =>
      project.name === 'alone' ? 0 : moduleId.includes('/test/browser/') ? 1 : 2
    return (await super.sort(files)).sort((a, b) => turn(a) - turn(b))
  }
}

/** @param without patterns of the test files to leave out */
export const suites = (without: string[] = []) =>
  defineConfig({
    test: {
      // Runs once for both projects.
      globalSetup: ['test/postgres/global-setup.ts'],
      // Much of a test's time is spent waiting, so four at a time are quicker, even on two cores.
      maxWorkers: 4,
      sequence: { sequencer: BrowserFirst },
      projects: [
        {
          test: {
            ...everywhere,
            name: 'together',
            include: ['test/**/*.test.{ts,tsx}'],
            exclude: [...configDefaults.exclude, ...ALONE, ...without],
            // Each worker then loads its modules once for all of its test files, which saves a quarter of the CPU time.
            isolate: false,
          },
        },
        { test: { ...everywhere, name: 'alone', include: ALONE } },
      ],
    },
  })

export default suites()
