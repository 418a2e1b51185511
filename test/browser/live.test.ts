import type { Page, Route } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DraftInput } from '../../src/core/announcement.ts'
import { timedClock } from '../harness.ts'
import { type Link, startProxy } from '../postgres/proxy.ts'
import {
  askedBy,
  hangUp,
  layoutShift,
  ROOM,
  SAMPLES,
  setHidden,
  shows,
  stageForFile,
  stopClock,
} from './stage.ts'

/** How the bar on an open page stays current. */

const clock = timedClock()
const stage = stageForFile(clock)
const { post, coupon, product } = SAMPLES
const publish = (draft: DraftInput) => stage.placard.publish(draft)

const MINUTE = 60_000
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
const NOTHING = 'Your next'
const tag = (attributes = '') => stage.tag(`data-fallback-text="Your next bar" ${attributes}`)

/** Opens a page on which `answer` handles each request for `path`; `asked` counts the requests. */
async function routed(path: string, answer: (route: Route, asked: number) => unknown) {
  const page = await stage.page()
  const count = { page, asked: 0 }
  await page.route(path, (route) => answer(route, ++count.asked))
  return count
}
const STREAM = '**/api/events/stream?*'
const BAR = '**/embed.json?*'

it('the bar shows each change, even an end, and screen readers hear only changes', async () => {
  const page = await stage.site(tag())
  await shows(page, NOTHING)
  await page.locator('placard-link [role=status]').evaluate((status) => {
    const said = [status.textContent]
    Object.assign(window, { said })
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true })
  })
  await publish(post)
  await shows(page, post.text)
  await publish({ ...coupon, expiresAt: clock.now() + MINUTE })
  await shows(page, coupon.text)
  await clock.pass(MINUTE)
  // Screen readers hear the text without the decorative sparkle.
  const said = ['', post.text, coupon.text, post.text]
  await expect.poll(() => page.evaluate('said')).toEqual(said)
  await stage.placard.withdraw({ type: 'post' })
  await shows(page, NOTHING)
  expect(await page.evaluate('said')).toEqual([...said, 'Your next bar'])
  expect(await layoutShift(page)).toBe(0)
})

it('contract R4: while the stream is open, a page makes no request after a change, a start or an end', async () => {
  await publish(post)
  const page = await stage.page()
  const opened = page.waitForResponse(STREAM)
  await page.goto(stage.host(tag()))
  await shows(page, post.text)
  await opened
  const asked = askedBy(page)
  await publish({ ...coupon, expiresAt: clock.now() + MINUTE })
  await shows(page, coupon.text)
  await clock.pass(MINUTE)
  await shows(page, post.text)
  await publish({ ...product, startsAt: clock.now() + MINUTE })
  await clock.pass(MINUTE)
  await shows(page, product.text)
  expect(asked).toEqual([])
})

it("while the stream is open, a reader's fast clock doesn't end the announcement early", async () => {
  await publish({ ...coupon, expiresAt: clock.now() + MINUTE })
  const page = await stage.page()
  await stopClock(page, clock.now() + 2 * MINUTE)
  const opened = page.waitForResponse(STREAM)
  await page.goto(stage.host(tag()))
  await shows(page, coupon.text)
  await page.clock.runFor(100)
  await opened
  // Once this change shows, the stream's first message has been processed.
  await publish(post)
  await shows(page, post.text)
  await stage.placard.withdraw({ type: 'post' })
  await shows(page, coupon.text)
  await page.clock.runFor(5_000)
  expect(await page.locator('placard-link .placard').first().isVisible()).toBe(true)
})

it("a bar that the reader's fast clock has hidden shows again once the stream reconnects", async () => {
  await publish({ ...coupon, expiresAt: clock.now() + MINUTE })
  const page = await stage.page()
  // While the clock stands still, nothing hides the bar before the stream opens.
  await stopClock(page, clock.now() + 2 * MINUTE)
  const opened = page.waitForResponse(STREAM)
  await page.goto(stage.host(tag()))
  await shows(page, coupon.text)
  await page.clock.runFor(100)
  await opened
  const bar = page.locator('placard-link .placard')
  await setHidden(page, true)
  await page.clock.runFor(1_000)
  await bar.waitFor({ state: 'hidden' })
  await setHidden(page, false)
  await expect.poll(() => bar.isVisible()).toBe(true)
})

it('a change keeps the focus, the scroll position and the pause of the motion', async () => {
  const page = await stage.site(`${ROOM}${tag()}<div style="height: 5000px"></div>`)
  await shows(page, NOTHING)
  await page.locator('placard-link .placard-pause').check()
  await page.locator('placard-link a').focus()
  await page.evaluate(() => scrollTo(0, 2_000))
  await publish(post)
  await shows(page, post.text)
  expect(await page.evaluate(() => scrollY)).toBe(2_000)
  expect(await page.locator('placard-link a:focus').count()).toBe(1)
  expect(await page.locator('placard-link .placard-pause').first().isChecked()).toBe(true)
})

