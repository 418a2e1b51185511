import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import { sql } from '../src/store/sql.ts'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import { sqliteDb } from '../src/store/sqlite-db.ts'
import { afterTest } from './after-file.ts'
import { coupon, current, DRAFT, makePlacard, notify, publish, withdraw } from './harness.ts'
import { soon } from './soon.ts'
import { eventsIn, inAnotherProcess, temporaryDirectory } from './stores.ts'

const file = () => join(temporaryDirectory(), 'nested', 'placard.db')
const pragma = (database: DatabaseSync, name: string) =>
  Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]

describe('each connection', () => {
  it('contract A12: uses synchronous=FULL and WAL, after the first write and after reopening', async () => {
    const path = file()
    for (const round of ['new', 'reopened', 'reopened again']) {
      const database = openDatabase(path)
      const mount = makePlacard(sqliteStore(database))
      expect((await publish(mount, { ...DRAFT, text: round })).status).toBe(201)
      expect(await current(mount)).toMatchObject({ text: round })
      expect(pragma(database, 'synchronous'), round).toBe(2)
      expect(pragma(database, 'journal_mode'), round).toBe('wal')
      expect(pragma(database, 'busy_timeout'), round).toBe(0)
      await mount.close()
    }
  })

  it('contract A12: starts each write with BEGIN IMMEDIATE', async () => {
    const database = openDatabase(file())
    const statements: string[] = []
    const prepare = database.prepare.bind(database)
    database.prepare = (sql) => {
      statements.push(sql)
      return prepare(sql)
    }
    const mount = makePlacard(sqliteStore(database))
    await publish(mount)
    await withdraw(mount, { type: 'post' })
    await notify(mount, coupon('created'))
    expect(statements).toContain('begin immediate')
    expect(statements).not.toContain('begin')
  })
})

it('without node:sqlite, the module loads, and the error on opening a store says which Node to use', () => {
  const program = `
    const { sqliteStore } = await import('${new URL('../src/entries/sqlite.ts', import.meta.url)}')
    try {
      sqliteStore(':memory:')
    } catch ({ message }) {
      console.log(message)
    }`
  const args = ['--no-experimental-sqlite', '--input-type=module', '-e', program]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const version = process.versions.node
  expect(stdout).toBe(`Node ${version} has no node:sqlite. Use Node 24 or newer\n`)
})

it('contract A12: an interrupted first start creates all tables or none', async () => {
  const database = openDatabase(file())
  const prepare = database.prepare.bind(database)
  database.prepare = (sql) => {
    return prepare(sql.includes('create index') ? 'what SQLite refuses' : sql)
  }
  const store = sqliteStore(database)
  await expect(store.load()).rejects.toThrow(StoreUnavailable)
  const tables = `select name from sqlite_master where name like 'placard%'`
  expect(prepare(tables).all()).toEqual([])
  database.prepare = prepare
  expect(await eventsIn(store)).toEqual([])
  await store.close()
})

/** Resolves once SQLite has refused a statement. */
function refusal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { all } = StatementSync.prototype
  afterTest(() => {
    StatementSync.prototype.all = all
  })
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    try {
      return Reflect.apply(all, this, values)
    } catch (error) {
      resolve()
      throw error
    }
  }
  return promise
}

