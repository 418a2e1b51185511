import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { API_SECRET } from '../harness.ts'
import { stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

const shown = async () => (await stage.placard.current())?.text
const slot = (page: Page, text: string) =>
  page.locator('[data-part=now] .words', { hasText: text }).waitFor()
const done = (page: Page, text: string) =>
  page.locator('.notice', { hasText: text }).waitFor({ timeout: 10_000 })

describe('the admin in a browser', () => {
  it('contract O1: from the link to an announcement in one field and two clicks', async () => {
    const page = await stage.page()
    await page.goto(await stage.link('Anna'))
    await page.locator('[data-compose]').waitFor()
    // The code is used up, and neither the address nor the history has it.
    expect(page.url()).toBe(`${stage.origin}/admin`)
    await page.click('#text')
    await page.keyboard.type('25% off until Monday')
    await page.click('[data-compose] .primary')
    await done(page, 'Published')
    expect(await stage.placard.current()).toMatchObject({
      text: '25% off until Monday',
      slug: '/',
      by: { via: 'admin', name: 'Anna' },
    })
  })

  it('contract O1: a link that is opened on the page to sign in works there', async () => {
    const page = await stage.page()
    await page.goto(`${stage.origin}/admin`)
    await page.goto(await stage.link())
    await page.locator('[data-compose]').waitFor()
    expect(page.url()).not.toContain('#')
  })

  it('contract O2: whoever is signed in and follows a link of another site comes in', async () => {
    const page = await stage.signedIn()
    const other = stage.origin.replace('localhost', '127.0.0.1')
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(`${other}/embed.html`)
      await page.evaluate((to) => {
        const link = document.body.appendChild(document.createElement('a'))
        link.href = to
        link.click()
      }, `${stage.origin}/admin`)
      await page.locator('[data-compose]').waitFor()
    }
    expect(page.url()).toBe(`${stage.origin}/admin`)
  })

  it('contract O1: a used link says so', async () => {
    const link = await stage.link()
    const [first, second] = [await stage.page(), await stage.page()]
    await first.goto(link)
    await first.locator('[data-compose]').waitFor()
    await second.goto(link)
    await second.getByText('was used already').waitFor()
    expect(await second.locator('#secret').isVisible()).toBe(true)
  })

  it('contract O1: a link of no use leaves whoever is signed in where they are, and says so', async () => {
    const page = await stage.signedIn()
    const link = await stage.link()
    for (const useless of [link.slice(0, -1), `${stage.origin}/admin#${'A'.repeat(22)}`]) {
      await page.goto(useless)
      await done(page, 'That link was of no use')
      expect(await page.locator('.who').isVisible()).toBe(true)
      await expect.poll(() => page.url()).toBe(`${stage.origin}/admin`)
    }
    // A link within the page is none.
    await page.goto(`${stage.origin}/admin#translations`)
    expect(await page.locator('.notice').count()).toBe(1)
  })

  it('contract O1: a link that lost its last letter on its way says that it does not work', async () => {
    const page = await stage.page()
    await page.goto((await stage.link()).slice(0, -1))
    await page.locator('.notice[data-kind=fault]').waitFor()
    expect(page.url()).not.toContain('#')
  })

  it('shows the bar itself, and where it is cut off', async () => {
    const page = await stage.signedIn()
    await page.fill('#text', 'A sentence that is far too long for a phone, and has to be cut off')
    await page.locator('.stage .placard').nth(3).waitFor()
    const phone = page.locator('.stage[data-width=phone] .cut').first()
    expect(await phone.textContent()).toMatch(/Cut off after .*A sentence that is/)
    expect(await page.locator('.stage[data-width=desktop] .cut').first().textContent()).toBe('')
    expect(await page.locator('.stage .placard').count()).toBe(4)
    await page.check('[name=rtl]')
    await page.locator('.stage [dir=rtl]').first().waitFor()
  })

  it.each([
    ['on a phone', 'phone', 'A sentence that is far too long for a phone, and has to be cut off'],
    ['on a desktop', 'desktop', 'A sentence that no desktop has the room for. '.repeat(4)],
    ['with a flag', 'phone', 'Now available in 🇩🇪🇫🇷🇪🇸🇮🇹🇯🇵🇧🇷🇨🇦🇲🇽🇳🇱🇵🇱🇸🇪🇳🇴 and elsewhere'],
    // No Arabic, whose letters are wider where a word is cut short, as it is measured below.
    ['right to left', 'phone', '25% הנחה על כל התוכניות עד יום שני, ומשלוח חינם לכל מקום'],
  ])(
    'what is said to be visible is, beside the ellipsis, and no letter more: %s',
    async (_, width, text) => {
      const page = await stage.signedIn()
      await page.fill('#text', text)
      const place = page.locator(`.stage[data-width=${width}]`).first()
      const cut = place.locator('.cut', { hasText: 'Cut off after' })
      const visible = /\u2068(.*)\u2069/.exec((await cut.textContent()) ?? '')?.[1] as string
      expect(text.startsWith(visible)).toBe(true)
      const rest = text.slice(visible.length).trimStart()
      const [next] = [...new Intl.Segmenter().segment(rest)].map(({ segment }) => segment)
      const gap = text.slice(visible.length, text.length - rest.length)
      const room = await place.locator('.placard-text').evaluate(
        (box, texts) => {
          const { width } = box.getBoundingClientRect()
          const range = document.createRange()
          return texts.map((one) => {
            box.textContent = one
            range.selectNodeContents(box)
            return width - range.getBoundingClientRect().width
          })
        },
        [`${visible}…`, `${visible}${gap}${next}…`],
      )
      expect(room[0]).toBeGreaterThan(-0.5)
      expect(room[1]).toBeLessThan(0.5)
    },
  )

  it('what a bar of 360 or 1280 px cuts off is the same, however wide the admin is', async () => {
    const page = await stage.signedIn()
    await page.fill('#text', 'A sentence that no desktop has the room for. '.repeat(4))
    await page.locator('.cut', { hasText: 'Cut off after' }).nth(3).waitFor()
    const widths = () =>
      page
        .locator('.stage .placard-text')
        .evaluateAll((texts) => texts.map((text) => (text as HTMLElement).offsetWidth))
    const wide = await widths()
    expect(new Set(wide).size).toBe(2)
    for (const width of [1024, 768, 412, 360, 320]) {
      await page.setViewportSize({ width, height: 740 })
      expect(await widths(), `${width} px`).toEqual(wide)
    }
  })

  it('schedules in the zone of the reader, and shows times in it', async () => {
    const page = await stage.signedIn()
    await page.fill('#text', 'Version 2 is here')
    await page.locator('.more summary').first().click()
    expect(await page.inputValue('#zone')).toBe('Europe/Berlin')
    await page.fill('#from', '2027-10-31T02:30')
    await page.getByText('That time comes twice').waitFor()
    await page.getByLabel('Central European Standard Time').check()
    await page.getByText('Starts Sun, Oct 31, 2027').waitFor()
    await page.click('[data-compose] .primary')
    await done(page, 'Scheduled')
    const time = page.locator('[data-part=next] .rows time').first()
    expect(await time.getAttribute('datetime')).toBe('2027-10-31T01:30:00.000Z')
    expect(await time.textContent()).toContain(' 2:30 AM')
  })

  it('contract A14: an edit shows the times that the list shows, and saving changes none', async () => {
    const [startsAt, expiresAt] = [Date.UTC(2027, 4, 28, 7), Date.UTC(2027, 5, 4, 10, 0, 30, 500)]
    await stage.placard.publish({ text: 'In May', type: 'post', slug: '/', startsAt, expiresAt })
    const page = await stage.signedIn({ locale: 'en-GB' })
    const row = page.locator('[data-part=next] .rows li', { hasText: 'In May' })
    // As the reader's own region writes times.
    expect(await row.locator('time').first().textContent()).toMatch(/28 May 2027, 09:00$/)
    await row.getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(/edit=/)
    const typed = ['#from', '#until', '#zone'].map((field) => page.inputValue(field))
    const shown = ['2027-05-28T09:00', '2027-06-04T12:00:30.5', 'Europe/Berlin']
    expect(await Promise.all(typed)).toEqual(shown)
    await page.click('[data-compose] .primary')
    await done(page, 'Saved')
    const times = await row.locator('time').all()
    const instants = await Promise.all(times.map((time) => time.getAttribute('datetime')))
    expect(instants).toEqual([startsAt, expiresAt].map((ms) => new Date(ms).toISOString()))
  })

  it('contract A14: an edit tells its times in the zone of its fields, before anything is typed', async () => {
    const startsAt = Date.UTC(2027, 10, 26, 23)
    await stage.placard.publish({ text: 'At midnight', type: 'post', slug: '/', startsAt })
    const page = await stage.signedIn()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(/edit=/)
    expect(await page.inputValue('#from')).toBe('2027-11-27T00:00')
    const told = page.locator('.outcome', { hasText: 'Starts Sat, Nov 27, 2027, 12:00 AM' })
    await told.getByText('Europe/Berlin').waitFor()
  })

  it('contract A14: an edit moves no time that comes twice', async () => {
    const startsAt = Date.UTC(2027, 9, 31, 1, 30)
    await stage.placard.publish({ text: 'At night', type: 'post', slug: '/', startsAt })
    const page = await stage.signedIn()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(/edit=/)
    expect(await page.inputValue('#from')).toBe('2027-10-31T02:30')
    const chosen = page.getByLabel('UTC+01:00')
    await chosen.waitFor()
    expect(await chosen.isChecked()).toBe(true)
    await page.click('[data-compose] .primary')
    await done(page, 'Saved')
    const time = page.locator('[data-part=next] .rows time').first()
    expect(await time.getAttribute('datetime')).toBe(new Date(startsAt).toISOString())
  })

  it('contract A14: a time that the clocks skip is refused with the ones around it', async () => {
    const page = await stage.signedIn()
    await page.fill('#text', 'Version 2 is here')
    await page.locator('.more summary').first().click()
    await page.fill('#from', '2027-03-28T02:30')
    await page.getByText('Take 1:30 AM or 3:30 AM').waitFor()
    await page.click('[data-compose] .primary')
    await page.locator('.notice[data-kind=fault]').waitFor()
    expect(await page.inputValue('#from')).toBe('2027-03-28T02:30')
  })

  it('edits what is up, and says when it is gone', async () => {
    await stage.placard.publish({ text: 'Waits', type: 'post', slug: '/waits' })
    await stage.placard.publish({ text: 'In front', type: 'coupon', slug: '/' })
    const page = await stage.signedIn()
    const edit = async (text: string) => {
      const row = page.locator('[data-part=now] .rows li', { hasText: text })
      await row.getByRole('link', { name: 'Edit' }).click()
      await page.waitForURL(/slot=/)
    }
    await edit('Waits')
    expect(await page.inputValue('#slug')).toBe('/waits')
    await page.fill('#text', 'Waits no more')
    await page.click('[data-compose] .primary')
    await done(page, 'Published')
    expect(await shown()).toBe('Waits no more')
    expect(await page.locator('[data-part=now] .rows li[data-id]').count()).toBe(2)
    await edit('In front')
    await stage.placard.withdraw({ type: 'coupon' })
    await page.locator('.conflict', { hasText: 'What you are editing is gone.' }).waitFor()
    // Nobody makes a new one of it without knowing.
    expect(await page.textContent('[data-compose] .primary')).toBe('Publish as new')
    expect(await page.textContent('[data-compose] h1')).toBe('New announcement')
    await page.getByRole('link', { name: 'Discard what I wrote' }).click()
    await page.waitForURL(/\/admin$/)
  })

  it('undoes in two clicks', async () => {
    await stage.placard.publish({ text: 'The first one', type: 'post', slug: '/' })
    await stage.placard.publish({ text: 'The second one', type: 'post', slug: '/' })
    const page = await stage.signedIn()
    await page.goto(`${stage.origin}/admin/history`)
    await page.locator('.sure summary').first().click()
    await page.locator('.sure[open] .primary').click()
    await done(page, 'Undone')
    expect(await shown()).toBe('The first one')
  })

  it('contract A17: what others do appears by itself, and is said before it is replaced', async () => {
    const [mine, other] = [await stage.signedIn(), await stage.signedIn({}, 'Ben')]
    await mine.fill('#text', 'My draft')
    await mine.focus('#slug')
    await other.fill('#text', 'From Ben')
    await other.click('[data-compose] .primary')
    await slot(mine, 'From Ben')
    const said = mine.locator('.conflict', { hasText: 'From Ben' })
    await said.waitFor()
    const time = new Date().toLocaleDateString('en-US', {
      timeZone: 'Europe/Berlin',
      month: 'short',
    })
    expect(await said.innerText()).toMatch(`Published by Ben in the admin, `)
    expect(await said.locator('time').textContent()).toContain(time)
    // What publishing would do now is another thing.
    const replaces = 'It replaces the post that is up now: From Ben'
    await mine.locator('.outcome li', { hasText: replaces }).waitFor()
    expect(await mine.inputValue('#text')).toBe('My draft')
    expect(await mine.evaluate(() => document.activeElement?.id)).toBe('slug')
    // What is only scheduled appears too.
    await stage.placard.publish({
      text: 'Later',
      type: 'product',
      slug: '/',
      startsAt: Date.now() + 3_600_000,
    })
    await mine.locator('[data-part=next] .words', { hasText: 'Later' }).waitFor()
    await mine.click('[data-compose] .primary')
    await done(mine, 'Published')
    expect(await shown()).toBe('My draft')
  })

  it('works without script, signed in with the secret', async () => {
    const page = await stage.page({ javaScriptEnabled: false })
    await page.goto(`${stage.origin}/admin`)
    await page.fill('#secret', API_SECRET)
    await page.click('.sign-in .primary')
    await page.fill('#text', 'Without script')
    await page.getByText('Coupon', { exact: true }).first().click()
    await page.click('.without-script[formaction$=draft]')
    const bars = page.locator('.stage .placard', { hasText: 'Without script' })
    await expect.poll(() => bars.count()).toBe(4)
    await page.click('[data-compose] .primary')
    await done(page, 'Published')
    expect(await shown()).toBe('Without script')
    await page.getByRole('button', { name: 'Take down' }).click()
    await done(page, 'Taken down')
    expect(await shown()).toBeUndefined()
    await page.getByRole('link', { name: 'History' }).click()
    await page.locator('.sure summary').first().click()
    await page.locator('.sure[open] .primary').click()
    await done(page, 'Undone')
    expect(await shown()).toBe('Without script')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.locator('[data-sign-in]').waitFor()
  })
})
