import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { build, start } from './command-line.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

const MADE: Record<string, (path: string) => unknown> = {
  'a named pipe': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
}

/** Runs a command in a folder with a database, and ends it after the test in any case. */
function run(directory: string, ...args: string[]) {
  const { child, finished } = start(directory, {}, args)
  onTestFinished(() => void child.kill('SIGKILL'))
  return finished
}

describe('a backup that is no file', () => {
  it.each(Object.keys(MADE))('contract B1, B2: is refused: %s', async (kind) => {
    const directory = temporaryDirectory()
    const path = join(directory, 'nightly')
    MADE[kind]?.(path)
    expect(await run(directory, 'migrate')).toMatchObject({ code: 0 })
    const refused = {
      code: 1,
      stdout: '',
      stderr: `placard: ${path} is no file. Give another name\n`,
    }
    expect(await run(directory, 'restore', path)).toEqual(refused)
    expect(await run(directory, 'backup', path)).toEqual(refused)
    expect(await run(directory, 'backup', '--force', path)).toEqual(refused)
    expect(lstatSync(path).isFile()).toBe(false)
  })

  it.each(['backup', 'restore'])('contract B1, B2: %s takes no empty name', async (command) => {
    const directory = temporaryDirectory()
    expect(await run(directory, 'migrate')).toMatchObject({ code: 0 })
    const { code, stderr } = await run(directory, command, '')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `placard: Name one file. See: placard help ${command}\n`,
    })
  })
})
