import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import {
  API_SECRET,
  clear,
  coupon,
  httpMount,
  notify,
  publish,
  STRIPE_SECRET,
  withdraw,
} from '../harness.ts'

const FALLBACK = { en: 'Vesper ships from Bergen in three days', de: 'Vesper kommt in drei Tagen' }

describe('the example in Chromium', () => {
  const mount = httpMount(inject('url'), API_SECRET, STRIPE_SECRET)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  beforeEach(() => clear(mount))
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(() => browser.close())

  async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.on('pageerror', (error) => {
      throw error
    })
    await page.goto(inject('url') + path)
    return page
  }
  const text = (page: Page) => page.locator('.placard-text').textContent()

  it('spec 1: shows the fallback, and after a notification the coupon', async () => {
    const page = await visit('/en')
    expect(await text(page)).toBe(FALLBACK.en)
    await notify(mount, coupon('created', { name: 'Black Friday' }))
    await page.reload()
    expect(await text(page)).toBe('Black Friday')
    await page.locator('.placard-link').click()
    expect(new URL(page.url()).hash).toBe('#coupon')
    expect(await page.locator('#coupon').isVisible()).toBe(true)
  })

  it('display rule 3: a product opens in a new tab, a post in the same', async () => {
    await publish(mount, { type: 'product', text: 'Vesper Mini is here', slug: '/en/journal' })
    const page = await visit('/en')
    const opened = page.context().waitForEvent('page')
    await page.locator('.placard-link').click()
    const tab = await opened
    await tab.waitForURL('**/en/journal')
    expect(page.url()).toBe(`${inject('url')}/en`)
    await tab.close()

    await clear(mount)
    await publish(mount, { type: 'post', text: 'From the journal', slug: '/en/journal' })
    await page.reload()
    await page.locator('.placard-link').click()
    await page.waitForURL('**/en/journal')
    expect(page.context().pages()).toHaveLength(1)
  })

  it('each locale has its own fallback; the switch leads from one to the other', async () => {
    const german = await visit('/', { locale: 'de-DE' })
    expect(new URL(german.url()).pathname).toBe('/de')
    expect(await text(german)).toContain(FALLBACK.de)
    await german.getByRole('link', { name: 'en', exact: true }).click()
    await german.waitForURL('**/en')
    expect(await text(german)).toBe(FALLBACK.en)
    expect(await german.locator('html').getAttribute('lang')).toBe('en')
  })

  it('display rules 6, 7: nothing moves for a reader who asked for that', async () => {
    const animations = (page: Page) =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            // A view timeline moves nothing by itself.
            .filter(
              ({ playState, timeline }) =>
                playState === 'running' && timeline === document.timeline,
            ).length,
      )
    expect(await animations(await visit('/en', { reducedMotion: 'no-preference' }))).toBe(3)
    expect(await animations(await visit('/en', { reducedMotion: 'reduce' }))).toBe(0)
  })

  it('spec 2, rule 8: fits from 320 to 1920 px', async () => {
    await publish(mount, { type: 'post', text: 'A line that is too long '.repeat(12), slug: '/x' })
    const page = await visit('/en')
    for (const width of [320, 360, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0)
      expect((await page.locator('.placard').boundingBox())?.height).toBeLessThan(40)
    }
  })

  it('the bar costs no client script; the live option is a chunk of its own, and works', async () => {
    const plain = await scriptsOf('/en')
    const journal = await scriptsOf('/en/journal')
    const live = await scriptsOf('/en/live')
    expect([...plain.values(), ...journal.values()].join()).not.toMatch(/placard|EventSource/)
    const added = [...live].filter(([url]) => !journal.has(url))
    expect(added.map(([, code]) => code).join()).toContain('EventSource')
    const bytes = added.reduce((sum, [, code]) => sum + code.length, 0)
    expect(bytes).toBeLessThan(2_000)

    const page = await visit('/en/live')
    expect(await text(page)).toBe(FALLBACK.en)
    await publish(mount, { type: 'post', text: 'While you watch', slug: '/x' })
    await page.getByText('While you watch').waitFor()
    await withdraw(mount, { type: 'post' })
    await page.getByText(FALLBACK.en).waitFor()
  })

  /** The scripts that a page loads, by their address. */
  async function scriptsOf(path: string): Promise<Map<string, string>> {
    const html = await (await fetch(inject('url') + path)).text()
    const urls = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src]) => src ?? '')
    const load = async (src: string) =>
      [src, await (await fetch(inject('url') + src)).text()] as const
    return new Map(await Promise.all(urls.map(load)))
  }
})
