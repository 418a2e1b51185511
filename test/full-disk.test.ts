import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import { afterTest } from './after-file.ts'
import { skipAloud } from './aloud.ts'
import {
  coupon,
  current,
  DRAFT,
  makePlacard,
  notify,
  publish,
  readOwned,
  timedClock,
} from './harness.ts'
import { temporaryDirectory } from './stores.ts'

it("contract W2, R6: while the database can't grow, a write that doesn't fit gets 503, nothing is lost, and later writes succeed", async () => {
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

it('contract R3, R12: a full disk is reported until the service can write again, and the service stays ready', async (context) => {
  skipAloud(context, process.platform !== 'linux', 'prlimit on Linux')
  const store = sqliteStore(join(temporaryDirectory(), 'placard.db'))
  const clock = timedClock()
  const mount = makePlacard(store, {}, clock)
  // `prlimit` makes a disk seem full to this process, which SIGXFSZ would then end.
  const ignore = () => {}
  process.on('SIGXFSZ', ignore)
  const limit = (bytes: string) =>
    spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])
  afterTest(() => {
    limit('unlimited')
    process.off('SIGXFSZ', ignore)
  })
  const seen = async () => {
    const ready = (await mount.fetch('/readyz')).status
    const { database } = await (await readOwned(mount, '/api/doctor')).json()
    return { ready, writable: store.writable(), error: database.error }
  }
  const post = async () => {
    const { status } = await publish(mount, { ...DRAFT, text: 'x'.repeat(500) })
    return { status, ...(await seen()) }
  }
  const well = { ready: 200, writable: true }
  expect(await post()).toEqual({ status: 201, ...well })
  expect(limit('200000').status).toBe(0)
  let last = await post()
  // A smaller write may still fit until no page is left.
  for (let round = 0; round < 200 && (last.status === 201 || !last.error); round++) {
    last = await post()
  }
  const full = { ready: 200, writable: false, error: expect.stringMatching(/full|disk I\/O/) }
  expect(last).toEqual({ status: 503, ...full })
  await clock.pass(6_000)
  expect(await seen()).toEqual(full)
  limit('unlimited')
  await clock.pass(6_000)
  expect(await seen()).toEqual(well)
  expect(await post()).toEqual({ status: 201, ...well })
})
