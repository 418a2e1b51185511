import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { backUp, restore } from '../src/local/backup.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Token } from '../src/store/store.ts'
import { skipAloud } from './aloud.ts'
import { commandLine, start } from './command-line.ts'
import { coupon, current, DRAFT, idOf, makePlacard, notify, publish } from './harness.ts'
import { running } from './running.ts'
import { asCode, eventsIn, STORED, temporaryDirectory } from './stores.ts'

const NOW = new Date()
const newPath = () => join(temporaryDirectory(), 'placard.db')

/** A database with an announcement, a session and a code. */
async function filled(text = 'Kept'): Promise<string> {
  const path = newPath()
  const store = sqliteStore(path)
  await store.publish({ ...STORED, text }, asCode(Date.now()))
  const over = Date.now() + 3_600_000
  for (const kind of ['session', 'code'] as const) {
    const token: Token = {
      ...{ kind, hash: `${kind}-hash`, name: 'Anna', proof: 'x', idleAt: over, endsAt: over },
    }
    await store.tokens.add(token, Date.now())
  }
  await store.close()
  return path
}

const target = () => join(temporaryDirectory(), 'backup.db')

/** A backup of a database that has this text. */
async function backedUp(text = 'Of the backup'): Promise<string> {
  const file = target()
  await backUp(await filled(text), file, false)
  return file
}

/** All rows of a table, read without our store. */
function rows(path: string, table: string) {
  const database = new DatabaseSync(path)
  const found = database.prepare(`select * from ${table}`).all()
  database.close()
  return found
}
const textIn = (path: string) =>
  JSON.parse(String(rows(path, 'placard_event')[0]?.body ?? '{}')).text
const filesBeside = (path: string) => readdirSync(dirname(path)).toSorted()

