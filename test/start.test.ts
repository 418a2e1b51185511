import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/store/sqlite.ts'
import { skipAloud } from './aloud.ts'
import { serving, start } from './command-line.ts'
import { httpMount, publish } from './harness.ts'
import { ownDisk } from './own-disk.ts'
import { emptyDatabase } from './postgres/place.ts'
import { temporaryDirectory } from './stores.ts'

it('contract A4: with an empty stored secret, a start and a command fail, and name the file and the fix', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'data', 'event-api-secret')
  mkdirSync(join(directory, 'data'))
  writeFileSync(file, '', { mode: 0o600 })
  for (const args of [['serve'], ['publish', 'Some text']]) {
    const { code, stdout, stderr } = await start(directory, { PORT: '0' }, args).finished
    expect({ code, stdout }, args[0]).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^placard: Fix these settings:\n[^\n]*delete the file[^\n]*\n$/)
    expect(stderr).toContain(file)
  }
  // A failed start leaves nothing behind.
  expect(readdirSync(join(directory, 'data'))).toEqual(['event-api-secret'])
})

it('spec 2, 4: the built service shows the sparkle in a bar without an icon', async () => {
  const { url } = await serving(temporaryDirectory(), { PORT: '0' })
  expect(await (await fetch(`${url}/include.html`)).text()).toContain('>✦<')
})

it('contract Settings: a start creates files that only their owner can access, even with umask 022, and logs that the database is new', async () => {
  const directory = temporaryDirectory()
  const runner = ['sh', '-c', 'umask 022 && exec "$@"', 'sh', process.execPath]
  const { url, output } = await serving(directory, { PORT: '0' }, { runner })
  const data = join(directory, 'data')
  expect(output.stdout).toContain('"database":"data/placard.db (new)"')
  const again = await serving(directory, { PORT: '0' }, { runner })
  expect(again.output.stdout).toContain('"database":"data/placard.db"')
  again.child.kill()
  const secret = readFileSync(join(data, 'event-api-secret'), 'utf8').trim()
  expect((await publish(httpMount(url, secret, ''))).status).toBe(201)
  const modes = [data, ...readdirSync(data).map((name) => join(data, name))].map(
    (path) => `${basename(path)} ${(statSync(path).mode & 0o777).toString(8)}`,
  )
  expect(modes).toEqual([
    'data 700',
    'event-api-secret 600',
    'placard.db 600',
    'placard.db-shm 600',
    'placard.db-wal 600',
    'service-id 600',
    'stripe-webhook-secret 600',
  ])
})

const SETTINGS = { PORT: '0', EVENT_API_SECRET: 'api-secret-0123456789' }

/** The one line that a failed start prints, with HERE for its folder. */
async function lastLine(
  settings: Record<string, string>,
  runner: string[] = [],
  directory = temporaryDirectory(),
  command = ['serve'],
) {
  const options = { runner: [...runner, process.execPath] }
  const { code, stderr } = await start(directory, settings, command, options).finished
  expect(code).toBe(1)
  expect(stderr).toMatch(/^placard: [^\n]+\n$/)
  return stderr.replaceAll(directory, 'HERE')
}

describe('a failed start', () => {
  it.for(['4k', '64k'])(
    'contract Settings: on a disk of %s, says that the disk is full and how to fix it',
    async (size, context) => {
      const disk = ownDisk(size)
      skipAloud(context, !disk, 'mounts of its own (unshare, and the right to mount)')
      const full = /^placard: The disk that holds HERE\/data is full: free some space there, then /
      expect(await lastLine(SETTINGS, disk)).toMatch(full)
      expect(await lastLine({ PORT: '0' }, disk)).toMatch(full)
    },
  )

  it.for(['0', '20000'])(
    "contract Settings: names the folder whose files can't grow beyond %s bytes, and the fix",
    async (size, context) => {
      skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
      expect(await lastLine(SETTINGS, ['prlimit', `--fsize=${size}`])).toMatch(
        /A file in HERE\/data has reached the size limit: .*ulimit -f/,
      )
    },
  )

  it("contract Settings: names a file that isn't a database", async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'data'))
    writeFileSync(join(directory, 'data', 'placard.db'), 'x'.repeat(8192))
    expect(await lastLine(SETTINGS, [], directory)).toBe(
      "placard: HERE/data/placard.db can't be used: file is not a database\n",
    )
  })

  it('contract Settings: names the fix for a damaged database', async () => {
    const directory = temporaryDirectory()
    const file = join(directory, 'data', 'placard.db')
    const store = sqliteStore(file)
    await store.migrate()
    await store.close()
    // Overwrites all but the first page, by which SQLite recognizes its files.
    const size = statSync(file).size - 4_096
    writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 4_096), Buffer.alloc(size)]))
    expect(await lastLine(SETTINGS, [], directory)).toMatch(
      /^placard: HERE\/data\/placard\.db can't be used: .*malformed\. Restore a backup: /,
    )
  })
})

