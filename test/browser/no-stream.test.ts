import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Link, startProxy } from '../postgres/proxy.ts'
import { SAMPLES, setHidden, stageForFile } from './stage.ts'

const stage = stageForFile()

const shows = (page: Page, text: string) =>
  page.locator('placard-link .placard-text', { hasText: text }).waitFor({ timeout: 5_000 })

it('contract N2: where no stream is offered, an open page asks once a minute, and when it comes back into view', async () => {
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  await page.clock.install()
  await page.route('**/api/events/stream', (route) =>
    route.fulfill({ status: 204, headers: { 'access-control-allow-origin': '*' } }),
  )
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const asks = () => asked.filter((path) => path === '/embed.html').length
  const streams = () => asked.filter((path) => path === '/api/events/stream').length

  await page.goto(stage.host(`<script src="${stage.origin}/embed.js"></script>`))
  await shows(page, SAMPLES.post.text)
  await stage.placard.publish(SAMPLES.coupon)
  await page.clock.runFor(59_000)
  expect([asks(), streams()]).toEqual([1, 1])
  await page.clock.runFor(2_000)
  await shows(page, SAMPLES.coupon.text)
  expect(asks()).toBe(2)

  await setHidden(page, true)
  await stage.placard.publish(SAMPLES.product)
  const { length } = asked
  await page.clock.runFor(600_000)
  expect(asked.slice(length)).toEqual([])
  await setHidden(page, false)
  await shows(page, SAMPLES.product.text)
})

it('contract R4: a stream that dies without a word is opened again after a minute of silence', async () => {
  await stage.clear()
  await stage.placard.publish(SAMPLES.post)
  const proxy = await startProxy(stage.origin)
  let stream: Link | undefined
  let isSilent = false
  proxy.inspect = (chunk, _, link) => {
    if (chunk.includes('GET /api/events/stream')) stream ??= link
    return !(isSilent && link === stream)
  }
  const page = await stage.page()
  await page.clock.install()
  const opened = page.waitForResponse('**/api/events/stream')
  await page.goto(stage.host(`<script src="${new URL(proxy.url).origin}/embed.js"></script>`))
  await shows(page, SAMPLES.post.text)
  await opened
  isSilent = true
  await stage.placard.publish(SAMPLES.coupon)
  const again = page.waitForRequest('**/api/events/stream')
  await page.clock.runFor(61_000)
  expect((await again).url()).toContain(new URL(proxy.url).host)
  await shows(page, SAMPLES.coupon.text)
  await proxy.close()
})
