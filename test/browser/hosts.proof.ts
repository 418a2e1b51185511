import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTS, styleOf } from './hosts.ts'
import { layoutShift, openStage, SAMPLES, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await stage.placard.publish(SAMPLES.post)
})
afterAll(() => stage.close())

const WIDTHS = [1280, 768, 360]
const IN_FLOW = '<placard-link style="display: block; min-height: 3.25rem"></placard-link>'
const META = '<meta name="viewport" content="width=device-width">'

/** The page with the bar on it, which comes after the page has been painted. */
async function visit(host: (typeof HOSTS)[string], width: number, bar: string): Promise<Page> {
  const page = await stage.page({ viewport: { width, height: 720 }, reducedMotion: 'reduce' })
  let release = () => {}
  const painted = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`${stage.origin}/embed.js`, async (route) => {
    await painted
    await route.continue()
  })
  const script = `<script src="${stage.origin}/embed.js" async></script>`
  const url = stage.host(host.body(bar) + script, {}, META + styleOf(host))
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
  release()
  await page.locator('placard-link .placard-text').waitFor()
  return page
}

/** Controls of the host's that are in view, and that a pointer would not reach because of the bar. */
function covered(among: 'all' | 'kept in place') {
  const isKept = (element: Element | null): boolean =>
    element !== null &&
    (/fixed|sticky/.test(getComputedStyle(element).position) || isKept(element.parentElement))
  return [...document.querySelectorAll('a, button')].filter((control) => {
    if (among === 'kept in place' && !isKept(control)) return false
    const { left, top, width, height } = control.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    return hit?.localName === 'placard-link'
  }).length
}

const scrollTo = (page: Page, share: number) =>
  page.evaluate(async (share) => {
    const { scrollHeight, clientHeight } = document.documentElement
    window.scrollTo(0, (scrollHeight - clientHeight) * share)
    await new Promise(requestAnimationFrame)
  }, share)

const cases = Object.entries(HOSTS).flatMap(([name, host]) =>
  WIDTHS.map((width) => ({ name, host, width })),
)

describe.each(cases)('on a page with $name, $width px wide', ({ host, width }) => {
  it('in the flow: it covers nothing and shifts nothing', async () => {
    const page = await visit(host, width, IN_FLOW)
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      await scrollTo(page, share)
      expect(await page.evaluate(covered, 'all' as const)).toBe(0)
    }
    expect(await layoutShift(page)).toBe(0)
    expect(await sideways(page)).toBe(0)
  })

  it('floating: it covers nothing that stays in place, and each link can be scrolled clear of it', async () => {
    const page = await visit(host, width, '')
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      await scrollTo(page, share)
      expect(await page.evaluate(covered, 'kept in place' as const)).toBe(0)
    }
    expect(await layoutShift(page)).toBe(0)
    expect(await sideways(page)).toBe(0)
    const controls = page.locator('a, button').filter({ visible: true })
    const unreachable = await controls.evaluateAll(async (all) => {
      const missed: string[] = []
      for (const control of all) {
        if (control.getRootNode() !== document) continue
        control.scrollIntoView({ block: 'center' })
        await new Promise(requestAnimationFrame)
        const { left, top, width, height } = control.getBoundingClientRect()
        const hit = document.elementFromPoint(left + width / 2, top + height / 2)
        if (hit?.localName === 'placard-link') missed.push(control.textContent ?? '')
      }
      return missed
    })
    expect(unreachable).toEqual([])
  })
})

const sideways = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