/** Modes don't restrict root, so if the tests run as root, the service runs as a user without rights. */
const isRoot = process.getuid?.() === 0
const NOBODY = 65534
const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, '--clear-groups'] : []

it.for([
  ['write to', 0o444],
  ['read', 0],
] as const)(
  'contract Settings: a start whose user may not %s the database says what to do',
  async ([, mode], context) => {
    skipAloud(context, process.platform !== 'linux', 'Linux')
    const directory = temporaryDirectory()
    const data = join(directory, 'data')
    const file = join(data, 'placard.db')
    const store = sqliteStore(file)
    await store.migrate()
    await store.close()
    chmodSync(directory, 0o755)
    if (isRoot) chownSync(data, NOBODY, NOBODY)
    chmodSync(file, mode)
    const said = await lastLine(SETTINGS, asNobody, directory)
    expect(said).toMatch(/^placard: This user needs read and write access to /)
    expect(said).toContain(
      "HERE/data/placard.db: change the file's owner or mode, then start again",
    )
  },
)

it('contract B1, B2: backup and restore name a file that their user may not read', async (context) => {
  skipAloud(context, process.platform !== 'linux', 'Linux')
  const directory = temporaryDirectory()
  const data = join(directory, 'data')
  await sqliteStore(join(data, 'placard.db')).close()
  const file = join(directory, 'backup.db')
  writeFileSync(file, '', { mode: 0 })
  chmodSync(directory, 0o777)
  const said = (...command: string[]) => lastLine(SETTINGS, asNobody, directory, command)
  const fix = 'run the command as its owner, or change its mode'
  expect(await said('restore', file)).toBe(`placard: This user can't read HERE/backup.db: ${fix}\n`)
  chmodSync(data, 0)
  expect(await said('backup', join(directory, 'new.db'))).toBe(
    `placard: This user can't read HERE/data/placard.db: ${fix}\n`,
  )
  // Lets an ordinary user remove it.
  chmodSync(data, 0o700)
})

it.for([
  [
    '.env',
    ['current', '--url', 'http://127.0.0.1:1'],
    "as the service's user or in another folder",
  ],
  ['data/event-api-secret', ['list'], "as the service's user, or set EVENT_API_SECRET"],
  ['data/event-api-secret', ['serve'], "as the service's user, or set EVENT_API_SECRET"],
] as const)(
  'contract Settings: the error names %s and a fix if the user may not read that file, for the command %j',
  async ([name, args, fix], context) => {
    skipAloud(context, process.platform !== 'linux', 'Linux')
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'data'))
    writeFileSync(join(directory, name), '', { mode: 0 })
    chmodSync(directory, 0o755)
    const runner = [...asNobody, process.execPath]
    const { code, stderr } = await start(directory, {}, [...args], { runner }).finished
    expect(stderr).toMatch(/^placard: Fix these settings:\n[^\n]+\n$/)
    expect(stderr).toContain(`This user can't read ${join(directory, name)} (EACCES). `)
    expect(stderr).toContain(fix)
    expect(code).toBe(2)
  },
)

it("contract R6: if a start can't connect to Postgres, the error quotes the reason and names the setting, but not the password", async () => {
  const url = new URL(await emptyDatabase())
  url.pathname = '/no_such_database'
  const said = await lastLine({ ...SETTINGS, DATABASE_URL: url.href })
  expect(said).toMatch(/^placard: Postgres can't be used: .*no_such_database.*DATABASE_URL\n$/)
  expect(url.password).not.toBe('')
  expect(said).not.toContain(url.password)
})

describe('a start with HOST set', () => {
  it.each(['x86_64-conda-linux-gnu', 'no.such.host.invalid', '192.0.2.1', 'a b'])(
    "contract Settings: fails and names HOST if it isn't an address of this machine: %s",
    async (HOST) => {
      const said = await lastLine({ ...SETTINGS, HOST })
      expect(said).toMatch(
        /^placard: HOST is not an address of this machine \([A-Z_]+\)\. Set it to/,
      )
      expect(said).not.toContain(HOST)
    },
  )

  it('contract Settings: logs at which addresses other machines can reach the service, but only if they can', async () => {
    const elsewhere = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address)
    for (const HOST of ['0.0.0.0', '127.0.0.1', '127.0.0.2', 'localhost']) {
      const { output, child, url } = await serving(temporaryDirectory(), { ...SETTINGS, HOST })
      const { port } = new URL(url)
      const line = output.stdout.split('\n').find((one) => one.includes('"listening"')) ?? '{}'
      const all = elsewhere.map((address) => `http://${address}:${port}`)
      const told = HOST === '0.0.0.0' && all.length > 0 ? all : undefined
      expect(JSON.parse(line).elsewhere).toEqual(told)
      child.kill()
    }
  })
})
