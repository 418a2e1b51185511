import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { afterTest } from '../after-file.ts'
import { listen, ROOM, SAMPLES, setHidden, shows, stageForFile } from './stage.ts'

/** Sites whose service worker responds from its cache if it can, like some of Workbox's strategies. */

const stage = stageForFile()
const { post, coupon, product } = SAMPLES

/** @param answer an expression for the response, from `kept` (the cached response) and `network()` */
const worker = (answer: string) => `
  addEventListener('install', () => skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(clients.claim()))
  addEventListener('fetch', (event) => {
    const { request } = event
    const network = async () => {
      const response = await fetch(request)
      const copy = response.clone()
      event.waitUntil(caches.open('all').then((cache) => cache.put(request, copy)))
      return response
    }
    event.respondWith(caches.match(request).then((kept) => ${answer}))
  })`

const STRATEGIES = {
  'stale-while-revalidate': '{ const fresh = network(); return kept || fresh }',
  'cache-first': 'kept || network()',
}

/** Opens a site whose service worker controls its pages; `/strict` has the policy. */
async function sited(answer: string, policy = '') {
  const html = `<!doctype html><title>A site</title>${ROOM}${stage.tag()}`
  // No bar here: the service worker may take control of this page after the element has checked for one.
  const first = `<!doctype html><script>navigator.serviceWorker.register('/worker.js')</script>`
  const site = await listen(({ url }) =>
    url.endsWith('/worker.js')
      ? new Response(worker(answer), { headers: { 'content-type': 'text/javascript' } })
      : new Response(url.endsWith('/first') ? first : html, {
          headers: {
            'content-type': 'text/html',
            'content-security-policy': url.endsWith('/strict') ? policy : '',
          },
        }),
  )
  afterTest(site.close)
  const page = await stage.page()
  await page.goto(`${site.url}/first`)
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.waitForFunction(() => navigator.serviceWorker.controller)
  return { page, url: site.url }
}

const isOne = () => expect.poll(() => stage.streams()).toBe(1)

async function follows(page: Page) {
  for (const draft of [coupon, product, post, coupon]) {
    await stage.placard.publish(draft)
    await shows(page, draft.text)
  }
}

it.each(Object.entries(STRATEGIES))(
  'contract R4: changes arrive on one stream under a service worker with the strategy %s',
  async (_, answer) => {
    await stage.placard.publish(post)
    const { page, url } = await sited(answer)
    for (let load = 0; load < 3; load++) {
      await page.goto(url)
      await isOne()
      await follows(page)
    }
    for (let look = 0; look < 8; look++) {
      await setHidden(page, true)
      await setHidden(page, false)
    }
    await isOne()
    await follows(page)
  },
)

it.each([
  ['restricts workers', "worker-src 'self'"],
  ['requires Trusted Types', "require-trusted-types-for 'script'"],
])(
  'contract R4: changes arrive under the service worker of a site whose policy %s',
  async (_, policy) => {
    await stage.placard.publish(post)
    const { page, url } = await sited('network()', policy)
    await page.goto(`${url}/strict`)
    await follows(page)
    expect(stage.streams()).toBeGreaterThan(0)
  },
)
