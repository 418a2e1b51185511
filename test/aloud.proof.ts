import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PARTS } from './aloud.ts'
import { blockAfter, ROOT, read } from './printed.ts'

describe('a missing tool', () => {
  it('never makes a test skip silently', () => {
    const tests = globSync(['test/**/*.{test,proof,e2e,look}.{ts,tsx}', 'test/suites/*.ts'], {
      cwd: ROOT,
    })
    const silent = tests.filter((file) => /\b(it|describe)\.(skip|runIf|todo)/.test(read(file)))
    expect(silent).toEqual([])
  })

  it('can be installed with the one command in docs/testing.md, which explains each tool', () => {
    const page = read('docs/testing.md')
    const line = blockAfter('docs/testing.md', '## What a machine may lack')
    const named = new Set(Object.values(PARTS).flat())
    const packages = line.replaceAll('\\\n', '').replace('sudo apt-get install', '')
    expect(packages.trim().split(/\s+/).toSorted()).toEqual([...named].toSorted())
    const [, rows = ''] = page.split('## What a machine may lack')
    expect(
      [...named].filter(
        (name) => !rows.includes(`| \`${name}\``) && !rows.includes(`, \`${name}\``),
      ),
    ).toEqual([])
  })
})
