import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/internals.ts'
import { holdBack } from './stage.ts'
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

describe('the admin in a browser', () => {
  it('contract O2: opens for a signed-in person who follows a link from another site', async () => {
    const page = await stage.signedIn()
    const other = stage.origin.replace('localhost', '127.0.0.1')
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(`${other}/`)
      await page.evaluate((to) => {
        const link = document.body.appendChild(document.createElement('a'))
        link.href = to
        link.click()
      }, `${stage.origin}/admin`)
      await page.locator('[data-compose]').waitFor()
    }
    expect(page.url()).toBe(`${stage.origin}/admin`)
  })

  it('contract O1: says that a truncated sign-in link is incomplete', async () => {
    const page = await stage.page()
    await page.goto((await stage.link()).slice(0, -1))
    await page.locator('.notice', { hasText: 'incomplete' }).waitFor()
    expect(page.url()).not.toContain('#')
  })

  it("contract O1: doesn't mistake a fragment of its page, or a truncated code, for a sign-in code", async () => {
    const page = await stage.signedIn()
    for (const other of ['#translations', `#${'A'.repeat(21)}`]) {
      await page.goto(`${stage.origin}/admin${other}`)
      await page.locator('[data-compose]').waitFor()
      expect(page.url()).toContain(other)
    }
  })

  it('previews the bar, and says where its text is cut off, in every language', async () => {
    const long = 'A sentence that is far too long for a phone, and has to be cut off'
    const page = await drafting(stage, long)
    await page.locator('.stage .placard').waitFor()
    const cut = page.locator('.cuts li')
    expect(await cut.textContent()).toMatch(/the text is cut off after .*A sentence that is/)
    const fits = /of 500 · the first (\d+) fit on a phone/
    expect(await page.locator('[data-length]').textContent()).toMatch(fits)
    // Every language is measured, not only the one in the preview.
    await translate(page, 'de', 'Ein Satz, der für ein Telefon viel zu lang geraten ist')
    await page.locator('.cuts li', { hasText: 'German: On a phone' }).waitFor()
    await page.locator('.stage .placard-text', { hasText: 'Ein Satz' }).waitFor()
    await page.fill('#text', 'Short')
    await page.locator('.cuts li', { hasText: 'A sentence' }).waitFor({ state: 'detached' })
    expect(await page.locator('[data-length]').textContent()).not.toMatch(fits)
  })

  it.each([
    ['words', 'A sentence that is far too long for a phone, and has to be cut off'],
    ['with a flag', 'Now available in 🇩🇪🇫🇷🇪🇸🇮🇹🇯🇵🇧🇷🇨🇦🇲🇽🇳🇱🇵🇱🇸🇪🇳🇴 and elsewhere'],
    // Not Arabic, whose letters are wider where the measurement below cuts a word short.
    ['right to left', '25% הנחה על כל התוכניות עד יום שני, ומשלוח חינם לכל מקום'],
  ])('says exactly how much of a text fits on a phone before the ellipsis: %s', async (_, text) => {
    const page = await drafting(stage, text)
    const cut = page.locator('.cuts li')
    const visible = /\u2068(.*)\u2069/.exec((await cut.textContent()) ?? '')?.[1] as string
    expect(text.startsWith(visible)).toBe(true)
    const [next = ''] = /^\s+\S+/.exec(text.slice(visible.length)) ?? []
    const room = await page.locator('.gauges .placard-text').evaluate(
      (box, texts) => {
        const { width } = box.getBoundingClientRect()
        const range = document.createRange()
        return texts.map((one) => {
          box.textContent = one
          range.selectNodeContents(box)
          return width - range.getBoundingClientRect().width
        })
      },
      [`${visible}…`, `${visible}${next}…`],
    )
    expect(room[0]).toBeGreaterThan(-0.5)
    expect(room[1]).toBeLessThan(0.5)
  })

  it("previews the bar at a phone's width, however wide the window of the admin is", async () => {
    const long = 'A sentence that no desktop has the room for. '.repeat(4).trim()
    const widthOf = (page: Page, selector: string) =>
      page.locator(selector).evaluate((it) => (it as HTMLElement).offsetWidth)
    const page = await stage.signedIn()
    // The owner lets visitors dismiss the bar, whose button takes some of the width.
    await page.goto(`${stage.origin}/admin/site`)
    const kept = page.waitForResponse(/looked$/)
    await page.check('[name=dismissible]')
    await kept
    await page.goto(`${stage.origin}/admin`)
    await page.fill('#text', long)
    await page.locator('.stage .placard-text', { hasText: long }).waitFor()
    const shown = await widthOf(page, '.stage .placard-text')
    for (const width of [1024, 768, 412, 360, 320]) {
      await page.setViewportSize({ width, height: 740 })
      expect(await widthOf(page, '.stage .placard-text'), `${width} px`).toBe(shown)
    }
    await stage.placard.publish({ text: long, type: 'post', slug: '/' })
    const phone = await stage.page({ viewport: { width: 360, height: 740 } })
    await phone.setContent(
      `<body style="margin:0"><placard-link data-dismissible></placard-link><script src="${stage.origin}/embed.js"></script>`,
    )
    await phone.locator('placard-link .placard-text').waitFor()
    expect(await widthOf(phone, 'placard-link .placard-text')).toBe(shown)
  })

  it('contract A14: shows the same times in the form as in the list, and changes none when saving', async () => {
    const [startsAt, expiresAt] = [Date.UTC(2097, 4, 28, 7), Date.UTC(2097, 5, 4, 10, 0, 30, 500)]
    await stage.placard.publish({ text: 'In May', type: 'post', slug: '/', startsAt, expiresAt })
    const page = await stage.signedIn({ locale: 'en-GB' })
    const row = page.locator('[data-part=next] .rows li', { hasText: 'In May' })
    // In the format of the reader's own region.
    expect(await row.locator('time').first().textContent()).toMatch(/28 May 2097, 09:00$/)
    await row.getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(/edit=/)
    const typed = ['#from', '#until', '#zone'].map((field) => page.inputValue(field))
    const shown = ['2097-05-28T09:00', '2097-06-04T12:00:30.5', 'Europe/Berlin']
    expect(await Promise.all(typed)).toEqual(shown)
    await press(page, 'Saved')
    const times = await row.locator('time').all()
    const instants = await Promise.all(times.map((time) => time.getAttribute('datetime')))
    expect(instants).toEqual([startsAt, expiresAt].map((ms) => new Date(ms).toISOString()))
  })

  it('contract A9: keeps an end that its field cannot show, and keeps every instant when the zone changes', async () => {
    const [startsAt, expiresAt] = [Date.UTC(2097, 4, 28, 7), 8.64e15]
    const draft = { type: 'post', slug: 'guide.intro', startsAt, expiresAt } as const
    const { id } = await stage.placard.publish({ text: 'With a tpyo', ...draft })
    const page = await stage.signedIn()
    await page.goto(`${stage.origin}/admin?edit=${id}`)
    const release = holdBack(/\/preview/)
    await page.fill('#zone', 'Tokyo')
    // Not even the focused field changes its instant.
    await page.focus('#from')
    release()
    await expect.poll(() => page.inputValue('#from')).toBe('2097-05-28T16:00')
    expect(await page.inputValue('#until')).toBe('9999-12-31T23:59')
    await page.reload()
    await page.locator('.notice[data-key=kept]').waitFor()
    await page.fill('#text', 'With a typo')
    await press(page, 'Saved')
    const { store } = internalsOf(stage.placard).service
    const [saved] = (await store.load()).scheduled
    expect(saved).toMatchObject({ id, text: 'With a typo', ...draft })
  })

  it("contract A14: shows times in the browser's zone, even if the cookie has an earlier one", async () => {
    const startsAt = Date.UTC(2097, 10, 26, 23)
    const { id } = await stage.placard.publish({ text: 'Later', type: 'post', slug: '/', startsAt })
    const page = await stage.signedIn()
    const url = `${stage.origin}/admin`
    await page.context().addCookies([{ name: 'placard-zone', value: 'Asia%2FTokyo', url }])
    await page.goto(`${url}?edit=${id}`)
    await expect.poll(() => page.inputValue('#from')).toBe('2097-11-27T00:00')
    expect(await page.inputValue('#zone')).toBe('Europe/Berlin')
  })

  it("contract A17: shows other people's changes at once, names what a draft would replace, and drops an old notice", async () => {
    const page = await drafting(stage, 'My draft')
    await page.focus('#slug')
    await stage.placard.publish({ text: 'From Ben', type: 'post', slug: '/' })
    await inNow(page, 'From Ben').waitFor()
    await page.locator('.conflict', { hasText: 'From Ben' }).waitFor()
    // The outcome of publishing the draft has changed.
    const replaces = 'Replaces the current post announcement: From Ben'
    await page.locator('.outcome li', { hasText: replaces }).waitFor()
    expect(await page.inputValue('#text')).toBe('My draft')
    expect(await hasFocus(page, '#slug')).toBe(true)
    // Scheduled announcements appear too.
    const startsAt = Date.now() + 3_600_000
    await stage.placard.publish({ text: 'Later', type: 'product', slug: '/', startsAt })
    await page.locator('[data-part=next] .words', { hasText: 'Later' }).waitFor()
    await press(page, 'Published')
    expect((await stage.placard.current())?.text).toBe('My draft')
    // The notice of the last action disappears, and the focus moves to the top of the page.
    await stage.placard.publish({ text: 'From Ben again', type: 'post', slug: '/' })
    await page.locator('.notice').waitFor({ state: 'hidden' })
    expect(await hasFocus(page, 'h1')).toBe(true)
  })

  it('contract O1, R8: signs in by a link, focuses the text field, and asks for a name after the first change', async () => {
    const page = await stage.page()
    await page.goto(`${stage.origin}/admin`)
    await page.goto(await stage.link())
    // By keyboard alone: type the text, then press Enter twice.
    await page.locator('#text:focus').waitFor()
    expect(await page.locator('#name').isVisible()).toBe(false)
    // The code is used up, and is no longer in the address.
    expect(page.url()).toBe(`${stage.origin}/admin`)
    await page.keyboard.type('By somebody without a name')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await done(page, 'Published')
    await page.fill('#name', 'Zoë')
    await page.keyboard.press('Enter')
    await page.locator('.ask-name').waitFor({ state: 'detached' })
    expect(await hasFocus(page, '#text')).toBe(true)
    expect(await page.locator('.who').innerText()).toContain('Zoë')
    await page.keyboard.type('By somebody with a name')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    // The first notice still shows, so it can't tell when the second announcement is published.
    const text = async () => (await stage.placard.current())?.text
    await expect.poll(text).toBe('By somebody with a name')
    expect((await stage.placard.current())?.slug).toBe('/')
    await page.goto(`${stage.origin}/admin/history`)
    await page.locator('.entries .by', { hasText: 'by Zoë' }).waitFor()
    expect(await page.locator('.ask-name').count()).toBe(0)
  })

  it("accepts a city's name as its time zone", async () => {
    const page = await stage.signedIn({ locale: 'de' })
    await unfold(page, 'times')
    await page.focus('#zone')
    await page.locator('#zones option[value="Kairo"]').waitFor({ state: 'attached' })
    await page.fill('#text', 'In Ägypten')
    await page.fill('#zone', 'Kairo')
    await page.fill('#from', '2099-12-24T09:00')
    await page.locator('.outcome', { hasText: 'Africa/Cairo' }).waitFor()
    await page.fill('#zone', 'london')
    await page.locator('.outcome', { hasText: 'Europe/London' }).waitFor()
    expect(await page.locator('#zone-fault').textContent()).toBe('')
  })

  it('previews the bar and its snippet with the chosen settings, and warns of low contrast', async () => {
    const page = await stage.signedIn()
    await page.goto(`${stage.origin}/admin/site`)
    const code = page.locator('.looked code')
    await page.check('[name=dismissible]')
    await code.getByText('<placard-link data-dismissible>').waitFor()
    await page.locator('.looked .placard-close').waitFor({ state: 'attached' })
    const language = page.getByRole('combobox', { name: 'Language', exact: true })
    const note = await language.getAttribute('aria-describedby')
    expect(await page.locator(`#${note}`).textContent()).toMatch(/^Leave empty/)
    await language.fill('xx')
    await page
      .locator('.looked .warning', { hasText: 'No visitor’s language matches “xx”' })
      .waitFor()
    await language.fill('french')
    await code.getByText('data-lang="fr"').waitFor()
    await page.check('[name=colored]')
    await page.locator('[name=color]').fill('#888888')
    await page.locator('.looked .warning', { hasText: '3.5:1' }).waitFor()
    // The snippet gets the theme that suits the colours, for the shine and the controls.
    await code.getByText('data-theme="light"').waitFor()
    await page.locator('[name=surface]').fill('#0b5d3b')
    await code.getByText('data-theme="dark"').waitFor()
    expect(await page.locator('fieldset:has([name=theme])').isVisible()).toBe(false)
    const bar = page.locator('.looked .placard')
    await expect
      .poll(() => bar.evaluate((it) => getComputedStyle(it).color))
      .toBe('rgb(136, 136, 136)')
    await page.getByText('Floating at the bottom').click()
    await expect.poll(() => code.textContent()).not.toContain('placard-link')
    await page.reload()
    expect(await page.isChecked('[value=float]')).toBe(true)
    expect(await language.inputValue()).toBe('fr')
    // The choice of theme is kept while the owner's own colours determine the theme.
    expect(await page.isChecked('[name=theme][value=auto]')).toBe(true)
    // A floating bar can always be dismissed. The choice for a bar in the page is kept.
    expect(await page.isVisible('[name=dismissible]')).toBe(false)
    expect(await page.isChecked('[name=dismissible]')).toBe(true)
  })
})
