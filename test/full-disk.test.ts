import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import { skipAloud } from './aloud.ts'
import { coupon, current, DRAFT, makePlacard, notify, publish } from './harness.ts'
import { temporaryDirectory } from './stores.ts'

it('contract W2, R6: a database that may not grow answers 503, loses nothing and recovers', async () => {
  const path = join(temporaryDirectory(), 'placard.db')
  const database = openDatabase(path)
  const mount = makePlacard(sqliteStore(database))
  await publish(mount, { ...DRAFT, type: 'product', text: 'the first of all' })
  const pages = Number(database.prepare('pragma page_count').get()?.page_count)
  database.exec(`pragma max_page_count = ${pages}`)
  let stored = 'the first of all'
  const statuses = new Set<number>()
  let full: unknown
  for (let round = 0; round < 200; round++) {
    const notification = coupon('created', { name: `notification ${round}` })
    const response = await notify(mount, notification)
    statuses.add(response.status)
    if (response.status === 200) stored = `notification ${round}`
    else full = notification
    expect(await current(mount)).toMatchObject({ text: stored })
  }
  expect([...statuses].toSorted()).toEqual([200, 503])
  database.exec('pragma max_page_count = 1000000')
  expect(await (await notify(mount, full)).json()).toMatchObject({ outcome: 'published' })
  expect((await publish(mount)).status).toBe(201)
})

it('contract R3, R12: a disk that is full is known until a retry fits on it, though reads go on', async (context) => {
  skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
  const path = join(temporaryDirectory(), 'placard.db')
  const module = (name: string) => JSON.stringify(new URL(`../src/${name}`, import.meta.url))
  // Does what each line of its input says, then prints what can be seen.
  const program = `
    import { createInterface } from 'node:readline'
    process.on('SIGXFSZ', () => {})
    const { sqliteStore } = await import(${module('store/sqlite.ts')})
    const { createPlacard } = await import(${module('placard.ts')})
    const store = sqliteStore(${JSON.stringify(path)})
    const planned = new Map()
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      later(ms, work) {
        planned.set(work, ms)
        return () => planned.delete(work)
      },
    }
    const placard = createPlacard({ store, clock, apiSecret: 'x'.repeat(16) })
    const headers = { Authorization: 'Bearer ' + 'x'.repeat(16) }
    const get = (path) => placard.fetch(new Request('http://placard.test' + path, { headers }))
    const does = {
      publish: () => placard.publish({ text: 'x'.repeat(500), type: 'post', slug: '/' }),
      async wait() {
        for (const [work, ms] of [...planned]) if (ms === 6_000) planned.delete(work) && (await work())
      },
    }
    for await (const line of createInterface({ input: process.stdin })) {
      const done = await does[line]().then(() => true, () => false)
      const ready = (await get('/readyz')).status
      const { database } = await (await get('/api/doctor')).json()
      console.log(JSON.stringify({ done, ready, writable: store.writable(), error: database.error }))
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  const limit = (bytes: string) =>
    spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const after = async (line: 'publish' | 'wait') => {
    child.stdin.write(`${line}\n`)
    return JSON.parse(String((await lines.next()).value))
  }
  const well = { ready: 200, writable: true }
  expect(await after('publish')).toEqual({ done: true, ...well })
  expect(limit('200000').status).toBe(0)
  let seen = await after('publish')
  // A write that needs less may still fit, until there is no page left.
  for (let round = 0; round < 200 && (seen.done || !seen.error); round++) {
    seen = await after('publish')
  }
  const full = { ready: 200, writable: false, error: expect.stringMatching(/full|disk I\/O/) }
  expect(seen).toEqual({ done: false, ...full })
  expect(await after('wait')).toEqual({ done: true, ...full })
  limit('unlimited')
  expect(await after('wait')).toEqual({ done: true, ...well })
  expect(await after('publish')).toEqual({ done: true, ...well })
  child.stdin.end()
  await once(child, 'close')
})
