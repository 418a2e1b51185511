import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { pageOf } from '../browser/chromium.ts'
import { clear, coupon, current, httpMount, notify, publish, put, withdraw } from '../harness.ts'
import { textIn } from './visit.ts'

const FALLBACK = 'Vesper ships from Bergen in three days'
const GERMAN = 'Vesper kommt in drei Tagen aus Bergen'

const mount = httpMount(inject('url'))
const post = (text: string, more = {}) =>
  publish(mount, { type: 'post', text, slug: '/x', ...more })
beforeEach(() => clear(mount))
afterAll(() => clear(mount))

/** A page as a visitor gets it: what the bar says, and how often the layout has been rendered by now. */
async function page(path = '/en') {
  const response = await fetch(`${inject('url')}${path}`)
  const html = await response.text()
  return {
    text: textIn(html),
    rendered: Number(/data-rendered="(\d+)"/.exec(html)?.[1]),
    cache: response.headers.get('x-nextjs-cache'),
  }
}

describe('cached output in Next.js', () => {
  it('spec 1, contract W7: shows each of 50 changes on the next request, and is cached in between', async () => {
    for (let round = 0; round < 10; round++) {
      const changes: [() => Promise<Response>, string][] = [
        [() => post(`Post ${round}`), `Post ${round}`],
        [() => notify(mount, coupon('created', { name: `New ${round}` })), `New ${round}`],
        [() => notify(mount, coupon('updated', { name: `Newer ${round}` })), `Newer ${round}`],
        [() => notify(mount, coupon('deleted')), `Post ${round}`],
        [() => withdraw(mount, { type: 'post' }), FALLBACK],
      ]
      for (const [change, expected] of changes) {
        expect((await change()).ok).toBe(true)
        const { text, rendered } = await page()
        expect(text).toBe(expected)
        for (let again = 0; again < 5; again++) {
          expect(await page()).toEqual({ text, rendered, cache: 'HIT' })
        }
      }
    }
  })

  it('contract W6: is invalidated again by a repeated notification', async () => {
    const notification = coupon('created', { name: 'Twice' })
    await notify(mount, notification)
    const { rendered } = await page()
    await notify(mount, notification)
    const { text, rendered: later } = await page()
    expect(text).toBe('Twice')
    expect(later).toBeGreaterThan(rendered)
  })

  it('contract A9: stops showing an announcement at its end', async () => {
    const expiresAt = Date.now() + 1_500
    await post('Ends soon', { expiresAt })
    const { text, rendered } = await page()
    expect(text).toBe('Ends soon')
    expect((await page()).rendered).toBe(rendered)
    await expect
      .poll(async () => (await page()).text, { interval: 20, timeout: 5_000 })
      .toBe(FALLBACK)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(Date.now() - expiresAt).toBeLessThan(1_000)
  })

  it('is replaced within 2 s if it was being rendered during a change', async () => {
    let stop = false
    const reader = async () => {
      while (!stop) await page()
    }
    const readers = [reader(), reader(), reader()]
    for (let round = 0; round < 40; round++) await post(`Rush ${round}`)
    await expect.poll(async () => (await page()).text, { timeout: 2_000 }).toBe('Rush 39')
    stop = true
    await Promise.all(readers)
  })

  it('has the bar on every page, in its language', async () => {
    const paths = ['/en', '/de', '/en/journal', '/de/journal', '/en/live', '/de/live']
    for (const path of paths) {
      expect((await page(path)).text).toBe(path.startsWith('/en') ? FALLBACK : GERMAN)
    }
    await post('Everywhere')
    for (const path of paths) expect((await page(path)).text).toBe('Everywhere')
  })
})

describe('in Chromium', () => {
  const text = (page: Page) => page.locator('.placard-text').textContent()

  it("display rule 3: readers get the page in their language, and a coupon's link leads to its section", async () => {
    const page = await pageOf({ locale: 'de-DE' })
    await page.goto(inject('url'))
    expect(new URL(page.url()).pathname).toBe('/de')
    expect(await text(page)).toBe(GERMAN)
    await page.getByRole('link', { name: 'en', exact: true }).click()
    await page.waitForURL('**/en')
    expect(await text(page)).toBe(FALLBACK)
    await notify(mount, coupon('created', { name: 'Black Friday' }))
    await page.reload()
    await page.locator('.placard-link', { hasText: 'Black Friday' }).click()
    expect(new URL(page.url()).hash).toBe('#coupon')
    expect(await page.locator('#coupon').isVisible()).toBe(true)
  })

  it('the bar needs no client script, and the live option adds one that updates an open page', async () => {
    /** The scripts that a page loads, by their address. */
    async function scriptsOf(path: string): Promise<Map<string, string>> {
      const html = await (await mount.fetch(path)).text()
      const urls = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src]) => src ?? '')
      const load = async (src: string) => [src, await (await mount.fetch(src)).text()] as const
      return new Map(await Promise.all(urls.map(load)))
    }
    const journal = await scriptsOf('/en/journal')
    const plain = [...(await scriptsOf('/en')).values(), ...journal.values()]
    expect(plain.join()).not.toMatch(/placard|EventSource/)
    const added = [...(await scriptsOf('/en/live'))].filter(([url]) => !journal.has(url))
    expect(added.map(([, code]) => code).join()).toContain('EventSource')
    // Uncompressed, and including the code that opens the stream past a service worker.
    expect(added.reduce((sum, [, code]) => sum + code.length, 0)).toBeLessThan(2_200)

    const page = await pageOf()
    await page.goto(`${inject('url')}/en/live`)
    expect(await text(page)).toBe(FALLBACK)
    await post('While you watch')
    await page.getByText('While you watch').waitFor()
    // An edit keeps the id.
    const { id } = (await current(mount)) ?? {}
    await put(mount, id, { type: 'post', text: 'In other words', slug: '/x' })
    await page.getByText('In other words').waitFor()
    await withdraw(mount, { type: 'post' })
    await page.getByText(FALLBACK).waitFor()
  })
})
