import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStage, SAMPLES, type Stage } from './stage.ts'

const WORKER = "self.addEventListener('fetch', (e) => e.respondWith(fetch(e.request)))"

let stage: Stage
/** A site with a worker, which has to come from the site itself. */
const host = createServer((request, response) => {
  const isWorker = request.url === '/worker.js'
  response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html')
  const tag = `<script src="${stage.origin}/embed.js" async></script>`
  response.end(isWorker ? WORKER : `<!doctype html><title>A site</title><body>${tag}`)
})
beforeAll(async () => {
  stage = await openStage()
  await once(host.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  await stage.close()
  host.closeAllConnections()
  host.close()
})

it('contract R4, R5: a page whose service worker passes everything on shows each change at once', async () => {
  const page = await stage.page()
  const shows = (text: string) =>
    page.locator('placard-link .placard-text', { hasText: text }).waitFor({ timeout: 5_000 })
  await stage.placard.publish(SAMPLES.post)
  await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`)
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js')
    await navigator.serviceWorker.ready
  })
  const [stream] = await Promise.all([
    page.waitForResponse(/\/api\/events\/stream$/, { timeout: 5_000 }),
    page.reload(),
  ])
  expect(stream.fromServiceWorker()).toBe(true)
  await shows(SAMPLES.post.text)
  await stage.placard.publish(SAMPLES.product)
  await shows(SAMPLES.product.text)
})
