import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { readability } from '../browser/pixels.ts'
import { API_SECRET, httpMount, publish, STRIPE_SECRET, write } from '../harness.ts'
import { DEVELOPMENT, type FreshApp, freshApp, type Started } from './fresh-next.ts'

const SECRETS = { EVENT_API_SECRET: API_SECRET, STRIPE_WEBHOOK_SECRET: STRIPE_SECRET }
const FALLBACK = 'Read our new guide'
const MODES: [name: string, command?: string[]][] = [['production'], ['development', DEVELOPMENT]]
/** Installing and building take a minute or two. */
const BUILD_MS = 600_000

/** Beside what the guide says: a page that does what Next allows no page to do. */
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

vi.setConfig({ testTimeout: 180_000 })

let app: FreshApp
let browser: Browser
beforeAll(async () => {
  app = freshApp({ 'app/writes/page.tsx': WRITES_WHILE_RENDERING })
  browser = await launchChromium()
}, BUILD_MS)
afterAll(async () => {
  await browser?.close()
  app?.remove()
})

const mount = ({ url }: Started) => httpMount(url, API_SECRET, STRIPE_SECRET)

/** The bar on a page, as a visitor gets it. */
async function seen({ url }: Started, path = '/') {
  const response = await fetch(url + path)
  const text = /placard-text"[^>]*>([^<]*)</.exec(await response.text())?.[1]
  return { status: response.status, text }
}

/** The lines in the log that name a variable. */
const naming = ({ logged }: Started, variable: string) =>
  logged()
    .split('\n')
    .filter((line) => line.includes(variable))

describe('a new Next.js app, with the blocks of the guide', () => {
  it.each(MODES)(
    'spec 2, display rule 5: in %s the text has 4.5:1, by its pixels',
    async (_, command) => {
      const served = await app.start(SECRETS, command)
      for (const colorScheme of ['light', 'dark'] as const) {
        const viewport = { width: 800, height: 600 }
        const page = await browser.newPage({ colorScheme, viewport, deviceScaleFactor: 2 })
        await page.goto(served.url)
        const bar = page.locator('.placard')
        const { x, y } = (await bar.boundingBox()) ?? { x: 0, y: 0 }
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(8)
        const { contrast, surface } = await readability(page, bar)
        expect(contrast).toBeGreaterThanOrEqual(4.5)
        expect(surface).toBe(colorScheme === 'light' ? '#ffffff' : '#0f0f12')
        await page.close()
      }
      await served.stop()
    },
  )

  it('spec 1: shows what was published on the next page, and ends when asked to, even with an open stream', async () => {
    const served = await app.start(SECRETS)
    expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
    expect((await publish(mount(served))).status).toBe(201)
    expect(await seen(served)).toEqual({ status: 200, text: 'We wrote about caching' })
    await write(mount(served), 'DELETE', { type: 'post' })
    expect((await seen(served)).text).toBe(FALLBACK)
    const stream = await fetch(`${served.url}/api/events/stream`)
    expect(await served.stop()).toBe(143)
    await stream.body?.cancel().catch(() => {})
  })
})

describe('contract W7: the tag is revalidated, or the write fails', () => {
  it('fails a write whose tag Next refuses', async () => {
    const served = await app.start(SECRETS)
    const page = await (await fetch(`${served.url}/writes`)).text()
    expect(page.includes('a cache could not')).toBe(true)
    await write(mount(served), 'DELETE', { type: 'post' })
    await served.stop()
  })
})

describe('a Next.js app that can not have the announcement', () => {
  it.each(MODES)(
    'without EVENT_API_SECRET, %s: pages 200, API 503, one line',
    async (_, command) => {
      const served = await app.start({}, command)
      expect((await seen(served, '/no-such-page')).status).toBe(404)
      for (let i = 0; i < 10; i++) {
        expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
        const answer = await publish(mount(served))
        expect(answer.status).toBe(503)
        expect(await answer.json()).toEqual({ error: expect.any(String) })
      }
      expect(naming(served, 'EVENT_API_SECRET')).toHaveLength(1)
      expect(served.logged()).not.toContain('apiSecret')
      await served.stop()
    },
  )

  it('with a database that can not be opened: the same, and back as soon as it can be', async () => {
    const inTheWay = join(app.directory, 'data')
    rmSync(inTheWay, { recursive: true, force: true })
    writeFileSync(inTheWay, 'a file, where a folder has to be')
    const served = await app.start(SECRETS)
    for (let i = 0; i < 10; i++) {
      expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
      expect((await fetch(`${served.url}/api/events`)).status).toBe(503)
    }
    expect(naming(served, 'DATABASE_URL')).toHaveLength(1)

    rmSync(inTheWay)
    await expect
      .poll(async () => (await fetch(`${served.url}/api/events`)).status, { timeout: 10_000 })
      .toBe(200)
    expect((await publish(mount(served))).status).toBe(201)
    expect((await seen(served)).text).toBe('We wrote about caching')
    expect(await served.stop()).toBe(143)
  })
})

