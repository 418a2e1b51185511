import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { askedBy, hangUp, holdBack, stopClock } from './stage.ts'
import {
  done,
  drafting,
  hasFocus,
  inNow,
  press,
  stageForAll,
  translate,
  unfold,
} from './stage-for-all.ts'

const stage = stageForAll()

const PHONE = { viewport: { width: 360, height: 740 } }
const HOUR = 3_600_000
const verdict = (page: Page, text: string) =>
  page.locator('[data-part=verdict] li', { hasText: text }).waitFor()
/** Resolves once the page shows the response to the last input. After a click, that takes a moment. */
const previewed = (page: Page) =>
  page.locator('[data-part=preview]:not([aria-busy])').waitFor({ state: 'attached' })
/** Resolves once the page has the responses to all earlier requests, because this request is newer. */
const afterAnswers = (page: Page) =>
  page.evaluate(async () => (await fetch('/admin/icons?q=gift')).text())
/** Resolves once the admin's script has set its timers: moving the clock before that wouldn't fire them. */
async function started(page: Page): Promise<void> {
  await page.locator('[data-compose]').waitFor()
  await page.waitForLoadState()
}
/** Moves a page's clock second by second, and after each waits for the responses to the page's requests. */
async function pass(page: Page, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await page.clock.runFor(1_000)
    await afterAnswers(page)
  }
}
/** Changes a field as typing does, but leaves the focus and the pressed pointer where they are. */
const change = (page: Page, field: string, value: string) =>
  page.locator(field).evaluate((it, value) => {
    Object.assign(it, { value })
    it.dispatchEvent(new Event('input', { bubbles: true }))
  }, value)
/** Waits for a fault below its field. */
const fault = (page: Page, text: string) => page.locator('.fault', { hasText: text }).waitFor()
const bars = (page: Page, text: string) =>
  page.locator('.stage .placard-text').getByText(text, { exact: true }).waitFor()

