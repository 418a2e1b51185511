import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { skipAloud } from '../aloud.ts'
import { pageOf } from '../browser/chromium.ts'
import { setHidden } from '../browser/stage.ts'
import { clear, current, httpMount, type Mount, publish, SECRETS } from '../harness.ts'
import { type Cluster, startCluster, until } from '../postgres/cluster.ts'
import { LACKING, type Pooler, startPgBouncer } from '../postgres/pgbouncer.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { temporaryDirectory } from '../stores.ts'
import { apiSuite } from '../suites/api.ts'
import { type FreshApp, freshApps, type Kind } from './fresh-next.ts'
import type { Served } from './serve.ts'
import { FALLBACK, mount as mountOf, seen as seenAt, textIn } from './visit.ts'

const KIND: Kind = { name: 'serverless', cacheComponents: true, serverless: true }

let apps: ReturnType<typeof freshApps>
let cluster: Cluster
let pooler: Pooler
let aged: ReturnType<typeof age>
const instances: Instance[] = []
const cache = temporaryDirectory()

type Instance = ReturnType<typeof freezing>

/** A process that is stopped whenever it has no request in progress and no page is still loading. */
function freezing(served: Served) {
  let active = 0
  served.child.kill('SIGSTOP')
  async function awake<T>(act: (url: string) => Promise<T>): Promise<T> {
    if (active++ === 0) served.child.kill('SIGCONT')
    try {
      return await act(served.url)
    } finally {
      if (--active === 0) served.child.kill('SIGSTOP')
    }
  }
  const ask = (path: string, init?: RequestInit) =>
    awake(async (url) => {
      const response = await fetch(url + path, { ...init, redirect: 'manual' })
      // The whole response arrives before the process is stopped again.
      await response.clone().arrayBuffer()
      return response
    })
  return { served, awake, fetch: ask }
}

beforeAll(async () => {
  if (LACKING) return
  cluster = await startCluster()
  pooler = await startPgBouncer(cluster.url())
  apps = freshApps([KIND])
  const app = await apps.of(KIND)
  for (let i = 0; i < 2; i++) {
    const environment = { ...SECRETS, DATABASE_URL: pooler.url, SHARED_CACHE: cache }
    instances.push(freezing(await app.start(environment)))
  }
  aged = age(app)
  aged.catch(() => {})
})

/** An app with a cache of its own, whose output for the bar is a minute old. Other tests run meanwhile. */
async function age(app: FreshApp) {
  const url = await emptyDatabase(cluster.url())
  const store = postgresStore({ url, listen: false })
  await store.migrate()
  await store.close()
  const environment = { ...SECRETS, DATABASE_URL: url, SHARED_CACHE: join(cache, 'aged') }
  const served = await app.start(environment)
  const mount = mountOf(served)
  await publish(mount, post('A minute ago'))
  // Output rendered just after a change is rendered once more.
  await sleep(11_000)
  expect((await seenAt(served)).text).toBe('A minute ago')
  await sleep(61_000)
  return { served, mount }
}

afterAll(async () => {
  for (const { served } of instances) served.child.kill('SIGCONT')
  await apps?.remove()
  await pooler?.close()
  await cluster?.remove()
})

let turn = 0
/** The instances take turns. */
const next = () => instances[turn++ % instances.length] as Instance
const mount: Mount = {
  ...httpMount(''),
  inNext: true,
  fetch: (path, init) => next().fetch(path, init),
}

/** The bar on the page of an instance. */
const seen = async (instance: Instance) => textIn(await (await instance.fetch('/')).text())

const post = (text: string) => ({ type: 'post', text, slug: '/x' })

