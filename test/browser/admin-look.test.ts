import { describe, expect, it } from 'vitest'
import { adminViews, fill } from '../suites/admin-views.ts'
import { stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

const HOUR = 3_600_000

describe('the look of the admin', () => {
  adminViews(stage, false)

  it('has the choices of place and of theme on one line each on a phone, in every language', async () => {
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

  it.each([360, 1280])('has the preview above the button at %i px', async (width) => {
    await fill(stage)
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
    // The elements beside the fields keep their height, however tall the fields are.
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

  it('shows in forced colours which option is chosen, which announcement is live, and the types of the live one and the next', async () => {
    await fill(stage)
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
    await fill(stage)
    const soon = Date.now() + HOUR
    for (let hour = 0; hour < 18; hour++) {
      const [startsAt, expiresAt] = [soon + hour * HOUR, soon + (hour + 0.5) * HOUR]
      const text = `Number ${hour} of as many as may be scheduled at a time`
      await stage.placard.publish({ text, type: 'post', slug: '/', startsAt, expiresAt })
    }
    const page = await stage.signedIn()
    await page.route('**/admin-page.js', async (route) => {
      await page.locator('[data-compose] .primary').waitFor()
      await route.continue()
    })
    await page.goto(`${stage.origin}/admin`, { waitUntil: 'load' })
    const sizes = await page.evaluate(() =>
      [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ].map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    )
    // The document, two stylesheets and the script, each with about 600 bytes of headers.
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThanOrEqual(4)
    expect(sizes.reduce((sum, size) => sum + size + 600, 0)).toBeLessThan(45_000)
  })
})