describe('contract B1: placard backup', () => {
  it('contract B1, B2: copies every write acknowledged before it began, even while eight clients write, and the copy can be restored elsewhere', async () => {
    const [path, elsewhere] = [newPath(), newPath()]
    const file = target()
    const service = await running({ DATABASE_URL: `file:${path}` })
    const acknowledged: string[] = []
    let stopped = false
    const writer = async (name: number) => {
      for (let round = 0; !stopped; round++) {
        const type = ['post', 'coupon', 'product'][round % 3]
        const answer = await publish(service, { ...DRAFT, type, text: `${name} wrote ${round}` })
        if (answer.status === 201) acknowledged.push(idOf(answer))
      }
    }
    const writers = Array.from({ length: 8 }, (_, name) => writer(name))
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(50)
    const before = [...acknowledged]
    // In a process of its own, so that the writers continue meanwhile.
    const environment = { DATABASE_URL: `file:${path}` }
    const backup = start(temporaryDirectory(), environment, ['backup', file, '--json'])
    const { rows: counted } = JSON.parse((await backup.finished).stdout)
    const after = acknowledged.length
    stopped = true
    await Promise.all(writers)
    await service.close()
    expect(after).toBeGreaterThan(before.length)

    const there = commandLine(temporaryDirectory(), { DATABASE_URL: `file:${elsewhere}` })
    expect(await there.done('restore', file)).toMatch(
      /^Restored .* 3 published, 0 scheduled, \d+ history entries/,
    )
    const restored = await running({ DATABASE_URL: `file:${elsewhere}` })
    const ids = rows(elsewhere, 'placard_history').map(({ after }) => JSON.parse(String(after)).id)
    expect(ids).toHaveLength(counted.placard_history)
    expect(before.filter((id) => !ids.includes(id))).toEqual([])
    // The copy is of one moment: the live announcement is the newest one in the history.
    expect((await current(restored))?.id).toBe(ids.at(-1))
    await restored.close()
  })

  it('contract O2: copies no sessions or sign-in codes, not even into free pages', async () => {
    const path = await filled()
    const file = target()
    expect(readFileSync(path, 'latin1')).toContain('session-hash')
    const { rows: counted } = await backUp(path, file, false)
    expect(counted.get('placard_token')).toBe(0)
    expect(rows(file, 'placard_token')).toEqual([])
    expect(readFileSync(file, 'latin1')).not.toMatch(/(session|code)-hash/)
    expect(textIn(file)).toBe('Kept')
    expect(rows(path, 'placard_token')).toHaveLength(2)
  })

  it('creates a file with mode 0600, and replaces an existing one only with --force', async () => {
    const file = await backedUp('First')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = await filled('Second')
    await expect(backUp(second, file, false)).rejects.toThrow(/already exists.*--force/)
    expect(textIn(file)).toBe('First')
    await backUp(second, file, true)
    expect(textIn(file)).toBe('Second')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await expect(backUp(second, second, true)).rejects.toThrow('is the database itself')
    expect(filesBeside(file)).toEqual(['backup.db'])
  })

  it("refuses a database that is missing, damaged or on Postgres, and a target folder that doesn't exist", async () => {
    const file = target()
    await expect(backUp(newPath(), file, false)).rejects.toThrow(/no database at .* DATABASE_URL/)
    const { refused } = commandLine(temporaryDirectory(), { DATABASE_URL: 'postgres://x@db/x' })
    expect(await refused(1, 'backup', file)).toContain('use pg_dump')
    const path = await filled()
    const nowhere = join(dirname(file), 'none', 'backup.db')
    await expect(backUp(path, nowhere, false)).rejects.toThrow(
      /no folder .*none: create it, then try/,
    )
    damage(path)
    await expect(backUp(path, file, false)).rejects.toThrow('damaged')
    expect(existsSync(file)).toBe(false)
    expect(filesBeside(file)).toEqual([])
  })

  it('leaves no partial file on a full disk', async (context) => {
    skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
    const path = await filled()
    const file = target()
    writeFileSync(file, 'an earlier one')
    const environment = { DATABASE_URL: `file:${path}` }
    // `prlimit` makes a disk seem full.
    const runner = ['prlimit', '--fsize=30000', process.execPath]
    const args = ['backup', '--force', file]
    const full = start(temporaryDirectory(), environment, args, { runner })
    const { code, stderr } = await full.finished
    expect(stderr).toMatch(/^placard: A file in .* has reached the size limit: .*then try again/)
    expect(code).toBe(1)
    expect(filesBeside(file)).toEqual(['backup.db'])
    expect(readFileSync(file, 'utf8')).toBe('an earlier one')
  })

  it.each([
    ['SIGTERM', true],
    ['SIGKILL', false],
  ] as const)(
    'leaves no partial backup at FILE if %s arrives while it writes',
    async (signal, finishes) => {
      const path = await filled()
      const file = target()
      const environment = { DATABASE_URL: `file:${path}` }
      const { child, finished } = start(temporaryDirectory(), environment, ['backup', file])
      // It first writes a temporary file beside the target.
      const watcher = watch(dirname(file), () => child.kill(signal))
      await finished
      watcher.close()
      const others = filesBeside(file).filter((name) => name !== 'backup.db')
      if (finishes) expect(others).toEqual([])
      for (const name of others) expect(name).toMatch(/^backup\.db\.\w+\.part/)
      if (finishes || existsSync(file)) expect(textIn(file)).toBe('Kept')
    },
  )
})

/** Makes all pages but the first two unreadable, so the tables can still be listed. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xff, 2 * 4096, bytes.length)
  writeFileSync(path, bytes)
}

/** Empties an index. Every page and every row can still be read. */
function emptyIndex(path: string): void {
  const database = new DatabaseSync(path)
  const page = database.prepare('select rootpage from sqlite_schema where name = ?')
  const at = (name: string) => Number(page.get(name)?.rootpage) * 4096
  const [empty, full] = [at('placard_notification_received_at'), at('placard_event_type')]
  database.close()
  const bytes = readFileSync(path)
  bytes.copy(bytes, full - 4096, empty - 4096, empty)
  writeFileSync(path, bytes)
}

