import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './command-line.ts'

it('what a machine may lack is never passed over in silence', () => {
  const tests = globSync('test/**/*.{test,proof,e2e,look}.{ts,tsx}', { cwd: ROOT })
  const silent = tests.filter((file) =>
    /\bit\.(skip|runIf|todo)/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(silent).toEqual([])
})
