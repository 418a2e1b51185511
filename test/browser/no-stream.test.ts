import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStage, SAMPLES, type Stage, setHidden } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

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

  await page.goto(stage.host(`<script src="${stage.origin}/embed.js"></script>`))
  await shows(page, SAMPLES.post.text)
  await stage.placard.publish(SAMPLES.coupon)
  await page.clock.runFor(59_000)
  expect(asks()).toBe(1)
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
  await page.context().close()
})
