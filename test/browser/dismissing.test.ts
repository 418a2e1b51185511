import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/placard-html.ts'
import type { DraftInput } from '../../src/core/announcement.ts'
import { violations } from './axe.ts'
import { layoutShift, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()
beforeEach(() => stage.clear())

const RULE = '<style>placard-link { display: block; min-height: 3.25rem }</style>'
const BAR = '<placard-link></placard-link>'
const BELOW = '<main><h1 id="below">Below</h1></main>'
const tag = (attributes = 'data-dismissible') =>
  `<script src="${stage.origin}/embed.js" ${attributes}></script>`
/** Before the first paint. */
const EARLY = () => RULE + tag()

const height = (page: Page) =>
  page.locator('placard-link').evaluate((one) => one.getBoundingClientRect().height)
const line = (page: Page) => page.locator('placard-link .placard').first()

async function dismissed(body = BAR + BELOW, head = EARLY(), sample: DraftInput = SAMPLES.post) {
  await stage.placard.publish(sample)
  const page = await stage.page()
  await page.goto(stage.host(body, {}, head))
  await line(page).waitFor()
  await page.getByRole('button', { name: 'Dismiss announcement' }).click()
  await line(page).waitFor({ state: 'hidden' })
  return page
}

describe('the space of what was dismissed', () => {
  it('closes, stays closed for later loads without a shift, and opens with one for a new text', async () => {
    const page = await dismissed()
    await expect.poll(() => height(page)).toBe(0)
    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect([await height(page), await layoutShift(page)]).toEqual([0, 0])
    await stage.placard.publish({ ...SAMPLES.post, text: 'Another one' })
    await line(page).waitFor()
    expect(await height(page)).toBe(52)
    await layoutShift(page)
    const shifts = () => page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)
    expect((await shifts()).length).toBe(1)
    await page.reload()
    await line(page).waitFor()
    expect([await height(page), await layoutShift(page)]).toEqual([52, 0])
  })

  it('is kept if the page says so', async () => {
    const page = await dismissed('<placard-link data-keep-space></placard-link>')
    expect(await height(page)).toBe(52)
    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect(await height(page)).toBe(52)
  })

  it.each([
    ['no-preference', '0.18s'],
    ['reduce', '0s'],
  ] as const)('closes within 180 ms, or at once (motion: %s)', async (reducedMotion, takes) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page({ reducedMotion })
    await page.goto(stage.host(BAR, {}, EARLY()))
    await line(page).waitFor()
    const durations = () =>
      page.locator('placard-link').evaluate((one) => {
        const place = one.shadowRoot?.querySelector('.placard-place') as Element
        return [one, place].flatMap((it) => getComputedStyle(it).transitionDuration.split(', '))
      })
    expect([...new Set(await durations())]).toEqual([takes])
  })
})

describe('what was dismissed', () => {
  it('stays so when its link, icon or translations change, and when its end is moved later', async () => {
    const first = { ...SAMPLES.post, expiresAt: Date.now() + 3_600_000 }
    const page = await dismissed(BAR + BELOW, EARLY(), first)
    const site = page.url()
    await page.goto('about:blank')
    await stage.placard.publish({
      ...SAMPLES.post,
      slug: '/elsewhere',
      icon: 'gift',
      translations: { de: 'Neues' },
      expiresAt: Date.now() + 10 * 3_600_000,
    })
    await page.clock.install({ time: Date.now() + 2 * 3_600_000 })
    await page.goto(site)
    await line(page).waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)
  })

  it('goes in another tab as that comes back into view', async () => {
    await stage.placard.publish(SAMPLES.post)
    const other = await stage.page()
    await other.goto(stage.host(BAR, {}, EARLY()))
    await line(other).waitFor()
    const page = await other.context().newPage()
    await page.goto(stage.host(BAR, {}, EARLY()))
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    await line(page).waitFor({ state: 'hidden' })
    await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect.poll(() => line(other).isHidden()).toBe(true)
  })

  it('stays so in a page that a framework changes, after another was shown and withdrawn', async () => {
    const page = await stage.page()
    const bar = (event: (typeof SAMPLES)['post' | 'coupon']) =>
      placardHtml({ event, dismissible: true })
    await page.goto(stage.host(`<div id="app">${bar(SAMPLES.post)}</div>`))
    await page.locator('.placard-close').click()
    // As React does it: another element each time, and no script runs.
    for (const event of [SAMPLES.coupon, SAMPLES.post]) {
      await page.evaluate((html) => {
        const app = document.querySelector('#app') as HTMLElement
        app.innerHTML = html
      }, bar(event))
    }
    expect(await page.locator('.placard').evaluate((one) => (one as HTMLElement).hidden)).toBe(true)
  })

  it('causes no hydration error in React, in development', async () => {
    const page = await stage.page()
    const said: string[] = []
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createElement } from 'react'
          import { hydrateRoot } from 'react-dom/client'
          import { PlacardBar } from './src/bar/placard-bar.tsx'
          const bar = createElement(PlacardBar, { event: ${JSON.stringify(SAMPLES.post)}, dismissible: true })
          hydrateRoot(document.querySelector('#app'), bar, { onRecoverableError: (error) => console.error(error) })
          requestIdleCallback(() => { window.isDone = true })`,
        resolveDir: process.cwd(),
      },
      define: { 'process.env.NODE_ENV': '"development"' },
      bundle: true,
      write: false,
    })
    const html = placardHtml({ event: SAMPLES.post, dismissible: true })
    const url = stage.host(`<div id="app">${html}</div>`)
    await page.goto(url)
    await page.locator('.placard-close').click()
    await page.reload()
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    await page.waitForFunction('window.isDone')
    expect(said.filter((text) => /hydrat/i.test(text))).toEqual([])
    expect(await page.locator('.placard').isHidden()).toBe(true)
  })
})

describe('the page decides', () => {
  it.each([
    ['its stylesheet', BAR, '<style>placard-link { display: none !important }</style>'],
    ['a rule of its stylesheet', BAR, '<style>placard-link { display: none }</style>'],
    ['`hidden`', '<placard-link hidden></placard-link>', ''],
  ])('by %s whether the bar shows', async (_, body, style) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    await page.goto(stage.host(body, {}, EARLY() + style))
    await line(page).waitFor({ state: 'attached' })
    await stage.placard.publish(SAMPLES.product)
    await page
      .locator('placard-link .placard-text', { hasText: SAMPLES.product.text })
      .first()
      .waitFor({ state: 'attached' })
    await expect.poll(() => page.locator('placard-link').isVisible()).toBe(false)
  })
})

it.each([
  ['directly in the body', (bar: string) => bar + BELOW],
  ['in a header', (bar: string) => `<header>${bar}</header>${BELOW}`],
])('is a landmark, so axe finds nothing: %s', async (_, body) => {
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  for (const bar of [BAR, placardHtml({ event: SAMPLES.post, dismissible: true })]) {
    await page.goto(stage.host(body(bar), {}, bar === BAR ? EARLY() : ''))
    await page.getByRole('region', { name: 'Announcement' }).first().waitFor()
    expect(await violations(page)).toEqual([])
  }
})
