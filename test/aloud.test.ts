import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PARTS } from './aloud.ts'
import { ROOT } from './command-line.ts'
import { blockAfter } from './printed.ts'
import { temporaryDirectory } from './stores.ts'

/** A test of a part that this machine seems to lack. */
const LACKING = `
  import { it } from 'vitest'
  import { skipAloud } from '${join(ROOT, 'test/aloud.ts')}'

  it('needs what is not there', (context) => {
    skipAloud(context, true, 'nginx, openssl and Linux')
  })`
const NEEDED = 'nginx, openssl and Linux (in Debian: apt-get install nginx openssl)'

describe('what a machine may lack', () => {
  it('fails a test with REAL=1, and says which package has it', () => {
    const directory = temporaryDirectory()
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    writeFileSync(join(directory, 'lacking.test.ts'), LACKING)
    writeFileSync(join(directory, 'vitest.config.mjs'), 'export default {}')
    const { status, stdout, stderr } = spawnSync('vitest', ['run', '--no-color'], {
      cwd: directory,
      env: { ...process.env, REAL: '1' },
      encoding: 'utf8',
    })
    expect(stdout + stderr).toContain(`Nothing is skipped here. Install ${NEEDED}`)
    expect(status).toBe(1)
  })

  it('is never passed over in silence', () => {
    const tests = globSync('test/**/*.{test,proof,e2e,look}.{ts,tsx}', { cwd: ROOT })
    const silent = tests.filter((file) =>
      /\bit\.(skip|runIf|todo)/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(silent).toEqual([])
  })

  it('is what docs/testing.md installs in one line, and explains', () => {
    const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')
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
