import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { includeScript } from '../../src/bar/scripts.ts'
import { API_SECRET } from '../harness.ts'
import { violations } from './axe.ts'
import {
  askedBy,
  brokenPolicies,
  layoutShift,
  SAMPLES,
  shows,
  stageForFile,
  warningsOf,
} from './stage.ts'

/** The bar in the page's own HTML (contract R15): how browsers show it, and how the embed script takes it over. */

const stage = stageForFile()
const { post, coupon, product } = SAMPLES

const HEAD =
  '<style>body { margin: 0 } placard-link:not([hidden]) { display: block; min-height: 3.25rem }</style>'

/** The element with the bar in it, as a site's server would render it. */
async function included(query = 'lang=en', attributes = ''): Promise<string> {
  const response = await fetch(`${stage.origin}/include.html?${query}`)
  expect(response.status).toBe(200)
  return `<placard-link ${attributes}>${await response.text()}</placard-link><p id="next">Below</p>`
}

const bar = (page: Page) => page.locator('placard-link .placard').first()
const link = (page: Page) => page.locator('placard-link .placard-link').first()
const surface = (page: Page) => bar(page).evaluate((one) => getComputedStyle(one).backgroundColor)
/** The shift if the browser paints the page before it has parsed a dismissed bar, whose space then closes. */
const CLOSING = 0.07
const LIGHT = 'rgb(255, 255, 255)'
const DARK = 'rgb(15, 15, 18)'

/** Visits a page, and holds the embed script back until `adopt()`, so that the page's own bar shows first. */
async function visit(body: string, options = {}) {
  const { page, release } = await stage.held(options)
  const asked = askedBy(page, /embed\.|include/)
  await page.goto(stage.host(body + stage.tag(), {}, HEAD), { waitUntil: 'commit' })
  await bar(page).waitFor()
  await bar(page).evaluate((one) => Object.assign(window, { first: one }))
  return {
    page,
    asked,
    /** Lets the script run, and waits until it opens its stream. */
    async adopt() {
      const stream = page.waitForRequest(/\/stream\?/)
      release()
      await stream
    },
    /** Whether the bar is still the one that came with the page. */
    isKept: () => bar(page).evaluate((one) => one === Reflect.get(window, 'first')),
  }
}

