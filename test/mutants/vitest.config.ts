import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { scratchDirectory } from '../scratch.ts'

const suites = process.env.SUITES?.split(' ') ?? []

/** Runs the files in the given order, first those that detect most in the least time. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      suites.findIndex((suite) => moduleId.includes(`/${suite}.test.`))
    return files.toSorted((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    include: suites.map((suite) => `test/${suite}.test.{ts,tsx}`),
    setupFiles: [`${import.meta.dirname}/../each-file.ts`],
    sequence: { sequencer: AsNamed },
    // Postgres would take most of the time, and a disk much of the rest.
    env: { STORES: 'SQLite', TMPDIR: scratchDirectory() },
    // One worker for all files saves loading the same modules for each.
    isolate: false,
    // A mutant that waits for ever is detected by the first test that times out. On a busy machine, other tests take long
    // too, and must not fail for that.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