describe('contract B2: placard restore', () => {
  it('puts the backup in place, and keeps the old database beside it', async () => {
    const file = await backedUp()
    const path = await filled('Before')
    const { kept } = await restore(file, path, NOW)
    expect(textIn(path)).toBe('Of the backup')
    expect(textIn(String(kept))).toBe('Before')
    expect(filesBeside(path)).toHaveLength(2)
    expect(statSync(path).mode).toBe(statSync(String(kept)).mode)
    expect(textIn(file)).toBe('Of the backup')
  })

  it('fails while a service has the database or the backup open', async () => {
    const file = await backedUp()
    const path = newPath()
    const service = await running({ DATABASE_URL: `file:${path}` })
    await publish(service, { ...DRAFT, text: 'Goes on' })
    const { refused } = commandLine(temporaryDirectory(), { DATABASE_URL: `file:${path}` })
    const files = filesBeside(path)
    expect(await refused(1, 'restore', file)).toMatch(/A service has .* open\. Stop it/)
    expect(filesBeside(path)).toEqual(files)
    const elsewhere = newPath()
    await expect(restore(path, elsewhere, NOW)).rejects.toThrow(/has .* open\. Stop it/)
    expect(filesBeside(elsewhere)).toEqual([])
    expect((await publish(service, { ...DRAFT, text: 'Still' })).status).toBe(201)
    await service.close()
    expect(textIn(path)).toBe('Still')
    await restore(file, path, NOW)
    expect(textIn(path)).toBe('Of the backup')
  })

  it.each([
    ['is damaged', 'damaged', damage],
    ['has an index that lacks a row', 'damaged', emptyIndex],
    ['is cut short', 'damaged', (file: string) => truncateSync(file, 20_000)],
    [
      "isn't a database",
      'not a database',
      (file: string) => writeFileSync(file, 'x'.repeat(9_000)),
    ],
    ['is empty', 'not a Placard database', (file: string) => truncateSync(file, 0)],
    [
      'belongs to another program',
      'not a Placard database',
      (file: string) => {
        writeFileSync(file, '')
        const database = new DatabaseSync(file)
        database.exec('pragma journal_mode = wal; create table other (id)')
        database.close()
      },
    ],
    [
      'is from another version',
      'Another version of Placard created this database',
      (file: string) => {
        const database = new DatabaseSync(file)
        database.exec("update placard_migration set checksum = 'another'")
        database.close()
      },
    ],
  ])('changes nothing if the backup %s', async (_, message, spoil) => {
    const file = await backedUp()
    spoil(file)
    const spoilt = readFileSync(file)
    const path = await filled('Before')
    await expect(restore(file, path, NOW)).rejects.toThrow(message)
    expect(readFileSync(file).equals(spoilt)).toBe(true)
    expect(textIn(path)).toBe('Before')
    expect(filesBeside(path)).toEqual(['placard.db'])
  })

  it('contract O2: ends all sessions, even if the backup is a plain copy of the database file', async () => {
    const copy = await filled()
    const path = newPath()
    expect(await restore(copy, path, NOW)).toMatchObject({ kept: null })
    expect(rows(path, 'placard_token')).toEqual([])
    expect(rows(copy, 'placard_token')).toHaveLength(2)
  })

  it('replaces a damaged database, and removes its write-ahead log', async () => {
    const file = await backedUp()
    const path = newPath()
    // A killed service leaves a write-ahead log.
    const other = await filled('In the log')
    const open = sqliteStore(other)
    await open.publish((await eventsIn(open))[0] as never, asCode(Date.now()))
    copyFileSync(`${other}-wal`, `${path}-wal`)
    writeFileSync(path, 'x'.repeat(9_000))
    await open.close()
    await restore(file, path, NOW)
    expect(textIn(path)).toBe('Of the backup')
    expect(rows(path, 'placard_event')).toHaveLength(1)
    expect(filesBeside(path).filter((name) => /^placard\.db(-|$)/.test(name))).toEqual([
      'placard.db',
    ])
  })

  it('contract W6: restores the record of applied notifications, so only those applied after the backup can be applied again', async () => {
    const path = newPath()
    const file = target()
    const known = coupon('created', { name: 'Before the backup' })
    const later = coupon('created', { name: 'After the backup' })
    let mount = makePlacard(sqliteStore(path))
    expect(await (await notify(mount, known)).json()).toMatchObject({ outcome: 'published' })
    const shown = await current(mount)
    await backUp(path, file, false)
    await notify(mount, later)
    await mount.close()
    await restore(file, path, NOW)
    mount = makePlacard(sqliteStore(path))
    expect(await current(mount)).toEqual(shown)
    await notify(mount, known)
    expect(await current(mount)).toEqual(shown)
    expect(await (await notify(mount, later)).json()).toMatchObject({ outcome: 'published' })
    expect(await current(mount)).toMatchObject({ text: 'After the backup' })
  })
})

it('contract B1, B2: backup and restore refuse a named pipe', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'nightly')
  execFileSync('mkfifo', [path])
  const { done, refused } = commandLine(directory, {})
  await done('migrate')
  for (const args of [['restore'], ['backup'], ['backup', '--force']]) {
    const said = await refused(1, ...args, path)
    expect(said).toBe(`placard: ${path} is not a regular file. Give another path\n`)
  }
  expect(statSync(path).isFile()).toBe(false)
})