describe('a locked database file', () => {
  it('contract W2, R6: makes writes return 503 without blocking the event loop, until it is unlocked', async () => {
    const path = file()
    const mount = makePlacard(sqliteStore(path))
    await publish(mount, { ...DRAFT, text: 'before the lock' })
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const notification = coupon('created', { name: 'Refused at first' })
    const refused = refusal()
    let areAnswered = false
    const waiting = Promise.all([
      publish(mount),
      withdraw(mount, { type: 'post' }),
      notify(mount, notification),
    ]).finally(() => {
      areAnswered = true
    })
    await refused
    // SQLite itself doesn't wait for the lock, so the service handles other requests between two attempts.
    expect(await current(mount)).toMatchObject({ text: 'before the lock' })
    expect(areAnswered).toBe(false)
    const writes = await waiting
    expect(writes.map(({ status }) => status)).toEqual([503, 503, 503])
    for (const write of writes) expect(Object.keys(await write.json())).toEqual(['error'])
    expect(await current(mount)).toMatchObject({ text: 'before the lock' })
    other.exec('rollback')
    expect((await publish(mount, { ...DRAFT, text: 'after the lock' })).status).toBe(201)
    expect(await (await notify(mount, notification)).json()).toMatchObject({ outcome: 'published' })
    other.close()
  })

  it('contract A12: merely delays a write if the lock is released in time', async () => {
    const path = file()
    const mount = makePlacard(sqliteStore(path))
    await current(mount)
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const refused = refusal()
    const answer = publish(mount)
    await refused
    other.exec('commit')
    expect((await answer).status).toBe(201)
    other.close()
  })

  it('contract T3: delays an update of the shared record of requests to Stripe instead of failing it', async () => {
    const path = file()
    const store = sqliteStore(path)
    await store.load()
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const refused = refusal()
    const updated = store.offers.remember({ listed_at: 1 })
    await refused
    other.exec('commit')
    expect(await updated).toBe(true)
    other.close()
    await store.close()
  })

  it('contract R3: can still be read while another process writes', async () => {
    const path = file()
    const mount = makePlacard(sqliteStore(path))
    await publish(mount)
    const other = new DatabaseSync(path)
    other.exec(`begin immediate; delete from placard_event`)
    expect(await current(mount)).toMatchObject(DRAFT)
    const fresh = makePlacard(sqliteStore(path))
    await soon(async () => expect(await current(fresh)).toMatchObject(DRAFT))
    other.exec('rollback')
    other.close()
  })
})

it('contract R3: a write on one node shows on another', async () => {
  const path = file()
  const [one, two] = [makePlacard(sqliteStore(path)), makePlacard(sqliteStore(path))]
  expect(await current(two)).toBeNull()
  for (const text of ['The first', 'The second', 'The third']) {
    await publish(one, { ...DRAFT, text })
    const seen = async () => expect(await current(two)).toMatchObject({ text })
    await soon(seen)
  }
})

it('contract A12: processes that start together on a new file can all write, and no write is lost', async () => {
  const path = file()
  // Which process gets the lock is left to chance, so a write that gets no lock within a second is tried again.
  const work = `
    for (let written = 0; written < 20; ) {
      try {
        await publish({})
        written++
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
      }
    }
    console.log('wrote 20')`
  const outputs = await Promise.all([1, 2, 3, 4].map(() => inAnotherProcess(path, work)))
  expect(outputs).toEqual(outputs.map(() => 'wrote 20'))
  const database = new DatabaseSync(path)
  expect(database.prepare('select count(*) as n from placard_event').get()).toEqual({ n: 1 })
  expect(database.prepare('select count(*) as n from placard_history').get()).toEqual({ n: 80 })
  const clock = database.prepare('select last from placard_clock').get()
  const row = database.prepare('select timestamp from placard_event').get()
  expect(row?.timestamp).toBe(clock?.last)
  database.close()
})

it('contract R3: nobody sees an uncommitted transaction', async () => {
  const db = sqliteDb(new DatabaseSync(':memory:'))
  await sql`create table note (text text)`.execute(db)
  const [begun, fail] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()]
  const undone = db.transaction(async (transaction) => {
    await sql`insert into note values ('not committed')`.execute(transaction)
    begun.resolve()
    return fail.promise
  })
  await begun.promise
  const seen = sql`select text from note`.execute(db)
  fail.reject(new Error('changed my mind'))
  await expect(undone).rejects.toThrow('changed my mind')
  expect(await seen).toEqual([])
})
