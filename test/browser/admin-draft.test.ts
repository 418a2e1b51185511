import type { Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { askedBy, hangUp, intercept } from './stage.ts'
import { done, press, stageForAll, translate } from './stage-for-all.ts'

const stage = stageForAll()

/** Types into the text, and waits until the preview shows it: from then on, nothing moves. */
async function type(page: Page, text: string): Promise<void> {
  const before = await page.inputValue('#text')
  await page.locator('#text').pressSequentially(text)
  const all = page.locator('.stage .placard-text').getByText(before + text, { exact: true })
  await all.waitFor()
}

const FIELDS = ['#text', '[name=tag]', '[name=translation]']
/** The text of a draft and its first translation. */
const held = (page: Page) =>
  Promise.all(FIELDS.map((field) => page.locator(field).first().inputValue()))

async function staysOn(page: Page) {
  expect(page.url()).toBe(`${stage.origin}/admin`)
  expect(await page.inputValue('#text')).toBe('Half a thought')
}
async function publishesIt(page: Page) {
  await press(page, 'It’s live')
  expect((await stage.placard.current())?.text).toBe('Half a thought')
}

describe('a draft', () => {
  it('stays in its tab until it is published or discarded, and a notice says that it was restored', async () => {
    const page = await stage.signedIn()
    await type(page, 'Half a thought')
    await translate(page, 'de', 'Ein halber Gedanke')
    const kept = page.locator('.notice', { hasText: 'Your draft has been restored' })
    await page.reload()
    await kept.waitFor()
    expect(await held(page)).toEqual(['Half a thought', 'de', 'Ein halber Gedanke'])
    await page.getByText('14 of 500').waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.waitForURL(/history/)
    await page.getByRole('link', { name: 'Announcement' }).click()
    await kept.waitFor()
    // Each edited announcement has a draft of its own.
    const { id } = await stage.placard.publish({ text: 'Up already', type: 'coupon', slug: '/' })
    await page.goto(`${stage.origin}/admin?edit=${id}`)
    expect(await page.inputValue('#text')).toBe('Up already')
    // The admin in another language shows the same draft.
    await type(page, ', edited')
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByText('Ihr Entwurf wurde wiederhergestellt').waitFor()
    expect(await page.inputValue('#text')).toBe('Up already, edited')
    await page.getByRole('link', { name: 'English' }).click()
    await page.goto(`${stage.origin}/admin`)
    await kept.getByRole('link', { name: 'Discard' }).click()
    await expect.poll(() => page.inputValue('#text')).toBe('')
    await page.reload()
    await page.locator('[data-compose]').waitFor()
    expect(await kept.count()).toBe(0)
    await type(page, 'A whole thought')
    await press(page, 'It’s live')
    await page.reload()
    await page.locator('[data-compose]').waitFor()
    expect(await page.inputValue('#text')).toBe('')
  })

  it('contract O2: outlives its session, and is published after the next sign-in', async () => {
    const page = await stage.signedIn()
    await type(page, 'Half a thought')
    await page.context().clearCookies()
    const signedOut = page.locator('.notice', { hasText: 'You are signed out' })
    await signedOut.waitFor()
    await page.click('[data-compose] .primary')
    await staysOn(page)
    const second = await page.context().newPage()
    await second.goto(await stage.link('Anna'))
    await second.locator('[data-compose]').waitFor()
    // A tab that gets the focus checks its session at once.
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await signedOut.waitFor({ state: 'hidden' })
    await publishesIt(page)
  })

  it('stays if the request to publish it gets no valid response, and is restored when its author goes back to the page', async () => {
    const page = await stage.signedIn()
    await type(page, 'Half a thought')
    await translate(page, 'de', 'Ein halber Gedanke')
    const unsure = 'your change may or may not have been saved'
    const nginx = '<center><h1>504 Gateway Time-out</h1></center><hr><center>nginx</center>'
    const answers = [
      { status: 502, body: '<h1>Bad Gateway</h1>' },
      { status: 504, body: nginx },
      { status: 200, body: '<div><p>Sign in to this network</p></div>' },
      // As if the service ended just before this request.
      undefined,
    ]
    for (const answer of answers) {
      const stop = intercept(/\/publish$/, async () => {
        const headers = { 'content-type': 'text/html' }
        return answer && new Response(answer.body, { status: answer.status, headers })
      })
      // The notice may still be that of the previous response.
      const isPublish = (it: Request) => it.url().endsWith('/publish')
      const end = answer ? 'requestfinished' : 'requestfailed'
      const isOver = page.waitForEvent(end as 'requestfinished', isPublish)
      await page.click('[data-compose] .primary')
      await isOver
      // The notice gets the focus when the page is done with the response.
      await page.locator('.notice:focus', { hasText: unsure }).waitFor()
      await staysOn(page)
      stop()
    }
    await page.getByRole('link', { name: 'History' }).click()
    await page.waitForURL(/history/)
    await page.goBack()
    await done(page, 'Your draft has been restored')
    expect(await held(page)).toEqual(['Half a thought', 'de', 'Ein halber Gedanke'])
    await publishesIt(page)
    const { translations } = (await stage.placard.current()) ?? {}
    expect(translations).toEqual({ de: 'Ein halber Gedanke' })
  })

  it.each([
    ['nothing answers', null],
    ['a proxy answers for it', 502],
  ])("stays if the service can't be reached, because %s", async (_, status) => {
    const page = await stage.signedIn()
    await type(page, 'Half a thought')
    const stop = intercept(/\/admin\//, async () =>
      status === null ? undefined : new Response('Bad gateway', { status }),
    )
    const unsent = page.locator('.notice')
    await page.click('[data-compose] .primary')
    await expect.poll(() => unsent.textContent()).toContain('nothing was published')
    expect(await page.inputValue('#text')).toBe('Half a thought')
    if (status === null) {
      // The notice stays during a longer outage, which the page would otherwise report.
      let failures = 0
      page.on('requestfailed', () => failures++)
      await page.clock.install({ time: Date.now() + 60_000 })
      await expect.poll(() => failures).toBeGreaterThan(1)
      expect(await unsent.textContent()).toContain('nothing was published')
    }
    stop()
    await publishesIt(page)
  })

  it('stays while other announcements are taken down, removed and restored', async () => {
    const page = await stage.signedIn()
    const row = (part: string, text: string) =>
      page.locator(`[data-part=${part}] .rows li`, { hasText: text })
    const said = (text: string) => page.locator('.notice:focus', { hasText: text }).waitFor()
    const startsAt = Date.now() + 3_600_000
    await stage.placard.publish({ text: 'Up already', type: 'coupon', slug: '/' })
    await stage.placard.publish({ text: 'Up later', type: 'post', slug: '/', startsAt })
    await row('next', 'Up later').waitFor()
    await type(page, 'Half a thought')
    await page.getByRole('button', { name: 'Take down' }).click()
    await said('Taken down.')
    await row('now', 'Up already').waitFor({ state: 'detached' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await said('is back.')
    await page.getByRole('button', { name: 'Redo' }).click()
    await said('has been removed.')
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await said('is back.')
    await row('now', 'Up already').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await said('Removed from the schedule.')
    await row('next', 'Up later').waitFor({ state: 'detached' })
    expect(await page.locator('.notice').count()).toBe(1)
    // A person's own changes are no conflict.
    expect(await page.locator('.conflict').count()).toBe(0)
    expect(await page.inputValue('#text')).toBe('Half a thought')
    const stop = hangUp(/\/admin\//)
    await page.getByRole('button', { name: 'Take down' }).click()
    await said('may or may not have been saved')
    stop()
    await publishesIt(page)
  })

  it('contract A17: shows that the edited announcement is gone, until it is back', async () => {
    await stage.placard.publish({ text: 'Up already', type: 'coupon', slug: '/' })
    const page = await stage.signedIn()
    const { id } = (await stage.placard.current()) as { id: string }
    await page.goto(`${stage.origin}/admin?edit=${id}`)
    const other = page.locator('[name=type][value=product]')
    expect(await other.isDisabled()).toBe(true)
    await page.fill('#text', 'Up already!')
    await page.getByRole('button', { name: 'Take down' }).click()
    await page.locator('.conflict', { hasText: 'Taken down by Anna' }).waitFor()
    // The draft is now a new announcement.
    expect(await other.isDisabled()).toBe(false)
    await page.locator('.notice button').click()
    await page.locator('.conflict').waitFor({ state: 'detached' })
    expect(await page.inputValue('#text')).toBe('Up already!')
    await press(page, 'Saved')
    expect((await stage.placard.current())?.text).toBe('Up already!')
  })

  it('contract O2: is sent once for several presses; a signed-out person without a draft sees the sign-in page', async () => {
    const page = await stage.signedIn()
    const sent = askedBy(page, /\/publish$/)
    await type(page, 'A whole thought')
    await page.dblclick('[data-compose] .primary')
    await done(page, 'It’s live')
    expect(sent).toHaveLength(1)
    await page.context().clearCookies()
    await page.locator('[data-sign-in]').waitFor()
    expect(await page.locator('[data-compose]').count()).toBe(0)
  })
})
