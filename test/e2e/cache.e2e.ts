import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createPlacard } from '../../src/placard.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
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

const FALLBACK = 'Vesper ships from Bergen in three days'

/** A page as a visitor gets it: what the bar says, and how often the layout has been rendered by now. */
async function page(path = '/en') {
  const response = await fetch(`${inject('url')}${path}`)
  const html = await response.text()
  return {
    text: /placard-text"[^>]*>([^<]*)</.exec(html)?.[1],
    rendered: Number(/data-rendered="(\d+)"/.exec(html)?.[1]),
    cache: response.headers.get('x-nextjs-cache'),
  }
}

describe('cached output in Next.js', () => {
  const mount = httpMount(inject('url'), API_SECRET, STRIPE_SECRET)
  beforeAll(() => clear(mount))
  afterAll(() => clear(mount))

  it('spec 1, contract W7: each of 50 changes is on the next page asked for, and pages between are cached', async () => {
    for (let round = 0; round < 10; round++) {
      const post = { type: 'post', text: `Post ${round}`, slug: '/x' }
      const changes: [() => Promise<Response>, string][] = [
        [() => publish(mount, post), post.text],
        [() => notify(mount, coupon('created', { name: `New ${round}` })), `New ${round}`],
        [() => notify(mount, coupon('updated', { name: `Newer ${round}` })), `Newer ${round}`],
        [() => notify(mount, coupon('deleted')), post.text],
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

  it('contract W6: a repeated notification invalidates again', async () => {
    const notification = coupon('created', { name: 'Twice' })
    await notify(mount, notification)
    const { rendered } = await page()
    await notify(mount, notification)
    const { text, rendered: later } = await page()
    expect(text).toBe('Twice')
    expect(later).toBeGreaterThan(rendered)
  })

  it('contract A9: from its end on, an announcement is not on cached pages either', async () => {
    await clear(mount)
    const expiresAt = Date.now() + 1_500
    await publish(mount, { type: 'post', text: 'Ends soon', slug: '/x', expiresAt })
    const { text, rendered } = await page()
    expect(text).toBe('Ends soon')
    expect((await page()).rendered).toBe(rendered)
    await expect
      .poll(async () => (await page()).text, { interval: 20, timeout: 5_000 })
      .toBe(FALLBACK)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(Date.now() - expiresAt).toBeLessThan(1_000)
  })

  it('contract R3: what another process writes to the same database is on the page within a second', async () => {
    await page()
    const other = createPlacard({ store: sqliteStore(inject('database')), apiSecret: API_SECRET })
    await other.publish({ type: 'post', text: 'From elsewhere', slug: '/x' })
    const written = Date.now()
    await expect
      .poll(async () => (await page()).text, { interval: 20, timeout: 5_000 })
      .toBe('From elsewhere')
    expect(Date.now() - written).toBeLessThan(1_000)
    await other.close()
  })

  it('a page that was being rendered during a change is dropped soon after', async () => {
    let stop = false
    const reader = async () => {
      while (!stop) await page()
    }
    const readers = [reader(), reader(), reader()]
    for (let round = 0; round < 40; round++) {
      await publish(mount, { type: 'post', text: `Rush ${round}`, slug: '/x' })
    }
    await expect.poll(async () => (await page()).text, { timeout: 2_000 }).toBe('Rush 39')
    stop = true
    await Promise.all(readers)
  })

  it('the bar is on every page, each in its language', async () => {
    await clear(mount)
    for (const path of ['/en', '/en/journal', '/en/live']) {
      expect((await page(path)).text).toBe(FALLBACK)
    }
    expect((await page('/de')).text).toBe('Vesper kommt in drei Tagen aus Bergen')
    await publish(mount, { type: 'post', text: 'Everywhere', slug: '/x' })
    for (const path of ['/en', '/de', '/en/journal', '/de/journal', '/en/live', '/de/live']) {
      expect((await page(path)).text).toBe('Everywhere')
    }
  })
})
