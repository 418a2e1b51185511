import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { build, serving, start } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

/** A folder in which the service has kept this as its secret. */
function keeping(secret: string, mode: number) {
  const directory = temporaryDirectory()
  const file = join(directory, 'data', 'event-api-secret')
  mkdirSync(join(directory, 'data'))
  writeFileSync(file, secret, { mode })
  return { directory, file }
}

describe('a start with a kept secret', () => {
  it('contract A4: that is empty, and a command beside it, name the file and say what to do', async () => {
    const { directory, file } = keeping('', 0o600)
    for (const args of [['serve'], ['publish', 'Some text']]) {
      const { code, stdout, stderr } = await start(directory, { PORT: '0' }, args).finished
      expect({ code, stdout }, args[0]).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(
        /^placard: The settings need attention:\n[^\n]*delete the file[^\n]*\n$/,
      )
      expect(stderr).toContain(file)
    }
    // What can be told before anything is made has made nothing.
    expect(readdirSync(join(directory, 'data'))).toEqual(['event-api-secret'])
  })

  it('contract Settings: that others have access to goes on, and warns of it', async () => {
    const { directory, file } = keeping('chosen-by-a-person', 0o644)
    const { child, finished } = await serving(directory, { PORT: '0' })
    child.kill()
    const { code, stdout } = await finished
    expect(code).toBe(0)
    const warnings = stdout.split('\n').filter((line) => line.includes('"level":40'))
    expect(warnings).toEqual([expect.stringContaining(`chmod 600 '${file}'`)])
  })
})
