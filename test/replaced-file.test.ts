import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { current, type DirectMount, DRAFT, makePlacard, publish } from './harness.ts'
import { soon } from './soon.ts'
import { asCode, inAnotherProcess, STORED, temporaryDirectory } from './stores.ts'

/** A service that has written to its database file. */
async function serviceOn(path: string, open: (path: string) => Store = sqliteStore) {
  const mount = makePlacard(open(path))
  expect(await write(mount, 'before')).toBe(201)
  return mount
}
const openedByHost = (path: string) => sqliteStore(openDatabase(path))

/** Another database in a single file, without a WAL, like a backup. */
async function backup(text: string): Promise<string> {
  const path = join(temporaryDirectory(), 'backup.db')
  const mount = makePlacard(sqliteStore(path))
  await write(mount, text)
  await mount.close()
  return path
}

/** What a restart would show, read by a second service on the same path. */
async function afterRestart(path: string): Promise<string | undefined> {
  const mount = makePlacard(sqliteStore(path))
  const shown = await current(mount)
  await mount.close()
  return shown?.text
}

/** All texts in a file, which must be intact. */
function stored(path: string): unknown[] {
  const database = new DatabaseSync(path)
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const rows = database
    .prepare("select body ->> 'text' as text from placard_event order by text")
    .all()
  database.close()
  return rows.map(({ text }) => text)
}

/** All texts in a file, as read by another process, which first publishes a coupon with `text` if that is given. */
async function elsewhere(path: string, text?: string): Promise<unknown[]> {
  const publishing = text ? `await publish({ type: 'coupon', text: '${text}' })` : ''
  const texts = '(await store.load()).published.map(({ text }) => text).sort()'
  return JSON.parse(
    await inAnotherProcess(path, `${publishing}\nconsole.log(JSON.stringify(${texts}))`),
  )
}

const file = () => join(temporaryDirectory(), 'data', 'placard.db')
const logsOf = (path: string) => [`${path}-wal`, `${path}-shm`]
const remove = (...paths: string[]) => {
  for (const path of paths) rmSync(path, { force: true })
}
const write = async (mount: DirectMount, text: string) =>
  (await publish(mount, { ...DRAFT, text })).status
const ready = async (mount: DirectMount) => (await mount.fetch('/readyz')).status

/** Resolves when readers get this text, marked as stale or not. */
const shows = (mount: DirectMount, text: string, stale: boolean) =>
  soon(async () => {
    const response = await mount.fetch('/api/events')
    expect(response.status).toBe(200)
    expect((await response.json()).event).toMatchObject({ text })
    expect(response.headers.get('placard-stale')).toBe(stale ? '1' : null)
  })

/** Checks that the service no longer writes or reads the file. */
async function isLost(mount: DirectMount) {
  expect(await write(mount, 'into nothing')).toBe(503)
  expect(await ready(mount)).toBe(503)
  await shows(mount, 'before', true)
}

it('contract A12, R3: once the database file is deleted, writes get 503, and reads continue, marked as stale', async () => {
  const path = file()
  const mount = await serviceOn(path)
  remove(path, ...logsOf(path))
  await isLost(mount)
  // Another file may appear at any time. Even if it is intact, it isn't the file that the service opened.
  writeFileSync(path, readFileSync(await backup('restored')))
  await isLost(mount)
  expect(await afterRestart(path)).toBe('restored')
})

const replace = async (path: string) => renameSync(await backup('restored'), path)

it.each([
  ['is replaced', replace, sqliteStore, 'restored'],
  ['is replaced after the host opened it', replace, openedByHost, 'restored'],
  ['loses its -wal', (path: string) => remove(`${path}-wal`), sqliteStore, 'before'],
  ['loses its -shm', (path: string) => remove(`${path}-shm`), sqliteStore, 'before'],
])(
  'contract A12, R3: if the database file %s, writes get 503 until a restart, and no data in the file is lost',
  async (_, happen, open, left) => {
    const path = file()
    const mount = await serviceOn(path, open)
    await happen(path)
    await isLost(mount)
    await mount.close()
    expect(await afterRestart(path)).toBe(left)
    expect(stored(path)).toEqual([left])
  },
)

it('contract R3: a start without the database file leaves its WAL alone, so nothing is lost when the file is back', async () => {
  const path = file()
  const mount = await serviceOn(path)
  const left = join(temporaryDirectory(), 'placard.db')
  // What a crash leaves if the file itself is then moved away.
  copyFileSync(`${path}-wal`, `${left}-wal`)
  expect(() => sqliteStore(left)).toThrow(`latest writes are in ${left}-wal`)
  copyFileSync(path, left)
  await mount.close()
  expect(await afterRestart(left)).toBe('before')
})

it('contract A12: if the database file is replaced, closing the store writes the WAL into the old file, not into the new one', async () => {
  const path = file()
  const mount = await serviceOn(path)
  const old = join(dirname(path), 'old.db')
  const restored = await backup('restored')
  renameSync(path, old)
  renameSync(restored, path)
  await mount.close()
  expect(await afterRestart(path)).toBe('restored')
  expect(await afterRestart(old)).toBe('before')
})

it('contract A12: if another process creates a new -shm, the service writes nothing until it restarts', async () => {
  const path = file()
  const store = sqliteStore(path)
  await store.publish({ ...STORED, text: 'before' }, asCode(Date.now()))
  remove(`${path}-shm`)
  expect(await elsewhere(path, 'by another')).toEqual(['before', 'by another'])
  const refused = { cause: { message: expect.stringContaining('restart the service') } }
  await expect(
    store.publish({ ...STORED, text: 'after' }, asCode(Date.now())),
  ).rejects.toMatchObject(refused)
  await expect(store.ping()).rejects.toMatchObject(refused)
  await store.close()
  expect(await elsewhere(path)).toEqual(['before', 'by another'])
})

it("contract A12: a write doesn't get 201 if the database file is replaced during the commit", async () => {
  const path = file()
  const mount = await serviceOn(path)
  const restored = await backup('restored')
  const { all } = StatementSync.prototype
  let commits = 0
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    const result = Reflect.apply(all, this, values)
    if (this.sourceSQL === 'commit' && commits++ === 0) renameSync(restored, path)
    return result
  }
  const status = await write(mount, 'in between').finally(() => {
    StatementSync.prototype.all = all
  })
  expect(commits).toBe(1)
  expect(status).toBe(503)
  await mount.close()
  expect(await afterRestart(path)).toBe('restored')
})

it("contract A12, R3: while the database's folder is moved away, writes get 503; once it is back, everything works again", async () => {
  const path = file()
  const mount = await serviceOn(path)
  const directory = dirname(path)
  renameSync(directory, `${directory}.old`)
  expect(await write(mount, 'into nothing')).toBe(503)
  await shows(mount, 'before', true)
  expect(await ready(mount)).toBe(503)
  renameSync(`${directory}.old`, directory)
  expect(await ready(mount)).toBe(200)
  await shows(mount, 'before', false)
  expect(await write(mount, 'after')).toBe(201)
  expect(await afterRestart(path)).toBe('after')
})
