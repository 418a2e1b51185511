import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { askedBy, holdBack } from './stage.ts'
import { done, drafting, hasFocus, stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

/** Presses Tab until a control has the focus. @returns the controls that had it on the way */
async function tabTo(page: Page, selector: string): Promise<string> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(unseen), 'focus').toBeUndefined()
    if (await hasFocus(page, selector)) return passed.join()
    passed.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 60) ?? ''))
  }
  throw new Error(`Tab never reaches ${selector}, but ${passed.join('; ')}`)
}

async function enterOn(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector)
  await page.keyboard.press('Enter')
}

describe('with the keyboard alone, and with a visible focus', () => {
  it('a person publishes, takes down and undoes', async () => {
    const page = await stage.signedIn()
    await tabTo(page, '#text')
    await page.keyboard.type('By keyboard')
    await tabTo(page, '[name=type]')
    await page.keyboard.press('ArrowRight')
    await tabTo(page, '#icon')
    await page.keyboard.type('gift')
    await page.locator('[data-icon=gift]').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await page.inputValue('#icon')).toBe('gift')
    expect(await tabTo(page, '[name=theme]')).not.toMatch(/primary/)
    await enterOn(page, '[data-compose] .primary')
    await page.locator('.notice:focus', { hasText: 'Published' }).waitFor()
    expect(await stage.placard.current()).toMatchObject({ type: 'coupon', icon: 'gift' })
    await enterOn(page, '.rows .actions button')
    await done(page, 'Taken down')
    await enterOn(page, '.views a[href$=history]')
    await page.waitForURL('**/history')
    await enterOn(page, '.entries [action$=undo] button')
    await done(page, 'is back')
    expect((await stage.placard.current())?.text).toBe('By keyboard')
    await enterOn(page, '.notice button')
    await done(page, 'has been removed')
    expect(await stage.placard.current()).toBeNull()
  })

  it('Enter in the icon search chooses the first result, and publishes nothing', async () => {
    const page = await drafting(stage, 'With an icon')
    await page.focus('#icon')
    await page.keyboard.type('zzzz')
    // Measures in one step, because the response for the next letter replaces the list.
    const share = await page.waitForFunction(() => {
      const none = document.querySelector<HTMLElement>('#icons p')
      return none && none.offsetWidth / (none.parentElement as HTMLElement).offsetWidth
    })
    expect(await share.jsonValue()).toBeGreaterThan(0.9)
    await page.fill('#icon', '')
    await page.keyboard.type('newspap')
    await page.locator('[data-icon=newspaper]').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('#icons').waitFor({ state: 'hidden' })
    expect(await page.inputValue('#icon')).toBe('newspaper')
    expect(await stage.placard.current()).toBeNull()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await done(page, 'Published')
    expect(await stage.placard.current()).toMatchObject({ icon: 'newspaper' })
  })

  it.each(['ArrowDown', 'Enter'])(
    '%s in the icon search waits for the results for what was typed',
    async (key) => {
      const page = await stage.signedIn()
      await page.focus('#icon')
      await page.keyboard.type('g')
      await page.locator('[data-icon=galaxy]').waitFor()
      const release = holdBack(/q=gift$/)
      const asked = page.waitForRequest('**/icons?q=gift')
      await page.keyboard.type('ift')
      await asked
      await page.keyboard.press(key)
      // The key waits for the response to the typed word.
      expect(await hasFocus(page, '#icon')).toBe(true)
      release()
      if (key === 'ArrowDown') await page.locator('[data-icon=gift]:focus').press('Enter')
      await page.locator('#icons').waitFor({ state: 'hidden' })
      expect(await page.inputValue('#icon')).toBe('gift')
    },
  )

  it('Enter in a field moves to the button and publishes nothing, and on the button it publishes', async () => {
    const page = await drafting(stage, 'By Enter', { viewport: { width: 360, height: 740 } })
    const sent = askedBy(page, /\/publish$/)
    for (const summary of await page.locator('.more summary').all()) await summary.click()
    const fields = ['#text', '#slug', '#from', '#zone', '[name=tag]', '[name=translation]']
    for (const field of [...fields, '[name=type]:checked']) {
      for (const keys of ['Enter', 'Shift+Enter']) {
        await page.focus(field)
        await page.keyboard.press(keys)
        expect(await hasFocus(page, '[data-compose] .primary'), `${keys} in ${field}`).toBe(true)
        expect(await page.evaluate(unseen), 'focus').toBeUndefined()
      }
    }
    // Holding Enter moves the focus to the button, but doesn't press it.
    await page.focus('#text')
    for (let repeats = 0; repeats < 3; repeats++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await hasFocus(page, '[data-compose] .primary')).toBe(true)
    // Sending the form marks the button at once.
    expect(await page.getAttribute('[data-compose] .primary', 'aria-busy')).toBeNull()
    expect(sent).toEqual([])
    await page.keyboard.press('Enter')
    await done(page, 'Published')
    expect([sent.length, (await stage.placard.current())?.text]).toEqual([1, 'By Enter'])
  })

  it('Control+Enter or Meta+Enter publishes from any control of the form', async () => {
    const page = await stage.signedIn()
    const button = page.locator('[data-compose] .primary')
    for (const [keys, field] of [
      ['Control+Enter', '#text'],
      ['Control+Enter', '#icon'],
      ['Meta+Enter', '#icon'],
      ['Meta+Enter', '[data-compose] .primary'],
    ] as const) {
      const text = `By ${keys} on ${field}`
      expect(await button.getAttribute('aria-keyshortcuts')).toContain(keys)
      await page.fill('#text', text)
      if (field === '#icon') await page.fill('#icon', 'gift')
      await page.focus(field)
      await page.keyboard.press(keys)
      await done(page, 'Published')
      expect((await stage.placard.current())?.text).toBe(text)
      await page.reload()
    }
  })

  it('Control+Enter, pressed again, neither publishes the next draft nor presses another button', async () => {
    const page = await drafting(stage, 'Not finished')
    const { id } = await stage.placard.publish({ text: 'Is up', type: 'post', slug: '/' })
    await page.goto(`${stage.origin}/admin?edit=${id}`)
    await page.fill('#text', 'Is up, edited')
    await page.keyboard.press('Control+Enter')
    await done(page, 'Saved')
    await expect.poll(() => page.inputValue('#text')).toBe('Not finished')
    // Publishing begins with a preview.
    const sent = askedBy(page, /\/(preview|publish|withdraw)$/)
    await page.keyboard.press('Control+Enter')
    await page.focus('.rows [data-deed] button')
    await page.keyboard.press('Control+Enter')
    // If a form had been sent, its request would have started before this response.
    await page.evaluate(() => fetch('/admin/live'))
    expect(sent).toEqual([])
  })

  /** The controls that got the focus on the way to a control while another element covered part of them. */
  async function coveredOnTheWay(page: Page, keys: string, to: string, by: string) {
    const passed: (string | undefined)[] = []
    for (; !(await hasFocus(page, to)); await page.keyboard.press(keys)) {
      passed.push(await page.evaluate(coveredBy, by))
    }
    expect(passed.length).toBeGreaterThan(4)
    return passed.filter((one) => one !== undefined)
  }

  it.each([
    [768, 600],
    [360, 740],
    [320, 400],
  ])('at %i × %i, the sticky button covers nothing that has the focus', async (width, height) => {
    const page = await drafting(stage, 'On a small screen', { viewport: { width, height } })
    await page.focus('#text')
    const [button, bar] = ['[data-compose] .primary', ':has(> .primary)']
    expect(await coveredOnTheWay(page, 'Tab', button, bar)).toEqual([])
  })

  it.each([360, 1280])(
    'at %i px, the sticky notice covers nothing that has the focus',
    async (width) => {
      const look = { viewport: { width, height: 600 }, locale: 'de' }
      const page = await drafting(stage, 'Ein Entwurf', look)
      await page.reload()
      await page.locator('.notice[data-key=kept]').waitFor()
      await page.locator('footer a').last().focus()
      expect(await coveredOnTheWay(page, 'Shift+Tab', '.notice a', '.notice')).toEqual([])
    },
  )

  it('a person schedules, edits, removes and signs out', async () => {
    const page = await stage.signedIn()
    await tabTo(page, '#text')
    await page.keyboard.type('Later')
    await enterOn(page, '.more summary')
    await tabTo(page, '#from')
    // The year takes only four digits, so the time of day follows.
    await page.keyboard.type('010120300900AM')
    await tabTo(page, '[data-compose] .primary')
    // Pressed before its label changes, the button would only show the new label.
    await page.locator('[data-compose] .primary', { hasText: 'Schedule' }).waitFor()
    await page.keyboard.press('Enter')
    await done(page, 'Scheduled')
    await enterOn(page, '[data-part=next] .rows a')
    await page.waitForURL(/edit=/)
    // The focus is at the end of the text.
    await page.keyboard.type(' on')
    await enterOn(page, '[data-compose] .primary')
    await done(page, 'Saved')
    await page.locator('[data-part=next] .words', { hasText: 'Later on' }).waitFor()
    await enterOn(page, '[data-part=next] .rows button')
    await done(page, 'Removed from the schedule')
    await enterOn(page, '.who button')
    await page.locator('[data-sign-in]').waitFor()
  })
})

/** The focused element, if the given element covers part of it or it extends beyond the window. */
function coveredBy(selector: string): string | undefined {
  const focused = document.activeElement as Element
  const { top, bottom } = focused.getBoundingClientRect()
  const cover = (document.querySelector(selector) as Element).getBoundingClientRect()
  const isClear = bottom <= cover.top || top >= cover.bottom
  const isInView = top >= 0 && bottom <= innerHeight
  return isClear && isInView ? undefined : focused.outerHTML.slice(0, 80)
}

/** The focused element, unless its focus is visible on it or on its label. */
function unseen(): string | undefined {
  const focused = document.activeElement ?? document.body
  const shows = (element: Element | null) =>
    element !== null && Number.parseFloat(getComputedStyle(element).outlineWidth) >= 2
  const { right, bottom } = focused.getBoundingClientRect()
  const there = right > 0 && bottom > 0
  const seen = focused === document.body || shows(focused) || shows(focused.nextElementSibling)
  return seen && there ? undefined : focused.outerHTML.slice(0, 80)
}
