import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { brokenPolicies, layoutShift, openStage, SAMPLES, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(() => stage.clear())

const CONTENT = `<main><h1>A site of its own</h1>${'<p>With text.</p>'.repeat(40)}</main>`

const tag = (attributes = '') =>
  `<script src="${stage.origin}/embed.js" async ${attributes}></script>`

async function visit(body: string, headers?: Record<string, string>, head?: string) {
  const url = stage.host(body, headers, head)
  const page = await stage.page()
  await page.goto(url)
  return page
}

/** Playwright's selectors look into open shadow roots. */
const shows = (page: Page, text: string) =>
  page.locator('placard-link .placard-text', { hasText: text }).waitFor({ timeout: 5_000 })

describe('the script tag', () => {
  it('shows the line in a shadow root, drawn by the service, in the asked language', async () => {
    await stage.placard.publish(SAMPLES.product)
    const asked: string[] = []
    const page = await stage.page()
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(stage.host(`${CONTENT}${tag('data-lang="de" data-theme="dark"')}`))
    await shows(page, SAMPLES.product.text)
    const link = page.getByRole('link', { name: /wird in einem neuen Tab geöffnet/ })
    expect(await link.evaluate((a: HTMLAnchorElement) => [a.target, a.rel])).toEqual([
      '_blank',
      'noopener',
    ])
    const colour = page.locator('placard-link .placard-text')
    expect(await colour.evaluate((text) => getComputedStyle(text).color)).toBe('rgb(161, 161, 170)')
    expect(await page.locator('placard-link .placard-icon path').count()).toBeGreaterThan(0)
    const elsewhere = asked.filter(
      (url) => ![stage.origin, stage.hostOrigin].includes(new URL(url).origin),
    )
    expect(elsewhere).toEqual([])
    await page.context().close()
  })

  it('points into the page that it is on, for a fragment or a path', async () => {
    await stage.placard.publish(SAMPLES.coupon)
    const page = await visit(CONTENT + tag())
    await shows(page, SAMPLES.coupon.text)
    const link = page.locator('placard-link a')
    expect(await link.evaluate((a: HTMLAnchorElement) => a.href)).toBe(
      `${stage.hostOrigin}/#coupon`,
    )
    await page.context().close()
  })

  const PLACES = [
    ['floating', CONTENT, ''],
    ['in a place kept for it', `<div id="top" style="min-height:3rem"></div>${CONTENT}`, '#top'],
    ['in a place not kept for it', `<div id="top"></div>${CONTENT}`, '#top'],
    ['in a row', `<div id="top" style="display:flex;gap:2rem"><p>One</p></div>${CONTENT}`, '#top'],
  ] as const
  it.each(PLACES)('shifts nothing when it comes late, %s', async (_, body, target) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    for (const asset of ['embed.js', 'placard.css', 'embed.html*']) {
      await page.route(`${stage.origin}/${asset}`, async (route) => {
        await held
        await route.continue()
      })
    }
    const url = stage.host(body + tag(target && `data-target="${target}"`))
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    release()
    await shows(page, SAMPLES.post.text)
    expect(await layoutShift(page)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height)
    await page.context().close()
  })

  it('works under a strict policy that also asks for Trusted Types', async () => {
    await stage.placard.publish(SAMPLES.post)
    const only = stage.origin
    const page = await visit(CONTENT + tag('data-dismissible'), {
      'content-security-policy': `default-src 'none'; script-src ${only}; style-src ${only}; connect-src ${only}; require-trusted-types-for 'script'; trusted-types 'none'`,
      'cross-origin-embedder-policy': 'require-corp',
    })
    await shows(page, SAMPLES.post.text)
    await stage.placard.publish(SAMPLES.product)
    await shows(page, SAMPLES.product.text)
    expect(await brokenPolicies(page)).toEqual([])
    await page.context().close()
  })

  it('follows the theme of the page, also when that changes', async () => {
    const page = await visit(`<div data-theme="dark" id="top"></div>${tag('data-target="#top"')}`)
    const colour = () =>
      page.locator('placard-link .placard-text').evaluate((text) => getComputedStyle(text).color)
    await shows(page, '')
    expect(await colour()).toBe('rgb(161, 161, 170)')
    await page.evaluate(() => document.querySelector('#top')?.setAttribute('data-theme', 'light'))
    await expect.poll(colour, { timeout: 5_000 }).toBe('rgb(63, 63, 70)')
    await page.context().close()
  })
})

describe('live', () => {
  it('follows each change, the end included, and says it only then', async () => {
    const page = await visit(CONTENT + tag())
    const status = page.locator('placard-link [role=status]')
    await shows(page, 'Your next')
    expect(await status.textContent()).toBe('')
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(await status.textContent()).toBe(SAMPLES.post.text)
    await stage.placard.publish({ ...SAMPLES.coupon, expiresAt: Date.now() + 700 })
    await shows(page, SAMPLES.coupon.text)
    await shows(page, SAMPLES.post.text)
    await stage.placard.withdraw({ type: 'post' })
    await shows(page, 'Your next')
    expect(await layoutShift(page)).toBe(0)
    await page.context().close()
  })

  it('leaves the reader’s focus and pause where they were', async () => {
    const page = await visit(CONTENT + tag())
    await shows(page, 'Your next')
    await page.locator('placard-link .placard-pause').check()
    await page.locator('placard-link a').focus()
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(await page.locator('placard-link a:focus').count()).toBe(1)
    expect(await page.locator('placard-link .placard-pause').isChecked()).toBe(true)
    await page.context().close()
  })

  it('comes back after a refusal', async () => {
    const page = await stage.page()
    let refused = 0
    await page.route('**/api/events/stream', (route) => {
      if (refused++ === 0) return route.fulfill({ status: 503, body: '{}' })
      return route.continue()
    })
    await page.goto(stage.host(CONTENT + tag()))
    await shows(page, 'Your next')
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(refused).toBe(2)
    await page.context().close()
  })

  it('asks a node again that does not know yet', async () => {
    const page = await visit(CONTENT + tag())
    await shows(page, 'Your next')
    const old = await (await fetch(`${stage.origin}/embed.html`)).text()
    let lagging = 2
    await page.route('**/embed.html*', (route) => {
      if (lagging-- <= 0) return route.continue()
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/html' }
      return route.fulfill({ body: old, headers })
    })
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    await page.context().close()
  })

  it('opens no stream when told not to, and looks again when the page is looked at', async () => {
    const asked: string[] = []
    const page = await stage.page()
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(stage.host(CONTENT + tag('data-live="off"')))
    await shows(page, 'Your next')
    await stage.placard.publish(SAMPLES.post)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await shows(page, SAMPLES.post.text)
    expect(asked).not.toContain('/api/events/stream')
    await page.context().close()
  })
})

describe('closing', () => {
  const line = (page: Page) => page.locator('placard-link .placard')

  it('is not offered unless asked for', async () => {
    const page = await visit(CONTENT + tag())
    await shows(page, 'Your next')
    expect(await page.locator('placard-link button').count()).toBe(0)
    await page.context().close()
  })

  it('lasts for what was closed, not for an edit, and is forgotten when that ends', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(CONTENT + tag('data-dismissible'))
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    expect(await line(page).isHidden()).toBe(true)

    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)

    // White space is not an edit.
    await stage.placard.publish({ ...SAMPLES.post, text: 'We wrote  about caching' })
    await page
      .locator('placard-link .placard-text', { hasText: '  ' })
      .waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)

    await stage.placard.publish({ ...SAMPLES.post, text: 'We wrote about queues' })
    await shows(page, 'queues')
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    await page.context().close()
  })
})