describe('writing in the admin', () => {
  it('contract A14: a press does what the button says or corrects its label, however late the preview is', async () => {
    const page = await drafting(stage, 'For later')
    await unfold(page, 'times')
    await page.fill('#from', '2099-12-24T09:00')
    const button = page.locator('[data-compose] .primary')
    await expect.poll(() => button.textContent()).toBe('Schedule')
    const release = holdBack(/\/preview/)
    const asked = page.waitForRequest('**/preview')
    await page.fill('#from', '')
    expect(await page.locator('[data-part=preview]').getAttribute('aria-busy')).toBe('true')
    await button.click()
    await asked
    release()
    await expect.poll(() => button.textContent()).toBe('Publish')
    expect(await stage.placard.current()).toBeNull()
    await press(page, 'Published')
  })

  it("a form can't be edited while it is being sent, but can after a rejection", async () => {
    const page = await drafting(stage, 'Taken meanwhile')
    const release = holdBack(/\/publish/)
    await page.fill('#slug', 'javascript:x')
    const sent = page.waitForRequest('**/publish')
    await page.locator('#slug').press('Control+Enter')
    await sent
    await page.keyboard.type('yz')
    expect(await page.inputValue('#slug')).toBe('javascript:x')
    release()
    await page.locator('.notice[data-kind=fault]').waitFor()
    await page.keyboard.type('yz')
    expect(await page.inputValue('#slug')).toContain('yz')
  })

  it('the page requests the preview again until the service responds', async () => {
    const page = await stage.signedIn()
    const stop = hangUp(/\/preview/)
    const failed = page.waitForEvent('requestfailed')
    await page.fill('#text', 'While it is away')
    await failed
    stop()
    const preview = page.locator('.stage .placard-text').first()
    await expect.poll(() => preview.textContent()).toBe('While it is away')
  })

  it('the preview moves neither the button nor, during a press, anything else', async () => {
    await stage.placard.publish({ text: 'Up already', type: 'post', slug: '/' })
    const page = await stage.signedIn()
    // The position on the page, because the window scrolls to the field.
    const top = (selector: string) =>
      page.locator(selector).evaluate((it) => it.getBoundingClientRect().top + scrollY)
    await unfold(page, 'translations')
    const release = holdBack(/\/preview/)
    // The button moves as soon as the text is typed, and not when the response arrives.
    await page.fill('#text', 'A sentence that no desktop has the room for. '.repeat(4))
    const button = await top('.primary')
    release()
    await previewed(page)
    await verdict(page, 'Replaces the current post')
    for (const [field, value] of [
      ['#icon', 'no-such-icon'],
      ['[name=translation]', 'Auch auf Deutsch'],
      ['[name=tag]', 'de'],
      ['#slug', 'javascript:x'],
    ] as const) {
      await page.fill(field, value)
      await previewed(page)
      expect(await page.locator('[data-part=verdict] :is(.warning, a)').count()).toBeGreaterThan(0)
      expect(await top('.primary'), field).toBe(button)
    }
    const remove = page.locator('[data-part=now] [data-deed] button')
    const before = await top('[data-part=now] [data-deed] button')
    await remove.hover()
    await page.mouse.down()
    const asked = page.waitForResponse(/preview$/)
    await change(page, '#slug', '/')
    await asked
    await afterAnswers(page)
    expect(await top('[data-part=now] [data-deed] button')).toBe(before)
    await page.mouse.up()
    await done(page, 'Taken down.')
  })

  it('a response that arrives while the mouse button is down shows only once the button is up, even if a second press follows at once', async () => {
    const page = await stage.signedIn()
    const label = page.locator('[data-compose] .primary')
    const before = await label.textContent()
    await page.locator('h1').hover()
    await page.mouse.down()
    const asked = page.waitForResponse(/preview$/)
    await change(page, '#from', '2099-12-24T09:00')
    await asked
    await afterAnswers(page)
    await page.evaluate(async () => {
      for (const type of ['pointerup', 'pointerdown']) {
        document.body.dispatchEvent(new PointerEvent(type, { bubbles: true }))
      }
      // Longer than the time between a press and its click.
      await new Promise((resolve) => setTimeout(resolve, 150))
    })
    expect(await label.textContent()).toBe(before)
    // The button was released in another window, which only the next pointer move reveals.
    await page.evaluate(() =>
      document.body.dispatchEvent(new PointerEvent('pointermove', { bubbles: true })),
    )
    await expect.poll(() => label.textContent()).toBe('Schedule')
  })

  it("a late preview, requested before a rejection, doesn't remove the rejection's faults", async () => {
    const page = await drafting(stage, 'Hi')
    const reject = holdBack(/\/publish/)
    const sent = page.waitForRequest('**/publish')
    await page.click('[data-compose] .primary')
    await sent
    const release = holdBack(/\/preview/)
    const asked = page.waitForRequest('**/preview*')
    // Another person publishes while this request is on its way.
    await stage.placard.publish({ text: 'Meanwhile', type: 'post', slug: '/' })
    await asked
    reject()
    await fault(page, 'Text:')
    const answered = page.waitForResponse('**/preview*')
    release()
    await answered
    await afterAnswers(page)
    expect(await page.locator('.fault', { hasText: 'Text:' }).count()).toBe(1)
  })

  it('contract A6: the text field shows a long text in full, and Enter adds no line', async () => {
    const page = await stage.signedIn(PHONE)
    const sentence = 'A text that is longer than the field is wide, so it goes on below. '
    const long = sentence.repeat(3).trim()
    await unfold(page, 'translations')
    for (const field of [page.locator('#text'), page.locator('[name=translation]')]) {
      const heights = () => field.evaluate((it) => [it.clientHeight, it.scrollHeight])
      const [before = 0] = await heights()
      await field.fill(long)
      const [height = 0, needed = 0] = await heights()
      expect(height).toBeGreaterThan(before)
      expect(needed).toBeLessThanOrEqual(height)
    }
    await page.fill('[name=tag]', 'en-GB')
    await page.focus('#text')
    await page.keyboard.press('Enter')
    expect(await page.inputValue('#text')).toBe(long)
    await press(page, 'Published')
    expect((await stage.placard.current())?.text).toBe(long)
  })

  it('contract A6: several pasted lines become one, with the caret after it', async () => {
    const page = await drafting(stage, 'Before, and after')
    await page.locator('#text').evaluate((it: HTMLTextAreaElement) => it.setSelectionRange(7, 8))
    await page.keyboard.insertText(' two\n  lines\t')
    await bars(page, 'Before, two lines and after')
    await page.keyboard.insertText('!')
    expect(await page.inputValue('#text')).toBe('Before, two lines !and after')
  })

  it('Enter accepts the proposal of an input method, and sends nothing', async () => {
    const page = await stage.signedIn()
    await page.focus('#text')
    const session = await page.context().newCDPSession(page)
    const text = 'にほん'
    await session.send('Input.imeSetComposition', { text, selectionStart: 3, selectionEnd: 3 })
    for (const keyCode of [229, 13]) {
      await page.evaluate((keyCode) => {
        const init = { key: 'Enter', keyCode, isComposing: keyCode === 13, bubbles: true }
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init))
      }, keyCode)
    }
    await session.send('Input.insertText', { text: '日本' })
    expect(await page.inputValue('#text')).toBe('日本')
    expect(await hasFocus(page, '#text')).toBe(true)
    expect(await stage.placard.current()).toBeNull()
  })

  it('contract A7, A11: a fault shows once, below its field, and a rejection moves the focus to the first one', async () => {
    const page = await drafting(stage, 'Version 2 is here', PHONE)
    const marked = () =>
      page
        .locator('[aria-invalid=true]')
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).name))
    await page.fill('#slug', 'javascript:x')
    const field = page.locator('#slug')
    await page.locator('#slug[aria-invalid=true]').waitFor()
    const said = page.locator('#slug-fault', { hasText: 'Link:' })
    const [above, below] = await Promise.all([field.boundingBox(), said.boundingBox()])
    const gap = (below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0))
    expect(gap).toBeGreaterThanOrEqual(0)
    expect(gap).toBeLessThan(10)
    expect(await field.getAttribute('aria-describedby')).toBe('slug-hint slug-fault')
    await bars(page, 'Version 2 is here')
    // The form doesn't predict the outcome of a draft that can't be published.
    expect(await page.locator('.outcome').textContent()).toBe('')
    // The list beside the button links to the field.
    expect(await page.getByText('A link must go to a page').count()).toBe(1)
    await page.locator('.faults').getByRole('link', { name: 'Link' }).click()
    expect(await hasFocus(page, '#slug')).toBe(true)
    await unfold(page, 'times')
    await page.fill('#until', '2020-01-01T00:00')
    await fault(page, 'Until:')
    expect(await marked()).toEqual(['slug', 'until'])
    await page.click('[data-compose] .primary')
    await page.locator('.notice[data-kind=fault]').waitFor()
    expect(await marked()).toEqual(['slug', 'until'])
    expect(await hasFocus(page, '#slug')).toBe(true)
    await page.fill('#slug', '/v2')
    await page.locator('#slug:not([aria-invalid])').waitFor()
    expect(await marked()).toEqual(['until'])
    // After a rejection, the form no longer tolerates a text that is still too short.
    await page.fill('#text', 'V2')
    await fault(page, 'Text:')
    await page.fill('#until', '')
    await page.locator('#until:not([aria-invalid])').waitFor()
    expect(await page.locator('.notice').isVisible()).toBe(true)
    // The notice disappears with the last fault.
    await page.fill('#text', 'Version 2 is here')
    await page.locator('.notice').waitFor({ state: 'hidden' })
  })

  it("contract A15: a language's row can be removed, unless it is empty", async () => {
    const page = await drafting(stage, 'Version 2 is here')
    await unfold(page, 'translations')
    // The field also takes a language's name.
    const name = page.locator('.translation output')
    await page.fill('[name=tag]', 'esp')
    // An incomplete tag may be unknown.
    await expect.poll(() => name.textContent()).toBe('Unknown language')
    expect(await name.isVisible()).toBe(false)
    await page.locator('[name=translation]').focus()
    expect(await name.isVisible()).toBe(true)
    await page.fill('[name=tag]', 'Deutsch')
    await page.locator('[name=translation]').focus()
    await expect.poll(() => page.inputValue('[name=tag]')).toBe('de')
    await expect.poll(() => name.textContent()).toBe('German')
    await page.fill('[name=tag]', '')
    const remove = page.getByRole('button', { name: 'Remove this language' })
    await expect.poll(() => remove.count()).toBe(0)
    await page.fill('[name=tag]', 'de')
    await page.fill('[name=translation]', 'Version 2 ist da')
    await page.click('[data-add-language]')
    expect(await name.nth(1).textContent()).toBe('')
    await page.locator('[name=tag]').nth(1).fill('fr')
    await page.locator('[name=translation]').nth(1).fill('La version 2 est là')
    await page.locator('.show').getByText('French', { exact: true }).waitFor()
    await remove.first().click()
    await page.locator('.show').getByText('German', { exact: true }).waitFor({ state: 'detached' })
    const tags = page.locator('[name=tag]')
    expect([await tags.count(), await tags.inputValue()]).toEqual([1, 'fr'])
    expect(await hasFocus(page, '[name=tag]')).toBe(true)
    await remove.click()
    expect([await tags.count(), await tags.inputValue()]).toEqual([1, ''])
    await expect.poll(() => remove.count()).toBe(0)
    await press(page, 'Published')
    expect((await stage.placard.current())?.translations).toBeNull()
  })

  it('contract A15: each translation can be previewed', async () => {
    const page = await drafting(stage, 'Version 2 is here')
    await translate(page, 'ar', 'الإصدار 2 متاح الآن')
    await page.locator('.show').getByText('Arabic', { exact: true }).click()
    await bars(page, 'الإصدار 2 متاح الآن')
    await page.locator('.stage .place[dir=rtl]').waitFor()
    // The preview shows the language of the focused field.
    await page.focus('#text')
    await bars(page, 'Version 2 is here')
    await page.focus('[name=translation]')
    await bars(page, 'الإصدار 2 متاح الآن')
    expect(await page.isChecked('[name=show][value=ar]')).toBe(true)
  })

  it('contract A14: an incomplete time is a fault, and the button leads to it even if it is folded away', async () => {
    const page = await drafting(stage, 'A time half typed')
    await unfold(page, 'times')
    await page.focus('#from')
    await page.keyboard.type('01012030')
    await page.focus('#slug')
    await fault(page, 'Enter a date and a time.')
    expect(await page.locator('.outcome').textContent()).toBe('')
    expect(await page.textContent('[data-compose] .primary')).toBe('Schedule')
    await unfold(page, 'times')
    await page.click('[data-compose] .primary')
    await page.locator('#from:focus').waitFor()
    expect(await stage.placard.current()).toBeNull()
    // Without the start, the draft would again be published at once.
    for (let part = 0; part < 3; part++) {
      await page.keyboard.press('Backspace')
      await page.keyboard.press('ArrowRight')
    }
    await page.focus('#slug')
    await verdict(page, 'Goes live immediately.')
    expect(await page.textContent('[data-compose] .primary')).toBe('Publish')
  })
})

