import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They count timers or bytes of their process, so each has one of its own. */
const ALONE = ['closing', 'node-server', 'rate-limit', 'showing'].map(
  (name) => `test/${name}.test.ts`,
)

export const everywhere = {
  setupFiles: ['test/each-file.ts'],
  // A test that asserts nothing can't fail.
  expect: { requireAssertions: true },
  // For a busy machine. A quiet one needs 17 s for the longest.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Young objects are collected less often: a tenth less of the CPU.
  execArgv: ['--max-semi-space-size=64'],
  // Each of these is many small modules, and each worker would load them one by one.
  deps: {
    optimizer: { ssr: { enabled: true, include: ['stripe', 'zod', 'prom-client'] } },
  },
}

/**
 * A fresh clone knows no durations, so Vitest starts the largest files first. Files in Chromium are small and take the
 * longest: started last, one of them would run alone.
 */
class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const turn = ({ project, moduleId }: TestSpecification) =>
      project.name === 'alone' ? 0 : moduleId.includes('/test/browser/') ? 1 : 2
    return (await super.sort(files)).sort((a, b) => turn(a) - turn(b))
  }
}

/** @param without files that aren't run, by their pattern */
export const suites = (without: string[] = []) =>
  defineConfig({
    test: {
      // Once for both projects.
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
            // A worker that loads its modules once for all of its files takes a quarter less of the CPU.
            isolate: false,
          },
        },
        { test: { ...everywhere, name: 'alone', include: ALONE } },
      ],
    },
  })

export default suites()