describe('the stream', () => {
  it('is reopened with a backoff of up to a minute, and at once when the tab comes into view', async () => {
    const body = 'id: cut\ndata: {"id":"cut"}\n\n'
    const headers = { ...ANY_ORIGIN, 'content-type': 'text/event-stream' }
    const stream = await routed(STREAM, (route, asked) =>
      asked === 1 ? route.fulfill({ headers, body }) : route.abort(),
    )
    const { page } = stream
    const failed: string[] = []
    page.on('console', (line) => line.type() === 'error' && failed.push(line.text()))
    await stopClock(page)
    await page.goto(stage.host(tag('data-lang="en"')))
    await shows(page, NOTHING)
    hangUp(/\/embed\.json/)
    const during = async (seconds: number) => {
      const before = stream.asked
      for (let i = 0; i < seconds; i++) {
        await page.clock.runFor(1_000)
        await page.evaluate(() => {})
      }
      return stream.asked - before
    }
    const first = await during(60)
    expect(first).toBeGreaterThanOrEqual(4)
    expect(first).toBeLessThanOrEqual(8)
    await during(120)
    expect(await during(300)).toBeLessThanOrEqual(6)
    // Each failure logs two lines to the console: for the stream, and for the request made instead.
    expect(failed.length).toBeLessThanOrEqual(60)
    const before = stream.asked
    await setHidden(page, true)
    await setHidden(page, false)
    await expect.poll(() => stream.asked).toBeGreaterThan(before)
  })

  it('is aborted and retried after a minute without a response, during which the page requests the bar once', async () => {
    await publish(post)
    const stream = await routed(STREAM, (route, asked) => asked > 2 && route.continue())
    const { page } = stream
    const asked = askedBy(page, /embed\.json/)
    await stopClock(page)
    await page.goto(stage.host(tag()))
    await shows(page, post.text)
    await page.clock.runFor(100)
    await expect.poll(() => stream.asked).toBe(1)
    await publish(product)
    await page.clock.runFor(2_000)
    expect(asked).toEqual([])
    await page.clock.runFor(1_000)
    await shows(page, product.text)
    await page.clock.runFor(56_000)
    expect([stream.asked, asked.length]).toEqual([1, 1])
    const givenUp = page.waitForEvent('requestfailed')
    await page.clock.runFor(2_000)
    await givenUp
    await expect.poll(() => stream.asked).toBe(2)
    await page.clock.runFor(60_000)
    await expect.poll(() => stream.asked).toBe(3)
    await publish(coupon)
    await shows(page, coupon.text)
    // The stream has responded, so it stays open.
    await page.clock.runFor(50_000)
    expect(stream.asked).toBe(3)
  })

  it('contract R4: reconnects after a minute of silence', async () => {
    await publish(post)
    const proxy = await startProxy(stage.origin)
    onTestFinished(proxy.close)
    let stream: Link | undefined
    let isSilent = false
    proxy.inspect = (chunk, _, link) => {
      if (chunk.includes('GET /api/events/stream')) stream ??= link
      return !(isSilent && link === stream)
    }
    const page = await stage.page()
    await stopClock(page)
    const opened = page.waitForResponse(STREAM)
    await page.goto(stage.host(`<script src="${new URL(proxy.url).origin}/embed.js"></script>`))
    await shows(page, post.text)
    await page.clock.runFor(100)
    await opened
    isSilent = true
    await publish(coupon)
    const again = page.waitForRequest(STREAM)
    await page.clock.runFor(61_000)
    expect((await again).url()).toContain(new URL(proxy.url).host)
    await shows(page, coupon.text)
  })

  it("contract R4: isn't kept open by a background tab, which catches up when it comes back into view", async () => {
    const page = await stage.page()
    const stream = page.waitForRequest(STREAM)
    await page.goto(stage.host(tag()))
    await shows(page, NOTHING)
    const opened = await stream
    const others = askedBy(page, /\/stream\?/)
    await Promise.all([
      page.waitForEvent('requestfailed', (request) => request === opened),
      setHidden(page, true),
    ])
    await publish(post)
    expect(others).toEqual([])
    await Promise.all([page.waitForRequest(STREAM), setHidden(page, false)])
    await shows(page, post.text)
  })
})

