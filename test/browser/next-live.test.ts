import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { API_SECRET } from '../harness.ts'
import { bundled } from './bundle.ts'
import { SAMPLES, stageForFile, stopClock } from './stage.ts'

const stage = stageForFile()
let script: string
// `PlacardLive` on a page that was rendered with the global `etag`, with a router that counts its refreshes.
beforeAll(async () => {
  const props = `{ etag: globalThis.etag, stream: '${stage.origin}/api/events/stream' }`
  const router = `
    window.refreshes = 0
    const router = { refresh: () => window.refreshes++ }
    export const useRouter = () => router`
  script = await bundled(
    `import { createElement } from 'react'
    import { createRoot } from 'react-dom/client'
    import { PlacardLive } from './src/next/live.tsx'
    createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(PlacardLive, ${props}))`,
    {
      plugins: [
        {
          name: 'the router of Next.js',
          setup({ onResolve, onLoad }) {
            const found = { path: 'router', namespace: 'router' }
            onResolve({ filter: /^next\/navigation/ }, () => found)
            onLoad({ filter: /./, namespace: 'router' }, () => ({ contents: router }))
          },
        },
      ],
    },
  )
})

/**
 * Lets the page, which is on another origin, read the ETag.
 *
 * @param suffix like the one that Apache adds to the ETag of a compressed response
 */
async function exposeTag(page: Page, suffix = '') {
  await page.route('**/api/events', async (route) => {
    const response = await route.fetch()
    const own = response.headers()
    const etag = `W/${own.etag?.replace(/"$/, `${suffix}"`)}`
    await route.fulfill({
      response,
      headers: { ...own, etag, 'access-control-expose-headers': 'ETag' },
    })
  })
}

const refreshes = (page: Page) => page.evaluate<number>('refreshes')

async function visit(page: Page) {
  await stopClock(page)
  await page.goto(stage.host(`<script>${script}</script>`))
}

it('contract N4: a page with PlacardLive keeps refreshing for over 10 s after a change, while renders may be stale', async () => {
  const page = await stage.page()
  await visit(page)
  await stage.placard.publish(SAMPLES.post)
  await expect.poll(() => refreshes(page)).toBe(1)
  // At the first refresh, Next.js may not have invalidated its cache yet.
  await page.clock.runFor(400)
  expect(await refreshes(page)).toBe(2)
  await page.clock.runFor(10_000)
  const before = await refreshes(page)
  await page.clock.runFor(10_000)
  expect(await refreshes(page)).toBeGreaterThan(before)
  // No further refresh follows until a minute of silence makes the page reconnect.
  await page.clock.runFor(35_000)
  expect(await refreshes(page)).toBe(7)
})

it('contract R4, A18: a page with PlacardLive refreshes after an edit, though the id stays the same', async () => {
  const { id } = await stage.placard.publish(SAMPLES.post)
  const { etag } = await stage.placard.snapshot()
  const page = await stage.page()
  await page.addInitScript(`globalThis.etag = '${etag}'`)
  const heard = page.waitForResponse('**/api/events/stream')
  await visit(page)
  await heard
  await page.clock.runFor(1_000)
  expect(await refreshes(page)).toBe(0)
  const edit = new Request(`${stage.origin}/api/events/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...SAMPLES.post, text: 'Other words' }),
  })
  expect((await stage.placard.fetch(edit)).status).toBe(200)
  await expect.poll(() => refreshes(page)).toBe(1)
})

it('contract N2: without a stream, an outdated page with PlacardLive refreshes every minute', async () => {
  const page = await stage.page()
  await page.route('**/api/events/stream', (route) =>
    route.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } }),
  )
  await exposeTag(page)
  const refused = page.waitForResponse('**/api/events/stream')
  await visit(page)
  await refused
  await stage.placard.publish(SAMPLES.post)
  await page.clock.runFor(60_000)
  await expect.poll(() => refreshes(page)).toBe(1)
  await page.clock.runFor(40_000)
  const before = await refreshes(page)
  await page.clock.runFor(20_000)
  await expect.poll(() => refreshes(page)).toBe(before + 1)
})

it("contract N2: without a stream, a current page doesn't refresh, even if a proxy changes the ETag", async () => {
  await stage.placard.publish(SAMPLES.post)
  const { etag } = await stage.placard.snapshot()
  const page = await stage.page()
  await page.addInitScript(`globalThis.etag = '${etag}'`)
  await page.route('**/api/events/stream', (route) =>
    route.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } }),
  )
  await exposeTag(page, '-gzip')
  const refused = page.waitForResponse('**/api/events/stream')
  await visit(page)
  await refused
  const asked = page.waitForResponse('**/api/events')
  await page.clock.runFor(60_000)
  await asked
  await page.clock.runFor(1_000)
  expect(await refreshes(page)).toBe(0)
})