describe('a server of the host’s own', () => {
  const PROGRAM = `
    import next from 'next'
    import { createServer } from 'node:http'
    const app = next({ dev: false })
    await app.prepare()
    const handle = app.getRequestHandler()
    createServer((request, response) => handle(request, response)).listen(process.env.PORT)
  `
  it.each(['SIGTERM', 'SIGINT'] as const)('is ended by %s, as without Placard', async (signal) => {
    const served = await app.start(SECRETS, ['--input-type=module', '-e', PROGRAM])
    expect((await seen(served)).status).toBe(200)
    expect(await served.stop(signal)).toBe(signal)
  })
})

describe('outside of Next’s requests', () => {
  /** What a program in the folder of the app prints, that uses the packages there. */
  function run(program: string) {
    const imports = `
      import { createNextPlacard } from 'placard/next'
      import { postgresStore } from 'placard/postgres'
      import { sqliteStore } from 'placard/sqlite'
      const apiSecret = '${API_SECRET}'
    `
    const args = ['--input-type=module', '-e', imports + program]
    return spawnSync(process.execPath, args, { cwd: app.directory, encoding: 'utf8' })
  }

  const DATABASES = ['postgres://[', 'postgres://127.0.0.1:1/placard']
  it.each(DATABASES)('the database %j: 503, one line, no storm of attempts', (url) => {
    const { stdout, stderr } = run(`
      let opened = 0
      const placard = createNextPlacard(() => {
        opened++
        return { store: postgresStore('${url}'), apiSecret }
      })
      placard.watch()
      const statuses = new Set()
      for (let i = 0; i < 20; i++) {
        const answer = await placard.handlers.GET(new Request('http://x/api/events'))
        statuses.add(answer.status)
        // Next allows this only in a page, but it tries to open the service all the same.
        await placard.current().catch(() => {})
      }
      console.log(JSON.stringify({ statuses: [...statuses], opened }))
      process.exit()
    `)
    expect(JSON.parse(stdout)).toEqual({ statuses: [503], opened: 1 })
    expect(stderr.split('DATABASE_URL')).toHaveLength(2)
  })

  it('without EVENT_API_SECRET: the database is opened once, and closed again', () => {
    const { stdout } = run(`
      import { readdirSync, readlinkSync } from 'node:fs'
      let opened = 0
      const placard = createNextPlacard(() => {
        opened++
        return { store: sqliteStore('data/closed.db'), apiSecret: undefined }
      })
      for (let i = 0; i < 20; i++) await placard.handlers.GET(new Request('http://x/api/events'))
      const files = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync('/proc/self/fd/' + fd)
        } catch {
          return ''
        }
      })
      const open = files.filter((file) => file.includes('closed.db')).length
      console.log(JSON.stringify({ opened, open }))
    `)
    expect(JSON.parse(stdout)).toEqual({ opened: 1, open: 0 })
  })

  it('a log that fails stops nothing', () => {
    const { stdout, stderr } = run(`
      const fails = () => {
        throw new Error('the log is full')
      }
      const log = { info: fails, warn: fails, error: fails }
      const store = sqliteStore(':memory:')
      const placard = createNextPlacard(() => ({ store, apiSecret: undefined, log }))
      placard.watch()
      console.log((await placard.handlers.GET(new Request('http://x/api/events'))).status)
    `)
    expect([stdout, stderr]).toEqual(['503\n', ''])
  })

  it('contract W7: a write outside a request is no failure, as `watch` invalidates later', () => {
    const { stdout, stderr } = run(`
      const placard = createNextPlacard(() => ({ store: sqliteStore(':memory:'), apiSecret }))
      const draft = { text: 'From a timer', type: 'post', slug: '/x' }
      console.log((await placard.service().publish(draft)).text)
    `)
    expect(stdout + stderr).toBe('From a timer\n')
  })

  it('contract A2: a request that bypasses Node’s HTTP/1 server can not name an address', () => {
    const { stdout } = run(`
      const placard = createNextPlacard(() => ({ store: sqliteStore(':memory:'), apiSecret }))
      placard.watch()
      const statuses = []
      for (let i = 0; i < 11; i++) {
        const headers = { 'x-placard-peer': '10.0.0.' + i, 'x-forwarded-for': '10.0.1.' + i }
        const request = new Request('http://x/api/events', { method: 'POST', headers })
        statuses.push((await placard.handlers.POST(request)).status)
      }
      console.log(JSON.stringify(statuses))
      process.exit()
    `)
    expect(JSON.parse(stdout)).toEqual([...Array(10).fill(401), 429])
  })
})
