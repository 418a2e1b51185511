import { execSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createPlacard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { skipAloud } from '../aloud.ts'
import { pageOf } from '../browser/chromium.ts'
import { readability } from '../browser/pixels.ts'
import { tabOf } from '../engines/chromium.ts'
import { API_SECRET, coupon, current, notify, publish, SECRETS, withdraw } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { type FreshApp, freshApps, type Kind } from './fresh-next.ts'
import { environmentOf, NEXT, nodeWithoutSqlite, type Served, type Serving } from './serve.ts'
import { expectFallback, FALLBACK, mount, publishInAdmin, seen, stopWithin } from './visit.ts'

const LONG = 'A text that is longer than a telephone’s window is wide, so that it has to be cut'

const DEVELOPMENT: Serving = { args: [NEXT, 'dev'] }
/** The exit codes for SIGTERM are Next's own. In production, an open stream would delay the exit by 3 s or more. */
const MODES: [mode: string, serving: Serving, exitCode: number, endsInMs: number][] = [
  ['production', {}, 143, 2_000],
  ['development', DEVELOPMENT, 0, 10_000],
]
/** A page that writes while it renders, which Next.js doesn't allow. */
const WRITES_WHILE_RENDERING = `
  import { connection } from 'next/server'
  import { Suspense } from 'react'
  import { placard } from '@/placard'

  async function Outcome() {
    await connection()
    const draft = { text: 'While rendering', type: 'post', slug: '/x' } as const
    return placard.service().publish(draft).then(() => 'published', (error) => error.message)
  }

  export default function Page() {
    return <Suspense><Outcome /></Suspense>
  }
`

const oldNode = nodeWithoutSqlite()
const FIRST: Kind = {
  name: 'Tailwind and cacheComponents',
  tailwind: true,
  cacheComponents: true,
  extra: { 'app/writes/page.tsx': WRITES_WHILE_RENDERING },
}
const BUILT_BY_OLD_NODE: Kind = { name: 'plain CSS', node: oldNode }
/** One with both options and one with neither, because styles and Next's cache are independent. */
const KINDS = [FIRST, BUILT_BY_OLD_NODE]
const WITH_BASE_PATH: Kind = { name: 'a basePath', basePath: true }

let apps: ReturnType<typeof freshApps>
beforeAll(() => {
  apps = freshApps([...KINDS, WITH_BASE_PATH])
})
afterAll(() => apps?.remove())

/** Whether React has hydrated an element. Before that, it may still remove what was inserted beside the element. */
function isHydrated(selector: string): boolean {
  const element = document.querySelector(selector)
  return element !== null && Object.keys(element).some((key) => key.startsWith('__react'))
}

describe.each(KINDS)('a new Next.js app built from the guide, with $name', (kind) => {
  let app: FreshApp
  let data: string
  beforeAll(async () => {
    app = await apps.of(kind)
    data = join(app.directory, 'data')
  })

  describe.each(MODES)('in %s', (_, serving, exitCode, endsInMs) => {
    let served: Served
    beforeAll(async () => {
      rmSync(data, { recursive: true, force: true })
      served = await app.start(SECRETS, serving)
    })

    it.each(['light', 'dark'] as const)(
      'spec 2, display rule 5: shows text with a contrast of at least 4.5:1, measured in pixels, in a %s colour scheme',
      async (colorScheme) => {
        const viewport = { width: 800, height: 600 }
        const page = await pageOf({ colorScheme, viewport, deviceScaleFactor: 2 })
        await page.goto(served.url)
        await page.waitForFunction(isHydrated, '.placard')
        const { contrast, surface } = await readability(tabOf(page), '.placard')
        expect(contrast).toBeGreaterThanOrEqual(4.5)
        expect(surface).toBe(colorScheme === 'light' ? '#ffffff' : '#0f0f12')
      },
    )

    it('spec 1, contract R3: shows a published announcement in the API and on the next page', async () => {
      expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
      const draft = { type: 'post', text: LONG, slug: '/x' }
      expect((await publish(mount(served), draft)).status).toBe(201)
      expect(await seen(served)).toEqual({ status: 200, text: LONG })
      expect((await current(mount(served)))?.text).toBe(LONG)

      const page = await pageOf({ viewport: { width: 360, height: 640 } })
      await page.goto(served.url)
      const { x, y, width } = (await page.locator('.placard').boundingBox()) ?? expect.fail()
      expect(Math.min(x, y, 360 - x - width)).toBeGreaterThanOrEqual(8)

      await withdraw(mount(served), { type: 'post' })
      expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
    })

    it('contract A14: shows a started announcement even on a page that is requested all the time', async () => {
      for (const text of ['A first start', 'A second start', 'A third start']) {
        const draft = { type: 'post', text, slug: '/x', startsAt: Date.now() + 1_000 }
        expect((await publish(mount(served), draft)).status).toBe(201)
        const isThere = async () => expect((await seen(served)).text).toBe(text)
        await vi.waitFor(isThere, { timeout: 6_000, interval: 5 })
      }
      await withdraw(mount(served), { type: 'post' })
    })

    // The others have the same admin.
    if (kind === FIRST) {
      it('contract O4: has a working admin, whose changes show on the next page', async () => {
        await publishInAdmin(served.url, 'From the admin')
        expect((await seen(served)).text).toBe('From the admin')
        await withdraw(mount(served), { type: 'post' })
      })
    }

    it('exits on SIGTERM, even with an open stream', async () => {
      const stream = await fetch(`${served.url}/api/events/stream`)
      expect(await stopWithin(served, endsInMs)).toBe(exitCode)
      await stream.body?.cancel().catch(() => {})
    })

    it('shows the last change from before its exit when it starts again', async () => {
      served = await app.start(SECRETS)
      expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
      await served.stop()
    })
  })

  it('shows the fallback without EVENT_API_SECRET', async () => {
    const served = await app.start({})
    expect((await seen(served, '/no-such-page')).status).toBe(404)
    await expectFallback(served, 'EVENT_API_SECRET')
    await served.stop()
  })

  it('shows the fallback without its database, and uses the database as soon as it can be opened', async () => {
    rmSync(data, { recursive: true, force: true })
    writeFileSync(data, 'a file, where a folder has to be')
    const served = await app.start(SECRETS)
    await expectFallback(served, 'DATABASE_URL')

    rmSync(data)
    const status = async () => (await publish(mount(served))).status
    await expect.poll(status, { timeout: 10_000, interval: 500 }).toBe(201)
    expect((await seen(served)).text).toBe('We wrote about caching')
    await withdraw(mount(served), { type: 'post' })
    // Next.js keeps the page for the next process.
    expect((await seen(served)).text).toBe(FALLBACK)
    await served.stop()
  })
})

describe("a Next.js app that can't open its service", () => {
  it('shows the fallback without EVENT_API_SECRET in development', async () => {
    const app = await apps.of(FIRST)
    const served = await app.start({}, DEVELOPMENT)
    await expectFallback(served, 'EVENT_API_SECRET')
    await served.stop()
  })

  it('shows the fallback on a Node that is too old, and says so', async (context) => {
    skipAloud(context, !oldNode, 'a Node older than 24')
    const app = await apps.of(BUILT_BY_OLD_NODE)
    const served = await app.start(SECRETS, { node: oldNode })
    await expectFallback(served, 'has no node:sqlite. Use Node 24 or newer')
    await served.stop()
  })
})

it('an app with a basePath has its pages, API, admin and stream below it, and commands reach them there', async () => {
  const app = await apps.of(WITH_BASE_PATH)
  const served = await app.start(SECRETS)
  const shop = { ...served, url: `${served.url}/shop` }
  expect(await seen(shop, '')).toEqual({ status: 200, text: FALLBACK })
  const page = await pageOf()
  await page.goto(shop.url)

  await publishInAdmin(shop.url, 'From the admin')
  expect((await seen(shop, '')).text).toBe('From the admin')

  const command = blockAfter('docs/next.md', 'Each command needs').replace(
    'http://localhost:3000',
    served.url,
  )
  execSync(command, { cwd: app.directory, env: environmentOf(SECRETS), stdio: 'pipe' })
  expect((await seen(shop, '')).text).toBe('We wrote about caching')
  const link = page.getByRole('link', { name: 'We wrote about caching' })
  expect(await link.getAttribute('href')).toBe('/shop/blog/caching')

  expect((await notify(mount(shop), coupon('created', { name: 'Black Friday' }))).status).toBe(200)
  expect((await seen(shop, '')).text).toBe('Black Friday')

  // This change comes without a request, so the app sends one to itself.
  const store = sqliteStore(join(app.directory, 'data/placard.db'))
  const other = createPlacard({ store, apiSecret: API_SECRET })
  await other.withdraw({ type: 'coupon' })
  await other.close()
  await expect.poll(async () => (await seen(shop, '')).text).toBe('We wrote about caching')
  await link.waitFor()
  expect(await stopWithin(served, 2_000)).toBe(143)
})

it('contract W7: a write fails if Next.js refuses to revalidate its tag', async () => {
  const app = await apps.of(FIRST)
  const served = await app.start(SECRETS)
  const page = await (await fetch(`${served.url}/writes`)).text()
  expect(page.includes('a cache could not')).toBe(true)
  await withdraw(mount(served), { type: 'post' })
  await served.stop()
})

const PROGRAM = `
  import next from 'next'
  import { createServer } from 'node:http'
  const app = next({ dev: false })
  await app.prepare()
  const handle = app.getRequestHandler()
  createServer((request, response) => handle(request, response)).listen(process.env.PORT)
`
it.each(['SIGTERM', 'SIGINT'] as const)("%s stops an app's custom server", async (signal) => {
  const app = await apps.of(FIRST)
  const served = await app.start(SECRETS, { args: ['--input-type=module', '-e', PROGRAM] })
  expect((await seen(served)).status).toBe(200)
  expect(await served.stop(signal)).toBe(signal)
})
