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

  it.each([1280, 500])(
    'a text is seen where it is typed, and of its bar as much as is said: %i px wide',
    async (width) => {
      const tab = await signedIn({ size: [width, 900] })
      const typed = 'A sentence that no desktop has the room for. '.repeat(3).trim()
      const lines = await tab.evaluate((typed) => {
        const field = document.querySelector('#text') as HTMLTextAreaElement
        field.value = typed
        field.dispatchEvent(new Event('input', { bubbles: true }))
        return field.clientHeight / Number.parseFloat(getComputedStyle(field).lineHeight)
      }, typed)
      // An engine that doesn't let it grow shows two lines, and lets its reader have more.
      const grows = await tab.evaluate(() => CSS.supports('field-sizing: content'))
      expect(lines).toBeGreaterThan(grows ? 3 : 2)
      await expect.poll(() => text(tab, '[data-width=phone] .cut')).toMatch(/\u2068.+\u2069/)
      const rooms = await tab.evaluate(
        (typed) =>
          [...document.querySelectorAll('.stage')].map((stage) => {
            const [, visible = ''] = /\u2068(.+)\u2069/.exec(stage.textContent ?? '') ?? []
            const box = stage.querySelector('.placard-text') as HTMLElement
            // WebKit measures no further than to an ellipsis that it renders.
            box.style.textOverflow = 'clip'
            const { width } = box.getBoundingClientRect()
            const [next = ''] = /^\s*\S/.exec(typed.slice(visible.length)) ?? []
            const range = document.createRange()
            return [`${visible}…`, `${visible}${next}…`].map((one) => {
              box.textContent = one
              range.selectNodeContents(box)
              return width - range.getBoundingClientRect().width
            })
          }),
        typed,
      )
      expect(rooms).toHaveLength(4)
      for (const [room = 0, ofOneMore = 0] of rooms) {
        expect(room).toBeGreaterThan(-1)
        expect(ofOneMore).toBeLessThan(1)
      }
    },
  )

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
