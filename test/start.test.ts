import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { skipAloud } from './aloud.ts'
import { build, serving, start } from './command-line.ts'
import { emptyDatabase } from './postgres/place.ts'
import { temporaryDirectory } from './stores.ts'

beforeAll(() => build())

/** A folder with this as the secret that the service keeps. */
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
    // A fault that is found first leaves nothing behind.
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

/** Gives a command a folder of its own that is a disk of this size, if this user may do that. */
const ownDisk = (size: string) => {
  const mount = `mount -t tmpfs -o size=${size} none "$PWD" && cd "$PWD" && exec "$@"`
  return [...alone, 'sh', '-c', mount, 'sh']
}
const alone =
  ['unshare --mount', 'unshare --map-root-user --mount']
    .map((words) => words.split(' '))
    .find(([command = '', ...words]) => {
      const trial = [...words, 'sh', '-c', 'mount -t tmpfs none /tmp']
      return spawnSync(command, trial).status === 0
    }) ?? []

describe('a start that cannot write', () => {
  const environment = { PORT: '0', EVENT_API_SECRET: 'api-secret-0123456789' }

  /** The one line that a start in a folder of its own ends with. */
  async function lastLine(runner: string[], settings: Record<string, string> = environment) {
    const directory = temporaryDirectory()
    const running = start(directory, settings, ['serve'], {
      runner: [...runner, process.execPath],
    })
    const { code, stderr } = await running.finished
    expect(code).toBe(1)
    expect(stderr).toMatch(/^placard: [^\n]+\n$/)
    return stderr.replaceAll(directory, 'HERE')
  }

  it.for(['4k', '32k', '64k'])(
    'contract Settings: on a full disk says which, and what to do: %s free',
    async (size, context) => {
      skipAloud(context, alone.length === 0, 'mounts of its own (unshare, and the right to mount)')
      const full = /^placard: The disk that holds HERE\/data is full: free some space there, then /
      expect(await lastLine(ownDisk(size))).toMatch(full)
      expect(await lastLine(ownDisk(size), { PORT: '0' })).toMatch(full)
    },
  )

  it.for(['0', '20000'])(
    'contract Settings: where files may not grow says where, and what to do: %s bytes',
    async (size, context) => {
      skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
      const limited = ['prlimit', `--fsize=${size}`]
      expect(await lastLine(limited)).toMatch(
        /Files in HERE\/data may not grow any more: .*ulimit -f/,
      )
    },
  )

  it('contract Settings: on what is no database names the file', async () => {
    const { directory } = keeping('chosen-by-a-person', 0o600)
    const file = join(directory, 'data', 'placard.db')
    writeFileSync(file, 'x'.repeat(8192))
    const { code, stderr } = await start(directory, environment, ['serve']).finished
    expect(code).toBe(1)
    expect(stderr).toBe(`placard: ${file} can't be used: file is not a database\n`)
  })
})

describe('a start with a Postgres that refuses it for good', () => {
  it('contract R6: quotes why, names the setting, and prints no password', async () => {
    const url = new URL(await emptyDatabase())
    url.pathname = '/no_such_database'
    const environment = { DATABASE_URL: url.href, EVENT_API_SECRET: 'api-secret-0123456789' }
    const { code, stderr } = await start(temporaryDirectory(), environment, ['serve']).finished
    expect(code).toBe(1)
    expect(stderr).toMatch(/^placard: The database refuses: .*no_such_database.*DATABASE_URL\n$/)
    expect(url.password).not.toBe('')
    expect(stderr).not.toContain(url.password)
  })
})