describe('without a stream', () => {
  it('contract N2: an open page requests the bar and tries the stream once a minute, and on coming back into view', async () => {
    await publish(post)
    const { page } = await routed(STREAM, (route) =>
      route.fulfill({ status: 204, headers: ANY_ORIGIN }),
    )
    await stopClock(page)
    const asked = askedBy(page)
    const of = (path: string) => asked.filter((url) => new URL(url).pathname === path).length
    const refused = page.waitForResponse(STREAM)
    await page.goto(stage.host(tag()))
    await shows(page, post.text)
    await page.clock.runFor(100)
    await refused
    await expect.poll(() => of('/embed.json')).toBe(1)
    await publish(coupon)
    await page.clock.runFor(55_000)
    expect([of('/embed.json'), of('/api/events/stream')]).toEqual([1, 1])
    // The stream is refused within 3 s, so the page doesn't also request the bar because the stream is silent.
    const again = page.waitForResponse(STREAM)
    await page.clock.runFor(6_000)
    await again
    await shows(page, coupon.text)
    expect([of('/embed.json'), of('/api/events/stream')]).toEqual([2, 2])

    await setHidden(page, true)
    await publish(product)
    const { length } = asked
    await page.clock.runFor(600_000)
    expect(asked.slice(length)).toEqual([])
    await setHidden(page, false)
    await shows(page, product.text)
  })

  it('a page with data-live="off" requests the bar when it comes into view', async () => {
    const page = await stage.page()
    const streams = askedBy(page, /\/stream\?/)
    await page.goto(stage.host(tag('data-live="off"')))
    await shows(page, NOTHING)
    await publish(post)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await shows(page, post.text)
    expect(streams).toEqual([])
  })

  it('a page that receives the same bar again keeps it, even with a fragment link to the page, and screen readers hear nothing', async () => {
    const { id } = await publish({ ...post, slug: '#news' })
    const page = await stage.site(`${tag('data-live="off"')}<h2 id="news">News</h2>`)
    await shows(page, post.text)
    const kept = await page.evaluateHandle(() =>
      document.querySelector('placard-link')?.shadowRoot?.querySelector('.placard'),
    )
    // An edit of another language's text changes the id of all bars.
    for (const translations of [undefined, { de: 'Auf Deutsch' }]) {
      if (translations) await stage.edit(id, { ...post, slug: '#news', translations })
      const news = page.waitForResponse(/embed\.json/)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await (await news).finished()
      const now = await page.evaluate((bar) => {
        const root = document.querySelector('placard-link')?.shadowRoot
        const said = root?.querySelector('[role=status]')?.textContent
        return [root?.querySelector('.placard') === bar, said]
      }, kept)
      expect(now).toEqual([true, ''])
    }
  })

  it.each([
    ['with data-live="off"', 'data-live="off"'],
    ['that fails to open a stream', ''],
  ])('contract A9: an offline page %s hides the announcement at its end', async (_, attributes) => {
    const { page } = await routed(STREAM, (route) => route.abort())
    await stopClock(page, clock.now())
    await publish({ ...post, expiresAt: clock.now() + 60_000 })
    await page.goto(stage.host(tag(attributes)))
    await shows(page, post.text)
    const bar = page.locator('placard-link .placard')
    await page.clock.runFor(58_000)
    expect(await bar.isVisible()).toBe(true)
    hangUp(/^http/)
    await page.clock.runFor(5_000)
    // A late response may show the bar again until the page next checks the time.
    const isVisible = async () => {
      await page.clock.runFor(1_000)
      return bar.isVisible()
    }
    await expect.poll(isVisible).toBe(false)
  })
})

describe('a script that requests the bar', () => {
  /** Removes the bar from the script, as the service does while the database doesn't answer. */
  const withoutBar = (page: Page) =>
    page.route('**/embed.js', async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(
        /^\{let BAR=.*?\};(?=\(function)/,
        '{let BAR={"trees":{}};',
      )
      await route.fulfill({ response, body })
    })

  it('does so once if it came without the bar, and then shows changes from the stream', async () => {
    await publish(post)
    const loads = await routed(BAR, (route) => route.continue())
    await withoutBar(loads.page)
    await loads.page.goto(stage.host(tag('data-lang="de"')))
    await shows(loads.page, post.text)
    await publish(product)
    await shows(loads.page, product.text)
    expect(loads.asked).toBe(1)
  })

  it('takes the bar from the stream if the request fails', async () => {
    await publish(post)
    const loads = await routed(BAR, (route) => route.abort())
    await withoutBar(loads.page)
    await loads.page.goto(stage.host(tag()))
    await shows(loads.page, post.text)
    expect(loads.asked).toBe(1)
  })

  it.each([
    ['an error', '{"error":"The database is unavailable"}'],
    ["a proxy's sign-in page", '<title>Sign in to this network</title>'],
  ])("doesn't mistake %s for a bar", async (_, body) => {
    await publish(post)
    const { page } = await routed(BAR, (route) => route.fulfill({ body, headers: ANY_ORIGIN }))
    await page.route(STREAM, (route) => route.abort())
    await page.goto(stage.host(tag()))
    await shows(page, post.text)
    const answered = page.waitForResponse(BAR)
    await setHidden(page, true)
    await setHidden(page, false)
    await answered
    expect(await page.locator('placard-link .placard-text').textContent()).toBe(post.text)
  })

  it('never shows an older bar after a newer one from the stream', async () => {
    await publish(post)
    const older = Promise.withResolvers<void>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const loads = await routed(BAR, async (route) => {
      const response = await route.fetch()
      older.resolve()
      await promise
      await route.fulfill({ response })
    })
    const { page } = loads
    await withoutBar(page)
    await page.goto(stage.host(tag()))
    await older.promise
    await publish(product)
    await shows(page, product.text)
    const answered = page.waitForResponse(BAR)
    resolve()
    await (await answered).finished()
    await publish(coupon)
    await shows(page, coupon.text)
    const texts = await page.locator('placard-link .placard-text').allTextContents()
    expect(texts).not.toContain(post.text)
  })
})
