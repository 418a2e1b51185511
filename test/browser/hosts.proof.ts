import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { covered, SHARES, scrollTo, sideways } from './covering.ts'
import { HOSTS, styleOf } from './hosts.ts'
import { layoutShift, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

const stage = stageForFile()
const CONTROLS = 'a, button'

/** Visits a page on which the bar appears only after the first paint. */
async function visit(host: (typeof HOSTS)[string], width: number, bar: string): Promise<Page> {
  await stage.placard.publish(SAMPLES.post)
  const look = { viewport: { width, height: 720 }, reducedMotion: 'reduce' } as const
  const { page, release } = await stage.held(look)
  const head = `<meta name="viewport" content="width=device-width">${styleOf(host)}`
  const url = stage.host(host.body(bar) + stage.tag(), {}, head)
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
  release()
  await shows(page, SAMPLES.post.text)
  return page
}

/** Checks that the bar covers none of these links and buttons at any scroll position, and that nothing has shifted. */
async function expectClear(page: Page, among: 'all' | 'what stays') {
  for (const share of SHARES) {
    await scrollTo(page, share)
    expect(await covered(page, CONTROLS, among)).toEqual([])
  }
  expect([await layoutShift(page), await sideways(page)]).toEqual([0, 0])
}

const cases = Object.entries(HOSTS).flatMap(([name, host]) =>
  [1280, 768, 360].map((width) => ({ name, host, width })),
)

describe.each(cases)('on a page with $name, $width px wide', ({ host, width }) => {
  it('in its reserved space, the bar covers nothing and shifts nothing', async () => {
    await expectClear(await visit(host, width, ROOM), 'all')
  })

  it('floating, the bar covers no link or button that stays in view, and all others can be scrolled clear of it', async () => {
    const page = await visit(host, width, '')
    await expectClear(page, 'what stays')
    const controls = page.locator(CONTROLS).filter({ visible: true })
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
