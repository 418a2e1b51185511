import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { tabOf } from '../engines/chromium.ts'
import { violations } from './axe.ts'
import { cutOff, overflow, smallTargets } from './fits.ts'
import { stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

const HOUR = 3_600_000

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller'

/** @returns the id of the coupon */
async function fill(): Promise<string> {
  // Hostile as well as long: nothing in it may run.
  const text =
    '<img src=x onerror=alert(1)> until Monday, and a long text that no phone has the room for'
  const translations = { de: '25 % bis Montag <script>alert(2)</script>' }
  const coupon = { text, type: 'coupon', slug: '#coupon', icon: 'gift', translations } as const
  const { id } = await stage.placard.publish(coupon)
  await stage.placard.publish({ text: LONG_WORD, type: 'post', slug: '/search' })
  // It takes the place of the other for good, which is told in one sentence with both.
  const startsAt = Date.now() + 48 * HOUR
  await stage.placard.publish({ text: `Later: ${text}`, type: 'post', slug: '/', startsAt })
  await stage.placard.publish({
    text: 'Version 2 is here',
    type: 'product',
    slug: `/a/very/long/path/that/has/to/break/somewhere/or/the/page/would/be/wider/than/a/phone?"'><svg/onload=alert(3)>`,
    translations: { de: 'Version 2 ist da', ar: 'الإصدار 2 متاح الآن' },
    startsAt: Date.now() + 24 * HOUR,
    expiresAt: Date.now() + 72 * HOUR,
  })
  return id
}

/** Each view in each of its states; `act` brings it there. */
const VIEWS: [string, string, (page: Page) => Promise<unknown>][] = [
  ['announcement', '/admin', async () => {}],
  [
    'announcement with a draft',
    '/admin?edit=coupon',
    async (page) => {
      for (const summary of await page.locator('.more summary').all()) {
        const open = await summary.evaluate((it) => (it.parentElement as HTMLDetailsElement).open)
        if (!open) await summary.click()
      }
      await page.fill('#slug', 'javascript:x')
      await page.fill('#from', '2027-10-31T02:30')
      await page.locator('.faults').waitFor()
      await stage.placard.withdraw({ type: 'coupon' })
      await page.locator('.conflict a').waitFor()
      await page.focus('#icon')
      await page.locator('#icons button').first().waitFor()
    },
  ],
  ['history', '/admin/history', async () => {}],
  ['on your site', '/admin/site', async () => {}],
]

const LOOKS = [
  ['light', { colorScheme: 'light' }, 'en'],
  ['dark', { colorScheme: 'dark' }, 'en'],
  ['right to left', { colorScheme: 'light' }, 'ar'],
  [
    '360 px, dark, right to left',
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
    'ar',
  ],
  ['360 px', { viewport: { width: 360, height: 740 } }, 'de'],
  // The narrowest window in which the buttons are beside the text; German has the longest ones.
  ['834 px', { viewport: { width: 834, height: 900 } }, 'de'],
  ['1280 px at 400 %', { viewport: { width: 320, height: 225 } }, 'de'],
] as const

describe('the admin for everybody', () => {
  it.each(LOOKS)('axe finds nothing, all fits, and no text runs: %s', async (_, options, lang) => {
    const coupon = await fill()
    const signIn = await stage.page({ ...options, locale: lang })
    await signIn.goto(`${stage.origin}/admin`)
    expect(await violations(signIn), 'sign in').toEqual([])
    if (lang === 'en') expect(await underThePointer(signIn), 'sign in').toEqual([])
    expect(await overflow(tabOf(signIn)), 'sign in').toEqual([])
    await signIn.goto(await stage.link('<b onclick=alert(4)>Anna'))
    await signIn.locator('[data-compose]').waitFor()
    for (const [name, path, act] of VIEWS) {
      await signIn.goto(stage.origin + path.replace('=coupon', `=${coupon}`))
      await act(signIn)
      expect(await signIn.locator('main img, main script, .who b').count(), name).toBe(0)
      expect(await violations(signIn), name).toEqual([])
      // Neither the width nor the direction changes a colour.
      if (lang === 'en') expect(await underThePointer(signIn), name).toEqual([])
      expect(await overflow(tabOf(signIn)), name).toEqual([])
      expect(await smallTargets(tabOf(signIn)), name).toEqual([])
      expect(await cutOff(tabOf(signIn)), name).toEqual([])
      const texts = signIn.locator(':is(.rows, .entries) .content')
      const widths = await texts.evaluateAll((all) => all.map((one) => one.clientWidth))
      expect(Math.min(...widths), name).toBeGreaterThan(240)
    }
  })

  it('on a phone, the choices of a place and of a theme take one line each, in every language', async () => {
    const page = await stage.signedIn({ viewport: { width: 360, height: 740 } })
    for (const value of ['en', 'de', 'es', 'fr', 'ja', 'ar']) {
      await page.context().addCookies([{ name: 'placard-lang', value, url: stage.origin }])
      await page.goto(`${stage.origin}/admin/site`)
      const heights = await page
        .locator('.segments')
        .evaluateAll((all) => all.map((one) => one.clientHeight))
      expect(Math.max(...heights), value).toBeLessThan(50)
    }
  })

  it.each([360, 800, 1280])('the preview is above the button: %i px', async (width) => {
    await fill()
    const page = await stage.signedIn({ viewport: { width, height: 740 } })
    const order = await page.evaluate(() => {
      const [preview, button, now] = ['.stage', '.primary', '[data-part=now]'].map(
        (one) => document.querySelector(one) as Element,
      ) as [Element, Element, Element]
      const follows = (one: Element, other: Element) =>
        (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) > 0
      const isAbove = (one: Element, other: Element) =>
        one.getBoundingClientRect().bottom <= other.getBoundingClientRect().top
      return [follows, isAbove].map((is) => [is(preview, button), is(button, now)])
    })
    expect(order.flat()).toEqual(Array(4).fill(true))
    // However high the fields are, what stands beside them keeps its height.
    const height = () =>
      page.evaluate(() => {
        const [title, row] = ['.slots h2', '.slots bdi'].map((one) =>
          document.querySelector(one)?.getBoundingClientRect(),
        )
        return Math.round((row?.top ?? 0) - (title?.top ?? 0))
      })
    const before = await height()
    for (const summary of await page.locator('.more summary').all()) await summary.click()
    expect(await height()).toBe(before)
  })

  it('shows in forced colours what is chosen, what is up, and what is when', async () => {
    await fill()
    const page = await stage.signedIn({ forcedColors: 'active' })
    const colours = await page.evaluate(() => {
      const backgrounds = (selector: string, part?: string) =>
        [...document.querySelectorAll(selector)].map(
          (element) => getComputedStyle(element, part).backgroundColor,
        )
      return {
        types: backgrounds('.segments input + span'),
        slots: backgrounds('[data-part=now] .type', '::before'),
        spans: backgrounds('.spans span:first-child', '::before').slice(0, 2),
      }
    })
    expect(new Set(colours.types).size).toBe(2)
    expect(new Set(colours.slots).size).toBe(2)
    expect(new Set(colours.spans).size).toBe(2)
  })

  it('weighs less than 45 KB in all, and paints before any script', async () => {
    await fill()
    const soon = Date.now() + HOUR
    for (let hour = 0; hour < 18; hour++) {
      const [startsAt, expiresAt] = [soon + hour * HOUR, soon + (hour + 0.5) * HOUR]
      const text = `Number ${hour} of as many as may be scheduled at a time`
      await stage.placard.publish({ text, type: 'post', slug: '/', startsAt, expiresAt })
    }
    const page = await stage.signedIn()
    await page.route('**/admin-page.js', async (route) => {
      expect(await page.locator('[data-compose] .primary').isVisible()).toBe(true)
      await route.continue()
    })
    await page.goto(`${stage.origin}/admin`, { waitUntil: 'load' })
    const sizes = await page.evaluate(() =>
      [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ].map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    )
    // The document, two stylesheets and the script; each with about 600 bytes of headers.
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThanOrEqual(4)
    expect(sizes.reduce((sum, size) => sum + size + 600, 0)).toBeLessThan(45_000)
  })
})

/** What can't be read while the pointer is on it. */
async function underThePointer(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const { root } = await session.send('DOM.getDocument')
  const selector = 'a, button, summary, label, label span'
  const { nodeIds } = await session.send('DOM.querySelectorAll', { ...root, selector })
  const forcedPseudoClasses = ['hover']
  await Promise.all(
    nodeIds.map((nodeId) => session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses })),
  )
  const found = await violations(page, selector, ['color-contrast'])
  await session.detach()
  return found
}
