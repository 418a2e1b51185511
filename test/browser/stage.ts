import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Announcement } from '../../src/core/announcement.ts'
import type { Clock } from '../../src/core/clock.ts'
import { createApp } from '../../src/http/app.ts'
import { documentsOf } from '../../src/http/documents.ts'
import { internalsOf } from '../../src/internals.ts'
import { createSite } from '../../src/page/create-site.ts'
import { type Locales, loadLocales } from '../../src/page/locales.ts'
import { createPlacard } from '../../src/placard.ts'
import type { Snapshot } from '../../src/showing/snapshot.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { afterTest } from '../after-file.ts'
import { API_SECRET } from '../harness.ts'
import { visitor } from './chromium.ts'

/** One sample of each type, with and without an icon. */
export const SAMPLES = {
  post: { text: 'We wrote about caching', type: 'post', slug: '/blog/caching', icon: 'newspaper' },
  coupon: { text: '25% off every plan', type: 'coupon', slug: '#coupon' },
  product: { text: 'Version 2 is here', type: 'product', slug: '/v2', icon: 'Rocket' },
} as const

/** The element with its reserved space, as in the guide. */
export const ROOM = '<placard-link style="display: block; min-height: 3.25rem"></placard-link>'

interface SiteOptions extends BrowserContextOptions {
  headers?: Record<string, string>
  head?: string
}

