import { expect, it } from 'vitest'
import type { AdminStage } from '../browser/admin-stage.ts'
import { cutOff, overflow, smallTargets } from '../browser/fits.ts'
import type { Engine, Look, Tab } from '../engines/engine.ts'

/** The admin, as the owner of a site uses it. */
export function adminLook(stage: () => AdminStage, engine: () => Engine): void {
  async function signedIn(look?: Look): Promise<Tab> {
    const tab = await engine().open(look)
    await tab.goto(await stage().link('Anna'))
    await expect.poll(() => has(tab, '[data-compose]')).toBe(true)
    return tab
  }
  const has = (tab: Tab, selector: string) =>
    tab.evaluate((selector) => document.querySelector(selector) !== null, selector)
  const text = (tab: Tab, selector: string) =>
    tab.evaluate((selector) => document.querySelector(selector)?.textContent ?? '', selector)
  const paper = (tab: Tab, selector: string) =>
    tab.evaluate(
      (selector) => getComputedStyle(document.querySelector(selector) as Element).backgroundColor,
      selector,
    )

  it.each([
    ['light', 1280, 'rgb(255, 255, 255)'],
    ['dark', 1280, 'rgb(9, 9, 11)'],
    ['light', 500, 'rgb(255, 255, 255)'],
    ['dark', 500, 'rgb(9, 9, 11)'],
  ] as const)('each view fits, %s, %i px wide', async (scheme, width, colour) => {
    await stage().placard.publish({
      text: '25% off every plan until Monday, and a long text that no phone has the room for',
      type: 'coupon',
      slug: '#coupon',
      icon: 'gift',
    })
    const tab = await signedIn({ scheme, size: [width, 900] })
    for (const path of ['', '?slot=coupon', '/history', '/site']) {
      await tab.goto(`${stage().origin}/admin${path}`)
      expect(await overflow(tab), path).toEqual([])
      expect(await smallTargets(tab), path).toEqual([])
      expect(await cutOff(tab), path).toEqual([])
      expect(await paper(tab, 'body'), path).toBe(colour)
    }
  })

  it('the preview follows what is typed, light and dark, and what is published is up', async () => {
    const tab = await signedIn()
    await tab.evaluate(() => {
      const field = document.querySelector('#text') as HTMLInputElement
      field.value = 'From another engine'
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await expect.poll(() => text(tab, '.stage .placard-text')).toBe('From another engine')
    const surfaces = await tab.evaluate(() =>
      [...document.querySelectorAll('.stage .placard')].map(
        (bar) => getComputedStyle(bar).backgroundColor,
      ),
    )
    expect(new Set(surfaces)).toEqual(new Set(['rgb(255, 255, 255)', 'rgb(15, 15, 18)']))
    await tab.evaluate(() =>
      document.querySelector<HTMLElement>('[data-compose] .primary')?.click(),
    )
    await expect.poll(() => text(tab, '[data-part=now] .words')).toContain('From another engine')
    expect((await stage().placard.current())?.text).toBe('From another engine')
  })
}
