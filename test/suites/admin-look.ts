import { expect, it } from 'vitest'
import type { AdminStage } from '../browser/admin-stage.ts'
import { cutOff, overflow, smallTargets } from '../browser/fits.ts'
import type { Engine, Look, Tab } from '../engines/engine.ts'

/** The admin, as the owner of a site uses it. */
export function adminLook(stage: AdminStage, engine: Engine): void {
  async function signedIn(look?: Look): Promise<Tab> {
    const tab = await engine.open(look)
    await tab.goto(await stage.link('Anna'))
    await expect.poll(() => text(tab, '[data-compose] .primary')).toBe('Publish')
    return tab
  }
  const text = (tab: Tab, selector: string) =>
    tab.evaluate((selector) => document.querySelector(selector)?.textContent ?? '', selector)

  it.each([
    ['light', 1280, 'rgb(255, 255, 255)'],
    ['dark', 500, 'rgb(9, 9, 11)'],
  ] as const)('%s: each view fits in a window %i px wide', async (scheme, width, colour) => {
    const long = '25% off every plan until Monday, and a long text that no phone has the room for'
    const coupon = { text: long, type: 'coupon', slug: '#coupon', icon: 'gift' } as const
    await stage.placard.publish(coupon)
    const tab = await signedIn({ scheme, size: [width, 900] })
    for (const path of ['', '/history', '/site']) {
      await tab.goto(`${stage.origin}/admin${path}`)
      expect(await overflow(tab), path).toEqual([])
      expect(await smallTargets(tab), path).toEqual([])
      expect(await cutOff(tab), path).toEqual([])
      const paper = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
      expect(paper, path).toBe(colour)
    }
  })

  it('a long text shows in full while it is typed, is previewed with its end cut off, and is then published', async () => {
    const tab = await signedIn({ size: [500, 900] })
    const typed = 'A sentence that no phone has the room for. '.repeat(3).trim()
    const lines = await tab.evaluate((typed) => {
      const field = document.querySelector('#text') as HTMLTextAreaElement
      field.value = typed
      field.dispatchEvent(new Event('input', { bubbles: true }))
      return field.clientHeight / Number.parseFloat(getComputedStyle(field).lineHeight)
    }, typed)
    // An engine in which the field can't grow shows two lines, and the reader can enlarge it.
    const grows = await tab.evaluate(() => CSS.supports('field-sizing: content'))
    expect(lines).toBeGreaterThan(grows ? 3 : 2)
    await expect.poll(() => text(tab, '.stage .placard-text')).toBe(typed)
    await expect.poll(() => text(tab, '.cuts')).toMatch(/\u2068A sentence.+\u2069/)
    await tab.evaluate(() => document.querySelector<HTMLElement>('.primary')?.click())
    await expect.poll(() => text(tab, '[data-part=now] .words')).toBe(typed)
  })
}