/** Starts the real service and, on another origin, a site that embeds its bar, for one browser to visit. */
export async function openStage(clock?: Clock) {
  const store = sqliteStore(':memory:')
  const shipped = await loadLocales()
  let site = createSite(shipped)
  let held: Snapshot | undefined
  const placard = createPlacard({
    store,
    apiSecret: API_SECRET,
    ...(clock && { clock }),
    site: { ...site, bars: (kind, snapshot) => site.bars(kind, held ?? snapshot) },
  })
  const parts = internalsOf(placard).service
  const showing = { ...parts.showing, read: () => held ?? parts.showing.read() }
  const service = await listen((request) => {
    if (new URL(request.url).pathname.startsWith('/api/')) return placard.fetch(request)
    return createApp({ ...parts, showing, site, documents: documentsOf(site) })(request)
  })

  let hosted = { html: '', headers: {} as Record<string, string> }
  const host = await listen(() => {
    const headers = { 'content-type': 'text/html; charset=utf-8', ...hosted.headers }
    return new Response(hosted.html, { headers })
  })

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await visitor({ viewport: { width: 1280, height: 800 }, ...options })
    await context.addInitScript(() => {
      const shifts: number[] = []
      const broken: string[] = []
      Object.assign(window, { shifts, broken })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          shifts.push((entry as PerformanceEntry & { value: number }).value)
        }
      }).observe({ type: 'layout-shift', buffered: true })
      addEventListener('securitypolicyviolation', (e) => broken.push(e.violatedDirective), true)
    })
    return context.newPage()
  }

  function hostPage(body: string, headers: Record<string, string> = {}, head = '') {
    const html = `<!doctype html><html lang="en"><head><title>A site</title>${head}</head><body>${body}</body></html>`
    hosted = { html, headers }
    return host.url
  }

  return {
    placard,
    origin: service.url,
    hostOrigin: host.url,
    /** Edits an announcement (contract A18). */
    edit(id: string, draft: object) {
      const headers = { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json' }
      const address = `${service.url}/api/events/${id}`
      const body = JSON.stringify(draft)
      return placard.fetch(new Request(address, { method: 'PUT', headers, body }))
    },
    /** How many streams are open on the service. */
    streams: () => parts.streams.size,
    /** Makes the site serve a page with this content, and returns its address. */
    host: hostPage,
    /** The script tag from the guide, with these attributes. */
    tag: (attributes = '') => `<script src="${service.url}/embed.js" async ${attributes}></script>`,
    /** Visits a page of the site with this content. */
    async site(body: string, { headers, head, ...options }: SiteOptions = {}): Promise<Page> {
      const page = await open(options)
      await page.goto(hostPage(body, headers, head))
      return page
    },
    /** Opens a page on which our script and stylesheet load only after `release()`. */
    async held(options: BrowserContextOptions = {}) {
      const release = holdBack(/^[^?]*\/(embed\.js|placard\.css)/)
      return { page: await open(options), release }
    },
    /** Shows a row without validation, as one may be in an old database. */
    hold(event: Announcement | undefined, locales?: Locales) {
      site = createSite(locales ?? shipped)
      held = event && { event, body: new Uint8Array(), etag: '"held"', stale: false }
    },
    shipped,
    async clear() {
      held = undefined
      site = createSite(shipped)
      for (const type of ['post', 'coupon', 'product'] as const) await placard.withdraw({ type })
    },
    page: open,
    async close() {
      await placard.close()
      service.close()
      host.close()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** Opens one stage for all tests of a file, and clears it before each test. */
export function forFile<S extends Pick<Stage, 'clear' | 'close'>>(open: () => Promise<S>): S {
  const stage = {} as S
  beforeAll(async () => void Object.assign(stage, await open()))
  beforeEach(() => stage.clear())
  afterAll(() => stage.close())
  return stage
}

/** @param clock the service's; default: the machine's */
export const stageForFile = (clock?: Clock): Stage => forFile(() => openStage(clock))

/**
 * Waits until a bar on a site shows the text; a bar that fades out doesn't count. Playwright's selectors see into open
 * shadow roots.
 */
export const shows = (page: Page, text: string) =>
  page.locator('placard-link .placard-text:not([inert] *)', { hasText: text }).first().waitFor()

/** Waits until the bar on a site shows, and returns it. */
export async function barOf(page: Page) {
  const bar = page.locator('placard-link .placard').first()
  await bar.waitFor()
  return bar
}

/** Takes a page out of view, or brings it back. */
export function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}

/**
 * Stops the clock of every document that the page opens from now on at this time, until the test lets time pass.
 *
 * @param time milliseconds since 1970
 */
export async function stopClock(page: Page, time = 0): Promise<void> {
  // An installed clock runs until it is paused, and can be paused only at a later time.
  await page.clock.install({ time: time - 3_600_000 })
  await page.clock.pauseAt(time)
}

/** Returns nothing to close the connection without a response. */
type Handler = (handle: () => Promise<Response>) => Promise<Response | undefined>

const interceptions = new Set<{ path: RegExp; handler: Handler }>()

/**
 * Makes our servers handle requests for a path in another way until the returned function is called. A browser could
 * intercept them too, but an open page may send a request past an interception that has just begun.
 */
export function intercept(path: RegExp, handler: Handler): () => void {
  const interception = { path, handler }
  interceptions.add(interception)
  const stop = () => void interceptions.delete(interception)
  afterTest(stop)
  return stop
}

/** Makes our servers hold back requests for a path until the returned function is called. */
export function holdBack(path: RegExp): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = intercept(path, async (handle) => {
    await promise
    return handle()
  })
  const release = () => {
    stop()
    resolve()
  }
  afterTest(release)
  return release
}

/** Makes our servers close connections without a response until the returned function is called. */
export const hangUp = (path: RegExp): (() => void) => intercept(path, async () => undefined)

/** Collects the URLs that a page requests from now on, if they match. */
export function askedBy(page: Page, of = /./): string[] {
  const asked: string[] = []
  page.on('request', (request) => of.test(request.url()) && asked.push(request.url()))
  return asked
}

/** Collects our own warnings in a page's console. */
export function warningsOf(page: Page): string[] {
  const said: string[] = []
  page.on('console', (message) => message.text().startsWith('Placard') && said.push(message.text()))
  return said
}

/** The sum of all layout shifts so far, once pending changes have been painted. */
export async function layoutShift(page: Page): Promise<number> {
  return page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
    const { shifts } = window as unknown as { shifts: number[] }
    return shifts.reduce((sum, shift) => sum + shift, 0)
  })
}

/** The Content-Security-Policy directives that the page has violated. */
export function brokenPolicies(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { broken: string[] }).broken)
}

/** Starts a server on a free port that responds with the function's responses. */
export async function listen(fetch: (request: Request) => Response | Promise<Response>) {
  const listener = getRequestListener(
    async (request, { outgoing }) => {
      const handle = async () => fetch(request)
      const interception = [...interceptions].find(({ path }) => path.test(request.url))
      const response = await (interception?.handler(handle) ?? handle())
      if (!response) outgoing.destroy()
      return response ?? RESPONSE_ALREADY_SENT
    },
    { overrideGlobalObjects: false },
  )
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
