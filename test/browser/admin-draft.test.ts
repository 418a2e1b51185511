import { describe, expect, it } from 'vitest'
import { stageForAll } from './stage-for-all.ts'

const stage = stageForAll()

describe('a draft', () => {
  it('is not left without asking', async () => {
    const page = await stage.signedIn()
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => dialog.dismiss())
    await stage.placard.publish({ text: 'Up already', type: 'coupon', slug: '/' })
    const takeDown = page.locator('[data-part=now] form button')
    await takeDown.waitFor()
    await page.locator('#text').pressSequentially('Half a thought')
    for (const way of [takeDown, page.getByRole('link', { name: 'History' })]) {
      const asked = page.waitForEvent('dialog')
      await way.click({ noWaitAfter: true })
      expect((await asked).type()).toBe('beforeunload')
    }
    expect(await page.inputValue('#text')).toBe('Half a thought')
    // Once it is sent, there is nothing to ask.
    await page.click('[data-compose] .primary')
    await page.locator('.notice', { hasText: 'Published' }).waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.waitForURL(/history/)
    await page.context().close()
  })

  it('contract O2: outlives its session, and is published after the next sign-in', async () => {
    const page = await stage.signedIn()
    await page.locator('#text').pressSequentially('Half a thought')
    await page.context().clearCookies()
    const signedOut = page.locator('.signed-out')
    await signedOut.waitFor()
    await page.click('[data-compose] .primary')
    expect([page.url(), await page.inputValue('#text')]).toEqual([
      `${stage.origin}/admin`,
      'Half a thought',
    ])
    const second = await page.context().newPage()
    await second.goto(await stage.link('Anna'))
    await second.locator('[data-compose]').waitFor()
    await signedOut.waitFor({ state: 'hidden' })
    await page.click('[data-compose] .primary')
    await page.locator('.notice', { hasText: 'Published' }).waitFor()
    expect((await stage.placard.current())?.text).toBe('Half a thought')
    await page.context().close()
  })

  it.each([
    ['nothing answers', null],
    ['a proxy answers for it', 502],
  ])('stays when the service is out of reach, because %s', async (_, status) => {
    const page = await stage.signedIn()
    await page.locator('#text').pressSequentially('Half a thought')
    if (status === null) await page.context().setOffline(true)
    else await page.route('**/admin/**', (route) => route.fulfill({ status, body: 'Bad gateway' }))
    const unsent = page.locator('.unsent')
    expect(await unsent.isVisible()).toBe(false)
    await page.click('[data-compose] .primary')
    await unsent.getByText('nothing is published').waitFor()
    expect(await page.inputValue('#text')).toBe('Half a thought')
    await page.context().setOffline(false)
    await page.unroute('**/admin/**')
    await page.click('[data-compose] .primary')
    await page.locator('.notice', { hasText: 'Published' }).waitFor()
    expect((await stage.placard.current())?.text).toBe('Half a thought')
    await page.context().close()
  })

  it('contract O2: is not lost to a session that ended a moment before it is sent', async () => {
    const page = await stage.signedIn()
    await page.locator('#text').pressSequentially('Half a thought')
    const [cookie] = await page.context().cookies()
    await page.context().clearCookies()
    await page.click('[data-compose] .primary')
    await page.locator('.signed-out').waitFor()
    expect(await page.locator('.unsent').isVisible()).toBe(false)
    expect(await page.inputValue('#text')).toBe('Half a thought')
    // Signed in again, elsewhere.
    await page.context().addCookies([cookie as never])
    await page.click('[data-compose] .primary')
    await page.locator('.notice', { hasText: 'Published' }).waitFor()
    expect((await stage.placard.current())?.text).toBe('Half a thought')
    await page.context().close()
  })

  it('is sent once, however often the button is pressed', async () => {
    const page = await stage.signedIn()
    let sent = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/publish')) sent++
    })
    await page.locator('#text').pressSequentially('A whole thought')
    await page.dblclick('[data-compose] .primary')
    await page.locator('.notice', { hasText: 'Published' }).waitFor()
    expect(sent).toBe(1)
    await page.context().close()
  })

  it('contract O2: without one, whoever is signed out sees the page to sign in', async () => {
    const page = await stage.signedIn()
    await page.context().clearCookies()
    await page.locator('[data-sign-in]').waitFor()
    expect(await page.locator('[data-compose]').count()).toBe(0)
    await page.context().close()
  })
})
