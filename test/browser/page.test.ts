import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Announcement } from '../../src/core/announcement.ts'
import { box } from '../engines/measure.ts'
import { violations } from './axe.ts'
import { brokenPolicies, layoutShift, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()

/** How the English page's fallback begins. */
const NOTHING = 'The next announcement'

const shows = (page: Page, text: string) =>
  page.locator('[data-part=line] .placard-text:not([inert] *)', { hasText: text }).waitFor()

describe('the page at /', () => {
  it('is complete without JavaScript', async () => {
    await stage.placard.publish(SAMPLES.product)
    const page = await stage.page({ javaScriptEnabled: false })
    await page.goto(`${stage.origin}/?lang=en`)
    await shows(page, SAMPLES.product.text)
    const text = await page.locator('body').innerText()
    const english = stage.shipped.negotiate('en', null)
    for (const part of [english.page.title, english.page.heading, english.page.lead, 'Deutsch']) {
      expect(text).toContain(part)
    }
  })

  it('shows a change at once, tells screen readers, shifts nothing and breaks no policy', async () => {
    const page = await stage.page()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${stage.origin}/?lang=en`)
    await shows(page, NOTHING)
    await stage.placard.publish(SAMPLES.coupon)
    await shows(page, SAMPLES.coupon.text)
    expect(await page.locator('[role=status]').textContent()).toBe(SAMPLES.coupon.text)
    await stage.placard.withdraw({ type: 'coupon' })
    await shows(page, NOTHING)
    expect(await layoutShift(page)).toBe(0)
    // Measured before this: focus reveals the controls, which move the text aside.
    const link = page.locator('[data-part=line] a:not([inert] *)')
    await link.focus()
    await stage.placard.publish(SAMPLES.coupon)
    await shows(page, SAMPLES.coupon.text)
    expect(await link.evaluate((one) => one === document.activeElement)).toBe(true)
    expect(await brokenPolicies(page)).toEqual([])
    // `data:` URLs have the origin `null`.
    expect([...asked].filter((origin) => origin !== 'null')).toEqual([stage.origin])
  })

  it('fits on one screen, 320 to 1920 px wide, in every language', async () => {
    const page = await stage.page()
    for (const width of [320, 768, 1920]) {
      await page.setViewportSize({ width, height: 640 })
      for (const lang of stage.shipped.all.keys()) {
        await page.goto(`${stage.origin}/?lang=${lang}`)
        const over = await page.evaluate(() => {
          const { scrollWidth, scrollHeight } = document.documentElement
          return [scrollWidth - innerWidth, scrollHeight - innerHeight]
        })
        expect(over, `${lang} at ${width}`).toEqual([0, 0])
      }
    }
  })

  it.each(['class', 'data-theme'])(
    'is dark, like its bar, with a dark %s on html or body',
    async (name) => {
      const page = await stage.page({ colorScheme: 'light' })
      for (const part of ['html', 'body']) {
        await page.goto(`${stage.origin}/?lang=en`)
        const colours = await page.evaluate(
          ([part = '', name = '']) => {
            document.querySelector(part)?.setAttribute(name, 'dark')
            const bar = document.querySelector('[data-part=line] .placard') as Element
            return [document.body, bar].map((one) => getComputedStyle(one).backgroundColor)
          },
          [part, name],
        )
        expect(colours).toEqual(['rgb(9, 9, 11)', 'rgb(15, 15, 18)'])
      }
    },
  )

  it('scrolls, without overlaps, in a window lower than its content', async () => {
    const page = await stage.page({ viewport: { width: 320, height: 200 } })
    await page.goto(`${stage.origin}/?lang=de`)
    const [header, main] = [await box(page, 'header'), await box(page, 'main')]
    const footer = await box(page, 'footer')
    expect(main.y).toBeGreaterThanOrEqual(header.y + header.height)
    expect(footer.y).toBeGreaterThanOrEqual(main.y + main.height)
  })

  it.each([
    ['light', 'en', 'light'],
    ['dark', 'en', 'dark'],
    ['rtl', 'ar', 'light'],
  ] as const)(
    'has no violation that axe finds, with any type of announcement: %s',
    async (_, lang, colorScheme) => {
      const page = await stage.page({ colorScheme })
      for (const sample of Object.values(SAMPLES)) {
        await stage.placard.publish(sample)
        await page.goto(`${stage.origin}/?lang=${lang}`)
        await shows(page, sample.text)
        expect(await violations(page)).toEqual([])
      }
    },
  )
})

const ROW: Announcement = {
  id: 'old',
  text: '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>',
  type: 'product',
  slug: '#x"><script>window.pwned=1</script>',
  icon: '"><script>window.pwned=1</script>',
  timestamp: 1,
  expiresAt: null,
  translations: null,
  coupon: null,
  by: { via: 'code' },
}

it('contract R4: shows nothing once nothing is announced, if the locale file has no fallback', async () => {
  const own = { ...stage.shipped.negotiate('en', null), fallback: null }
  stage.hold(undefined, { ...stage.shipped, negotiate: () => own })
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  await page.goto(`${stage.origin}/`)
  const bar = page.locator('[data-part=line] .placard')
  for (const draft of [SAMPLES.post, SAMPLES.product]) {
    await stage.placard.publish(draft)
    await shows(page, draft.text)
  }
  for (const type of ['product', 'post'] as const) await stage.placard.withdraw({ type })
  await expect.poll(() => bar.count()).toBe(0)
  await stage.placard.publish(SAMPLES.coupon)
  await shows(page, SAMPLES.coupon.text)
  await stage.placard.withdraw({ type: 'coupon' })
  await expect.poll(() => bar.count()).toBe(0)
})

it.each([
  ['markup in every field', {}],
  ['markup in the text', { slug: '/fine"onmouseover="window.pwned=1' }],
])("an old row's or an unchecked fallback's %s runs no script", async (_, more) => {
  const row = { ...ROW, ...more }
  const unchecked = { ...stage.shipped.negotiate('en', null), fallback: row }
  const locales = { ...stage.shipped, negotiate: () => unchecked }
  const page = await stage.page()
  for (const [event, from] of [
    [row, stage.shipped],
    [{ ...row, text: '' }, locales],
  ] as const) {
    stage.hold(event, from)
    for (const [url, place] of [
      [`${stage.origin}/`, '[data-part=line]'],
      [stage.host(`<main>A site</main>${stage.tag()}`), 'placard-link'],
    ] as const) {
      await page.goto(url)
      const line = page.locator(place)
      if (place === 'placard-link') {
        await line.locator('.placard').first().waitFor({ state: 'attached' })
      }
      for (const link of await line.locator('a').all()) {
        if (await link.isVisible()) await link.hover()
        const href = await link.evaluate((a: HTMLAnchorElement) => a.href)
        expect(new URL(href).origin).toBe(new URL(url).origin)
      }
      expect(await line.locator('img, [onerror], [onmouseover]').count()).toBe(0)
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
      expect(await brokenPolicies(page)).toEqual([])
    }
  }
})
