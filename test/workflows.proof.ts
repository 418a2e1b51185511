import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT, read } from './printed.ts'

const FILES = globSync(['.github/workflows/*.yml', 'examples/**/*.yml'], {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => /^jobs:$/m.test(read(file)))

describe.each(FILES)('%s', (file) => {
  const workflow = read(file)

  it('pins actions by commit, because the owner of an account can move a tag', () => {
    const used = workflow.match(/uses: .*/g)
    expect(used).not.toBeNull()
    for (const one of used ?? [])
      expect(one).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('puts no expression into a script, where it could run commands', () => {
    const filled = workflow.split('\n').filter((line) => line.includes('${{'))
    expect(filled).not.toEqual([])
    for (const line of filled)
      expect(line).toMatch(
        /^ +([A-Z_]+|name|group|runs-on|node-version|image|digest|subject-(name|digest)): /,
      )
  })

  it('leaves no credential in a checkout', () => {
    const steps = workflow.split(/^ +- /m).filter((step) => step.includes('actions/checkout@'))
    for (const step of steps) expect(step).toContain('persist-credentials: false')
    expect(workflow).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m)
  })
})