describe('the admin while others make changes', () => {
  it('moves the slider by an hour for an arrow key, names its time in words, and leaves it where it was moved', async () => {
    const startsAt = Date.now() + 24 * HOUR
    const draft = { text: 'Tomorrow', type: 'product', slug: '/', startsAt } as const
    await stage.placard.publish(draft)
    const page = await stage.signedIn()
    const slider = page.locator('#at')
    const told = () => slider.getAttribute('aria-valuetext')
    const value = async () => Number(await slider.inputValue())
    const before = await value()
    expect(await told()).toBe(await page.locator('.ahead time').textContent())
    const ahead = page.locator('.ahead .place:visible')
    expect(await ahead.textContent()).toContain('Nothing')
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    expect((await value()) - before).toBe(HOUR)
    const written = new Intl.DateTimeFormat('en', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Europe/Berlin',
    }).format(await value())
    expect(await told()).toMatch(new RegExp(`^\\w{3}, ${written}$`))
    await page.keyboard.press('End')
    await ahead.getByText('Tomorrow').waitFor()
    await stage.placard.publish({ text: 'By Ben', type: 'post', slug: '/' })
    await inNow(page, 'By Ben').waitFor()
    await ahead.getByText('Tomorrow').waitFor()
    expect(await value()).toBeGreaterThan(startsAt)
    expect(await hasFocus(page, '#at')).toBe(true)
    await stage.placard.withdraw({ type: 'post' })
    await inNow(page, 'By Ben').waitFor({ state: 'detached' })
  })

  it("doesn't move the focus to another row's button", async () => {
    for (const [hours, text] of ['The first', 'The second', 'The third'].entries()) {
      const startsAt = Date.now() + (hours + 1) * HOUR
      await stage.placard.publish({ text, type: 'post', slug: '/', startsAt })
    }
    const page = await stage.signedIn()
    const row = (text: string) => page.locator('[data-part=next] .rows li', { hasText: text })
    await row('The second').locator('button').focus()
    const ids = await page.locator('[data-part=next] .rows [name=id]').all()
    const [first, second] = await Promise.all(ids.map((input) => input.inputValue()))
    await stage.placard.withdraw({ id: first as string })
    await row('The first').waitFor({ state: 'detached' })
    const focused = () => document.activeElement?.closest('li')?.querySelector('bdi')?.textContent
    expect(await page.evaluate(focused)).toBe('The second')
    await stage.placard.withdraw({ id: second as string })
    await row('The second').waitFor({ state: 'detached' })
    // The focused row is gone: Enter takes nothing down, and Tab continues from the list.
    await page.locator('[data-part=next]:focus').waitFor()
  })

  it("keeps a published form out of the browser's history", async () => {
    const page = await stage.signedIn()
    await page.goto(`${stage.origin}/admin/history`)
    await page.goto(`${stage.origin}/admin`)
    await page.fill('#text', 'Sent')
    await press(page, 'Published')
    await page.goBack()
    expect(page.url()).toBe(`${stage.origin}/admin/history`)
  })

  it("stays open when a bar's link is opened", async () => {
    await stage.placard.publish({ text: 'By Ben', type: 'post', slug: '/somewhere' })
    const page = await stage.signedIn()
    const opened = page.context().waitForEvent('page')
    await page.click('[data-part=now] .placard')
    await (await opened).waitForURL(`${stage.origin}/somewhere`)
    expect(page.url()).toBe(`${stage.origin}/admin`)
  })

  it('says that it may be out of date while the service is down', async () => {
    const page = await stage.page()
    await stopClock(page)
    await page.goto(await stage.link('Anna'))
    await started(page)
    const away = page.locator('.notice', { hasText: 'may be out of date' })
    const stop = hangUp(/\/admin\/live/)
    await pass(page, 8)
    await away.waitFor()
    stop()
    await pass(page, 20)
    await away.waitFor({ state: 'detached' })
    expect(await page.locator('.notice').isVisible()).toBe(false)
  })

  it('sends few requests in a tab whose session has ended, and one at once when the tab gets the focus', async () => {
    const page = await stage.page()
    await stopClock(page)
    await page.goto(await stage.link())
    await started(page)
    await page.fill('#text', 'Half a thought')
    // A response to a request that still had the session would say that the session is valid.
    await previewed(page)
    await page.context().clearCookies()
    await page.clock.runFor(1_000)
    await page.locator('.notice', { hasText: 'You are signed out' }).waitFor()
    const asked = askedBy(page, /\/live/)
    await pass(page, 10)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThan(5)
    const before = asked.length
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await expect.poll(() => asked.length).toBe(before + 1)
  })

  it('contract R8, R9: keeps the history current, and offers no undo that is no longer possible', async () => {
    await stage.placard.publish({ text: 'The first one', type: 'post', slug: '/' })
    const page = await stage.signedIn()
    await page.goto(`${stage.origin}/admin/history`)
    await page.locator('.entries [action$=undo] button').first().focus()
    // The new entry appears above the row whose button has the focus.
    await stage.placard.publish({ text: 'The second one', type: 'post', slug: '/' })
    await page.locator('.entries .words', { hasText: 'The second one' }).first().waitFor()
    const first = page.locator('.entries > li').nth(1)
    expect(await first.textContent()).toMatch(/The first one.*it has changed since/)
    // The button is gone, and the focus moves to no other row's button.
    await page.locator('[data-part=history]:focus').waitFor()
  })
})