describe("without a script, the bar in the page's HTML", () => {
  const open = async (body: string, options = {}, headers = {}) =>
    stage.site(body, { javaScriptEnabled: false, head: HEAD, headers, ...options })

  it('contract R15: shows in its space, with its styles and its link', async () => {
    await stage.placard.publish(product)
    const page = await open(await included())
    expect(await bar(page).boundingBox()).toMatchObject({ y: 8, height: 36 })
    expect(await page.locator('#next').boundingBox()).toMatchObject({ y: 52 + 16 })
    expect(await link(page).getAttribute('href')).toBe(product.slug)
    expect(await link(page).getAttribute('target')).toBe('_blank')
    expect(await page.getByRole('link', { name: product.text }).count()).toBe(1)
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it.each([
    ['light', '', LIGHT],
    ['dark', '', DARK],
    ['light', '&theme=dark', DARK],
    ['dark', '&theme=light', LIGHT],
  ] as const)(
    'contract R15: on a %s system, with the parameter “%s”, is %s',
    async (colorScheme, theme, colour) => {
      await stage.placard.publish(post)
      const page = await open(await included(`lang=en${theme}`), { colorScheme })
      expect(await surface(page)).toBe(colour)
    },
  )

  it('contract R15: has the direction of its language, and no dismiss button', async () => {
    await stage.placard.publish({ ...post, translations: { ar: 'كتبنا عن التخزين' } })
    const page = await open(await included('lang=ar&dismissible'), {
      viewport: { width: 360, height: 640 },
    })
    expect(await bar(page).evaluate((one) => getComputedStyle(one).direction)).toBe('rtl')
    const { x, width } = (await bar(page).boundingBox()) ?? expect.fail()
    expect([x >= 0, x + width <= 360]).toEqual([true, true])
    expect(await page.locator('.placard-close').isVisible()).toBe(false)
  })

  it('contract R15: shows the fallback, or nothing if there is none, while nothing is announced', async () => {
    const empty = await open(await included())
    expect(await bar(empty).isVisible()).toBe(false)
    const page = await open(
      await included('lang=en&fallback-text=Read+the+guide&fallback-href=/guide'),
    )
    expect(await link(page).innerText()).toContain('Read the guide')
    expect(await link(page).getAttribute('href')).toBe('/guide')
  })

  it("contract R15: stays hidden, not unstyled, if the page's policy blocks its styles", async () => {
    await stage.placard.publish(post)
    const page = await open(
      await included(),
      {},
      { 'content-security-policy': "default-src 'none'" },
    )
    expect(await bar(page).isVisible()).toBe(false)
  })
})

describe('the embed script', () => {
  it.each([
    ['a light page', 'light', '', ''],
    ['a dark page on a light system', 'light', '&theme=dark', 'body { background: #111 }'],
    ['a light page on a dark system', 'dark', '&theme=light', 'body { background: #fff }'],
    [
      'a page with a dark background image',
      'light',
      '&theme=dark',
      'body { background: linear-gradient(#111, #000) }',
    ],
  ] as const)(
    'contract R15: keeps a current bar, without a request, on %s',
    async (_, colorScheme, theme, style) => {
      await stage.placard.publish({ ...post, text: 'Is 2 < 3 & 🎉 "quoted"?' })
      const body = `<style>${style}</style>${await included(`lang=en${theme}`)}`
      const { page, asked, adopt, isKept } = await visit(body, { colorScheme })
      const colour = await surface(page)
      await page.evaluate(() => {
        const seen = new Set<string>()
        Object.assign(window, { seen })
        const look = () => {
          const one = Reflect.get(window, 'first') as Element
          const place = one.closest('.placard-place') as Element
          const { backgroundColor } = getComputedStyle(one)
          seen.add(`${backgroundColor} ${getComputedStyle(place).opacity} ${one.isConnected}`)
          requestAnimationFrame(look)
        }
        look()
      })
      await adopt()
      expect(await isKept()).toBe(true)
      expect(asked.map((url) => new URL(url).pathname)).toEqual(['/embed.js'])
      expect(await layoutShift(page)).toBe(0)
      expect(await page.evaluate(() => [...(Reflect.get(window, 'seen') as string[])])).toEqual([
        `${colour} 1 true`,
      ])
      await stage.placard.publish(product)
      await shows(page, product.text)
      expect(await link(page).getAttribute('href')).toBe(product.slug)
      expect(await page.locator('placard-link [role=status]').textContent()).toBe(product.text)
      expect(await violations(page, 'placard-link')).toEqual([])
    },
  )

  it.each([
    ['coupon', coupon, 'lang=en&base=/blog&coupon-href=/pricing', '/pricing'],
    ['fallback', undefined, 'lang=en&fallback-text=Read+it&fallback-href=/guide', '/guide'],
    ['bar that can be dismissed', post, 'lang=en&dismissible', post.slug],
    ['bar in a language other than the page’s', post, 'lang=de-AT', post.slug],
  ])('contract R15: keeps a %s, and what its parameters ask for', async (_, draft, query, href) => {
    if (draft) await stage.placard.publish(draft)
    const { page, asked, adopt, isKept } = await visit(await included(query))
    await adopt()
    expect([await isKept(), await link(page).getAttribute('href')]).toEqual([true, href])
    expect(asked).toHaveLength(1)
  })

  it('contract R15: keeps a bar whose link has its target on the page, and points the link there', async () => {
    await stage.placard.publish(coupon)
    const body = `${await included('lang=en&base=/pricing')}<p id="coupon">Here</p>`
    const { page, adopt, isKept } = await visit(body)
    expect(await link(page).getAttribute('href')).toBe('/pricing#coupon')
    await adopt()
    const href = new URL('#coupon', page.url()).href
    expect([await isKept(), await link(page).getAttribute('href')]).toEqual([true, href])
    await link(page).click()
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/#coupon')
  })

  it('contract R15: replaces an outdated bar, and later a withdrawn one with the fallback', async () => {
    await stage.placard.publish(post)
    const body = await included('lang=en&fallback-text=Nothing+new')
    await stage.placard.publish(product)
    const { page, asked, adopt, isKept } = await visit(body)
    expect(await link(page).innerText()).toContain(post.text)
    await adopt()
    await shows(page, product.text)
    expect([await isKept(), asked.length, await layoutShift(page)]).toEqual([false, 1, 0])
    await stage.placard.withdraw({ type: 'product' })
    await stage.placard.withdraw({ type: 'post' })
    await shows(page, 'Nothing new')
  })

  it('contract R15: keeps the bar if only a translation into another language has changed', async () => {
    await stage.placard.publish({ ...post, language: 'en', translations: { de: 'Alt' } })
    const { adopt, isKept } = await visit(await included())
    const event = await stage.placard.current()
    const edited = { ...post, language: 'en', translations: { de: 'Neu' } }
    const url = `http://placard.test/api/events/${event?.id}`
    const headers = { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json' }
    const edit = { method: 'PUT', headers, body: JSON.stringify(edited) }
    expect((await stage.placard.fetch(new Request(url, edit))).status).toBe(200)
    await adopt()
    expect(await isKept()).toBe(true)
  })

  it('contract R15: shows the bar if a router or an older browser left the template unprocessed', async () => {
    await stage.placard.publish(post)
    const page = await stage.page()
    const warnings = warningsOf(page)
    await page.goto(stage.host(`<main></main>${stage.tag()}`, {}, HEAD))
    await page.evaluate(
      (html) => {
        const main = document.querySelector('main') as HTMLElement
        main.innerHTML = html
      },
      await included(),
    )
    await shows(page, post.text)
    const own = page.locator('main placard-link')
    expect(await own.evaluate((one) => [one.childElementCount, one.clientHeight])).toEqual([1, 52])
    expect(warnings).toEqual([])
  })

  it('contract R15: shows only one bar if it runs before the page’s own bar is parsed', async () => {
    await stage.placard.publish(post)
    const script = stage.tag().replace(' async', '')
    const page = await stage.site(await included(), { head: HEAD + script })
    await shows(page, post.text)
    expect(await bar(page).evaluate((one) => one.clientHeight)).toBe(36)
    expect(await layoutShift(page)).toBe(0)
  })
})

describe('an announcement that the reader dismissed', () => {
  const dismiss = async (page: Page) => {
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    await bar(page).waitFor({ state: 'hidden' })
  }
  const height = (page: Page) => page.locator('placard-link').evaluate((one) => one.clientHeight)

  it.each([
    ['its space closes', ''],
    ['with data-keep-space, its space stays', 'data-keep-space'],
  ])(
    'contract R15: is never painted again, even without the embed script, if the policy has our hash; %s',
    async (_, attributes) => {
      await stage.placard.publish(post)
      const hash = createHash('sha256').update(includeScript).digest('base64')
      const headers = {
        'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; require-trusted-types-for 'script'`,
      }
      const body = await included('lang=en&dismissible', attributes)
      const page = await stage.site(body, { head: HEAD, headers })
      const [open, closed] = [52, attributes ? 52 : 0]
      expect(await height(page)).toBe(open)
      await dismiss(page)
      await expect.poll(() => height(page)).toBe(closed)
      await page.reload()
      expect([await bar(page).isVisible(), await height(page)]).toEqual([false, closed])
      expect(await layoutShift(page)).toBeLessThan(CLOSING)
      expect(await brokenPolicies(page)).toEqual([])
      await stage.placard.publish({ ...post, text: 'Another text' })
      await page.goto(stage.host(await included('lang=en&dismissible', attributes), headers, HEAD))
      expect(await bar(page).isVisible()).toBe(true)
    },
  )

  it("contract R15: still shows in the page's other bar, which can't be dismissed", async () => {
    await stage.placard.publish(post)
    const body = (await included()) + (await included('lang=en&dismissible'))
    const page = await stage.site(body, { head: HEAD })
    const second = page.locator('placard-link .placard').nth(1)
    await second.locator('.placard-close').click()
    await second.waitFor({ state: 'hidden' })
    await page.reload()
    expect([await bar(page).isVisible(), await second.isVisible()]).toEqual([true, false])
  })

  it('contract R15: stays dismissed on the next page after the embed script has taken the bar over', async () => {
    await stage.placard.publish(post)
    const body = await included('lang=en&dismissible')
    const { page, adopt, isKept } = await visit(body)
    await adopt()
    await dismiss(page)
    expect(await isKept()).toBe(true)
    await expect.poll(() => height(page)).toBe(0)
    await page.reload()
    await bar(page).waitFor({ state: 'attached' })
    expect([await bar(page).isVisible(), await height(page)]).toEqual([false, 0])
    expect(await layoutShift(page)).toBeLessThan(CLOSING)
  })
})

describe('under a strict policy', () => {
  it('contract R15: a nonce allows the styles and the script of the bar', async () => {
    await stage.placard.publish(post)
    const body = await included('lang=en&dismissible&nonce=abc123')
    const headers = {
      'content-security-policy':
        "default-src 'none'; style-src 'nonce-abc123'; script-src 'nonce-abc123'",
    }
    const page = await stage.site(body, {
      head: HEAD.replace('<style', '<style nonce="abc123"'),
      headers,
    })
    expect(await bar(page).boundingBox()).toMatchObject({ height: 36 })
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    await bar(page).waitFor({ state: 'hidden' })
    expect(await brokenPolicies(page)).toEqual([])
  })

  it('contract R15: the bar stays hidden until its linked stylesheet has loaded', async () => {
    await stage.placard.publish(post)
    const { page, release } = await stage.held({ javaScriptEnabled: false })
    const body = await included(`lang=en&styles=${stage.origin}/placard.css`)
    const headers = { 'content-security-policy': `default-src 'none'; style-src ${stage.origin}` }
    await page.goto(stage.host(body, headers), { waitUntil: 'commit' })
    await bar(page).waitFor({ state: 'attached' })
    expect(await bar(page).isVisible()).toBe(false)
    release()
    await bar(page).waitFor()
    expect(await bar(page).boundingBox()).toMatchObject({ height: 36 })
  })
})
