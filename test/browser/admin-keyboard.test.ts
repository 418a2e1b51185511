import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

const done = (page: Page, text: string) => page.locator('.notice', { hasText: text }).waitFor()

/** @returns what the focus was on until then */
async function tabTo(page: Page, selector: string): Promise<string> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate(unseen), 'focus').toBeUndefined()
    if (await page.evaluate((it) => document.activeElement?.matches(it), selector))
      return passed.join()
    passed.push(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 60) ?? ''))
  }
  throw new Error(`Tab never reaches ${selector}, but ${passed.join('; ')}`)
}

describe('by keyboard alone, with a focus that can be seen', () => {
  it('somebody publishes, takes down and undoes', async () => {
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
    expect(await tabTo(page, '[name=reduced]')).not.toMatch(/primary/)
    await tabTo(page, '[data-compose] .primary')
    await page.keyboard.press('Enter')
    await done(page, 'Published')
    expect(await stage.placard.current()).toMatchObject({ type: 'coupon', icon: 'gift' })
    await tabTo(page, '.rows .actions button')
    await page.keyboard.press('Enter')
    await done(page, 'Taken down')
    await tabTo(page, '.views a[href$=history]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/history')
    await tabTo(page, '.sure summary')
    await page.keyboard.press('Enter')
    await tabTo(page, '.sure[open] .primary')
    await page.keyboard.press('Enter')
    await done(page, 'Undone')
    expect((await stage.placard.current())?.text).toBe('By keyboard')
    await page.context().close()
  })

  it('what asks whether somebody is sure is closed by Escape, and by a click beside it', async () => {
    const page = await stage.signedIn()
    await stage.placard.publish({ text: 'By somebody', type: 'post', slug: '/' })
    await page.click('.views a[href$=history]')
    const summary = page.locator('.sure summary').first()
    const popover = page.locator('.sure form').first()
    await summary.click()
    await popover.waitFor()
    await page.keyboard.press('Escape')
    await popover.waitFor({ state: 'hidden' })
    expect(await summary.evaluate((it) => it === document.activeElement)).toBe(true)
    await summary.click()
    await popover.waitFor()
    await popover.locator('p').first().click()
    expect(await popover.isVisible()).toBe(true)
    await page.click('h1')
    await popover.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  it('Enter in the search for an icon chooses the first that was found, and publishes nothing', async () => {
    const page = await stage.signedIn()
    await page.fill('#text', 'With an icon')
    await page.focus('#icon')
    await page.keyboard.type('newspap')
    await page.locator('[data-icon=newspaper]').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('#icons').waitFor({ state: 'hidden' })
    expect(await page.inputValue('#icon')).toBe('newspaper')
    expect(await stage.placard.current()).toBeNull()
    await page.keyboard.press('Enter')
    await done(page, 'Published')
    expect(await stage.placard.current()).toMatchObject({ icon: 'newspaper' })
    await page.context().close()
  })

  it('somebody schedules, edits, removes and signs out', async () => {
    const page = await stage.signedIn()
    await tabTo(page, '#text')
    await page.keyboard.type('Later')
    await tabTo(page, '.more summary')
    await page.keyboard.press('Enter')
    await tabTo(page, '#from')
    await page.keyboard.type('01012030')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0900AM')
    await tabTo(page, '[data-compose] .primary')
    await page.keyboard.press('Enter')
    await done(page, 'Scheduled')
    await tabTo(page, '[data-part=next] .rows a')
    await page.keyboard.press('Enter')
    await page.waitForURL(/edit=/)
    await tabTo(page, '#text')
    await page.keyboard.press('End')
    await page.keyboard.type(' on')
    await tabTo(page, '[data-compose] .primary')
    await page.keyboard.press('Enter')
    await page.locator('[data-part=next] .words', { hasText: 'Later on' }).waitFor()
    await tabTo(page, '[data-part=next] .rows button')
    await page.keyboard.press('Enter')
    await done(page, 'Removed from the schedule')
    await tabTo(page, '.who button')
    await page.keyboard.press('Enter')
    await page.locator('[data-sign-in]').waitFor()
    await page.context().close()
  })
})

/** What has the focus, unless that can be seen. The label of a control may show it. */
function unseen(): string | undefined {
  const focused = document.activeElement ?? document.body
  const shows = (element: Element | null) =>
    element !== null && Number.parseFloat(getComputedStyle(element).outlineWidth) >= 2
  const { right, bottom } = focused.getBoundingClientRect()
  const there = right > 0 && bottom > 0
  const seen = focused === document.body || shows(focused) || shows(focused.nextElementSibling)
  return seen && there ? undefined : focused.outerHTML.slice(0, 80)
}
