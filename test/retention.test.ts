import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { asCode, STORED } from './stores.ts'

const NOW = Date.UTC(2027, 0, 1)

let database: DatabaseSync
let store: Store
beforeEach(async () => {
  database = openDatabase(':memory:')
  store = sqliteStore(database)
  await store.publish(STORED, asCode(NOW))
})
afterEach(() => store.close())

/** Adds rows, as this many changes would. */
function add(count: number, action: string) {
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into placard_history (id, at, action, by)
    select (select max(id) from placard_history) + i, ${NOW}, '${action}', '{"via":"api"}' from n`)
}

const ignore = (id: string) => {
  const effect = { kind: 'none', reason: 'not_featured' } as const
  const unknown = { type: 'coupon.updated', created: null, coupon: null }
  return store.applyNotification({ id, ...unknown, effect }, NOW)
}

const count = (such: string) =>
  database.prepare(`select count(*) as n from placard_history where ${such}`).get()?.n

it('contract R8: the history keeps at most the newest 10,000 rows', async () => {
  add(9_998, 'withdrawn')
  for (let write = 0; write < 200; write++) {
    await store.publish(STORED, asCode(NOW))
    expect(count('true')).toBeLessThanOrEqual(10_000)
  }
  expect(count('true')).toBeGreaterThan(9_900)
  expect(count("action = 'replaced'")).toBe(200)
  expect(count('id = (select min(id) + 9899 from placard_history)')).toBe(1)
})

it.each([500, -500])(
  'contract R8: a clock that is off by %i days for 99 writes removes no rows, then or later',
  async (days) => {
    for (let write = 0; write < 99; write++) {
      await store.publish(STORED, asCode(NOW + days * 86_400_000))
    }
    expect(count('true')).toBe(100)
    for (let write = 0; write < 200; write++) await store.publish(STORED, asCode(NOW))
    expect(count('true')).toBe(300)
  },
)

it('contract R8: rows younger than 400 days are kept, even if the newest hundred are all from today', async () => {
  for (let write = 0; write < 299; write++) {
    await store.publish(STORED, asCode(NOW + 399 * 86_400_000))
  }
  expect(count('true')).toBe(300)
})

it('contract R8: only ignored notifications count towards the limit on ignored rows', async () => {
  await ignore('evt_first')
  add(1_100, 'withdrawn')
  await ignore('evt_last')
  expect(count("action = 'ignored'")).toBe(2)
})

it('contract R8: the last 1,000 ignored notifications are kept, and displace no other rows', async () => {
  for (let flood = 0; flood < 15; flood++) {
    add(1_000, 'ignored')
    await ignore(`evt_${flood}`)
    expect(count("action = 'ignored'")).toBe(1_000)
  }
  await store.publish(STORED, asCode(NOW))
  expect(count("action = 'published'")).toBe(1)
  expect(count('true')).toBe(1_002)
})