describe('two instances of Next.js, frozen between requests, behind a pooler in transaction mode', () => {
  beforeEach((test) => skipAloud(test, LACKING, 'PgBouncer'))

  it('contract N4: show each of 50 changes on the next page of either', async () => {
    await clear(mount)
    for (let round = 0; round < 50; round++) {
      expect((await publish(mount, post(`Change ${round}`))).status).toBe(201)
      const first = next()
      expect(await seen(first)).toBe(`Change ${round}`)
      expect(await seen(next())).toBe(`Change ${round}`)
    }
  })

  it('contract N1: hold no connection to the database while frozen', async () => {
    await publish(mount, post('And then frozen'))
    await Promise.all(instances.map(seen))
    expect(await pooler.clients()).toBe(0)
  })

  it('contract N4: serve no announcement after its end, and an open page hides it by itself', async () => {
    const expiresAt = Date.now() + 6_000
    await publish(mount, { ...post('Over soon'), expiresAt })
    const page = await pageOf()
    const bar = page.locator('.placard')
    await instances[0]?.awake(async (url) => {
      await page.goto(url)
      // React shows streamed content up to 0.3 s later.
      await bar.waitFor()
    })
    expect(await Promise.all(instances.map(seen))).toEqual(['Over soon', 'Over soon'])
    await bar.waitFor({ state: 'hidden' })
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(Date.now() - expiresAt).toBeLessThan(1_000)
    expect(await Promise.all(instances.map(seen))).toEqual([FALLBACK, FALLBACK])
  })

  it('contract N4: show an announcement however soon it ends', async () => {
    for (const minutes of [31, 20, 10.2, 6]) {
      const text = `Ends in ${minutes} min`
      await publish(mount, { ...post(text), expiresAt: Date.now() + minutes * 60_000 })
      expect(await seen(next())).toBe(text)
    }
  })

  it("contract N4: render the bar for each request in the announcement's last minutes, and cache it again afterwards", async () => {
    await clear(mount)
    const isKept = async () => !(await (await next().fetch('/')).text()).includes('id="S:')
    expect(await isKept()).toBe(true)
    const expiresAt = Date.now() + 5_000
    await publish(mount, { ...post('In its last minutes'), expiresAt })
    expect(await isKept()).toBe(false)
    expect((await next().fetch('/live')).status).toBe(200)
    await sleep(expiresAt - Date.now())
    await until(isKept)
  })

  it('contract A14, N4: show an announcement on the first page after its start, even if both were frozen', async () => {
    await clear(mount)
    const startsAt = Date.now() + 5_000
    await publish(mount, { ...post('It has started'), startsAt })
    expect(await Promise.all(instances.map(seen))).toEqual([FALLBACK, FALLBACK])
    await sleep(startsAt - Date.now())
    const [a, b] = instances as [Instance, Instance]
    expect([await seen(a), await seen(b)]).toEqual(['It has started', 'It has started'])
  })

  it('contract N4: render a page within 2 s while the database wakes up, and let a write wait or return 503', async () => {
    await publish(mount, post('Known to both'))
    await Promise.all(instances.map(seen))
    // No page is cached, so one has to be rendered.
    await publish(mount, post('Before the pause'))
    pooler.freeze()
    const started = performance.now()
    const [drawn, written] = await Promise.all([
      seen(next()).then((text) => ({ text, ms: performance.now() - started })),
      publish(mount, post('During the pause')).then(({ status }) => status),
    ])
    pooler.thaw()
    expect(['Known to both', 'Before the pause', FALLBACK]).toContain(drawn.text)
    expect(drawn.ms).toBeLessThan(2_000)
    expect([201, 503]).toContain(written)
    // Without a further change, pages show what is stored.
    await until(async () => (await seen(next())) === (await current(mount))?.text)
    await until(async () => (await publish(mount, post('Awake again'))).status === 201)
    await until(async () => (await seen(next())) === 'Awake again')
  })

  it('contract N4: 10 s after a change, drop a page that was being rendered during it, however old its bar is', async () => {
    const { served, mount } = await aged
    await mount.fetch('/slow/drop', { method: 'POST' })
    const rendering = seenAt(served, '/slow')
    await sleep(700)
    await publish(mount, post('Now'))
    expect((await rendering).text).toBe('A minute ago')
    await until(async () => (await seenAt(served, '/slow')).text === 'Now', 12_000)
    await served.end()
    // The output takes 72 s to age. The quicker the other tests are, the longer this one waits for it.
  }, 120_000)

  it('contract N2: refresh a page with PlacardLive when it returns to view, even just before the announcement ends', async () => {
    await publish(mount, post('Before'))
    const page = await pageOf()
    await instances[0]?.awake(async (url) => {
      await page.goto(`${url}/live`)
      await publish(mount, post('Meanwhile'))
      const text = page.locator('.placard-text')
      expect(await text.innerText()).toBe('Before')
      const comeBack = async () => {
        await setHidden(page, true)
        await setHidden(page, false)
      }
      await comeBack()
      await expect.poll(() => text.innerText(), { timeout: 10_000 }).toBe('Meanwhile')
      await publish(mount, { ...post('In its last minutes'), expiresAt: Date.now() + 60_000 })
      await comeBack()
      await expect.poll(() => text.innerText(), { timeout: 10_000 }).toBe('In its last minutes')
    })
  })
})

// Without PgBouncer, the tests above say so.
if (!LACKING) apiSuite('frozen Next.js', async () => mount, false)
