import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How `npm run mutants` changes the sources, one place at a time. What it changes, and which tests run, is in run.ts. */
export default {
  // Most of these don't compile: texts are names of actions and outcomes. SQL, which is text too, is in planted.diff.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // What runs when a module is loaded can't be changed for one test alone.
  ignoreStatic: true,
  concurrency: 2,
  tempDirName: join(tmpdir(), `placard-mutants-${process.pid}`),
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: process.env.REPORT },
}
