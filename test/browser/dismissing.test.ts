import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/markup.ts'
import { PlacardBar } from '../../src/bar/placard-bar.tsx'
import { dismissScript, endScript } from '../../src/bar/scripts.ts'
import { afterTest } from '../after-file.ts'
import { violations } from './axe.ts'
import { bundled } from './bundle.ts'
import {
  brokenPolicies,
  layoutShift,
  listen,
  SAMPLES,
  shows,
  stageForFile,
  stopClock,
} from './stage.ts'

/** What hides the bar on a page: a dismissal, the announcement's end, and the page's own styles. */

const stage = stageForFile()
const { post, coupon, product } = SAMPLES

const HOUR = 3_600_000
const BAR = '<placard-link></placard-link>'
/** Reserves the bar's space and loads the embed script before the first paint. */
const early = (more = '') => ({
  head: `<style>placard-link:not([hidden]) { display: block; min-height: 3.25rem }</style>
    <script src="${stage.origin}/embed.js" data-dismissible></script>${more}`,
})

const height = (page: Page) =>
  page.locator('placard-link').evaluate((one) => one.getBoundingClientRect().height)
const line = (page: Page) => page.locator('placard-link .placard').first()
async function dismiss(page: Page) {
  await page.getByRole('button', { name: 'Dismiss announcement' }).click()
  await line(page).waitFor({ state: 'hidden' })
}
/** The bar's HTML, as an app renders it. */
const rendered = (event: (typeof SAMPLES)[keyof typeof SAMPLES]) =>
  placardHtml({ event, dismissible: true })

/** Notes whether the bar above this script would be painted. */
const LOOK = `<script>wasVisible = document.querySelector('.placard').checkVisibility()</script>`

/** A policy that allows only this script, by its hash. */
const only = (script: string) => {
  const hash = createHash('sha256').update(script).digest('base64')
  return {
    'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; require-trusted-types-for 'script'`,
  }
}

describe('the space of a dismissed bar', () => {
  beforeEach(() => stage.placard.publish(post))

  it('closes, stays closed on later loads without a layout shift, and opens again for a new text, which shifts the layout', async () => {
    const page = await stage.site(`${BAR}<main>Below</main>`, early())
    await dismiss(page)
    await expect.poll(() => height(page)).toBe(0)
    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect([await height(page), await layoutShift(page)]).toEqual([0, 0])
    await stage.placard.publish({ ...post, text: 'Another one' })
    await line(page).waitFor()
    expect(await height(page)).toBe(52)
    await layoutShift(page)
    expect(await page.evaluate('shifts.length')).toBe(1)
    await page.reload()
    await line(page).waitFor()
    expect([await height(page), await layoutShift(page)]).toEqual([52, 0])
  })

  it("closes even on a page that can't use storage", async () => {
    const headers = { 'content-security-policy': 'sandbox allow-scripts' }
    const page = await stage.site(BAR, { ...early(), headers })
    await dismiss(page)
    await expect.poll(() => height(page)).toBe(0)
  })

  it('stays reserved with `data-keep-space`', async () => {
    const page = await stage.site('<placard-link data-keep-space></placard-link>', early())
    await dismiss(page)
    expect(await height(page)).toBe(52)
    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect(await height(page)).toBe(52)
  })

  it('stays closed when the page comes back into view, even if storage is blocked', async () => {
    const headers = { 'content-security-policy': 'sandbox allow-scripts' }
    const html = '<placard-link data-live="off"></placard-link>'
    const { id } = await stage.placard.publish(post)
    const page = await stage.site(html, { ...early(), headers })
    await dismiss(page)
    const fresh = page.waitForResponse(/embed\.json/)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await (await fresh).finished()
    expect(await line(page).isHidden()).toBe(true)
    // It stays hidden after an edit of another language's text, too.
    await stage.edit(id, { ...post, translations: { de: 'Auf Deutsch' } })
    const news = page.waitForResponse(/embed\.json/)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await (await news).finished()
    expect(await line(page).isHidden()).toBe(true)
  })
})

describe('a dismissed announcement', () => {
  it('stays hidden after edits and after other announcements, until its text changes', async () => {
    await stage.placard.publish({ ...post, expiresAt: Date.now() + HOUR })
    const page = await stage.site(BAR, early())
    await dismiss(page)
    const site = page.url()
    await page.goto('about:blank')
    await stage.placard.publish({
      ...post,
      // Different white space doesn't make it a different text.
      text: 'We wrote  about caching',
      slug: '/elsewhere',
      icon: 'gift',
      translations: { de: 'Neues' },
      expiresAt: Date.now() + 10 * HOUR,
    })
    await page.clock.install({ time: Date.now() + 2 * HOUR })
    await page.goto(site)
    await line(page).waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)
    await stage.placard.publish({ ...post, text: 'We wrote about queues' })
    await shows(page, 'queues')
    await stage.placard.publish(post)
    await expect.poll(() => line(page).isHidden()).toBe(true)
    expect(await line(page).textContent()).toContain(post.text)
  })

  it('stays hidden if it is a fallback whose text has quotation marks', async () => {
    const text = '&quot;Early&quot; access, now: ['
    const page = await stage.site(
      `<placard-link data-fallback-text="${text}"></placard-link>`,
      early(),
    )
    await dismiss(page)
    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)
  })

  it('disappears from another tab when that tab comes back into view', async () => {
    await stage.placard.publish(post)
    const other = await stage.site(BAR, early())
    await line(other).waitFor()
    const page = await other.context().newPage()
    await page.goto(other.url())
    await dismiss(page)
    // Tabs have processes of their own, to which the browser copies the storage.
    await other.waitForFunction(() => localStorage.placard)
    await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect.poll(() => line(other).isHidden()).toBe(true)
  })

  it('causes no hydration error in React, in development', async () => {
    const page = await stage.page()
    const said: string[] = []
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
    const app = await bundled(
      `import { createElement } from 'react'
      import { hydrateRoot } from 'react-dom/client'
      import { PlacardBar } from './src/bar/placard-bar.tsx'
      const bar = createElement(PlacardBar, { event: ${JSON.stringify(post)}, dismissible: true })
      hydrateRoot(document.querySelector('#app'), bar, { onRecoverableError: (error) => console.error(error) })
      requestIdleCallback(() => { window.isDone = true })`,
      { define: { 'process.env.NODE_ENV': '"development"' } },
    )
    await page.goto(stage.host(`<div id="app">${rendered(post)}</div>`))
    await page.locator('.placard-close').click()
    await page.reload()
    await page.addScriptTag({ content: app })
    await page.waitForFunction('window.isDone')
    expect(said.filter((text) => /hydrat/i.test(text))).toEqual([])
    expect(await page.locator('.placard').isHidden()).toBe(true)
  })

  it('stays hidden when an app renders it again and after a page load, under a strict policy', async () => {
    const nothing = renderToStaticMarkup(createElement(PlacardBar, { dismissible: true }))
    const bars = [coupon, post].map(rendered)
    const templates = bars.map((bar) => `<template>${bar}</template>`).join('')
    const headers = only(dismissScript)
    const page = await stage.site(nothing + templates, { headers })
    /** Like React, inserts a new element each time, and runs no script in it. */
    const put = (index: number) =>
      page.evaluate((index) => {
        document.querySelector('.placard')?.remove()
        const bar = document.querySelectorAll('template')[index]?.content.querySelector('.placard')
        document.body.prepend(bar?.cloneNode(true) as Element)
      }, index)
    for (const [index, { text }] of [coupon, post].entries()) {
      await put(index)
      const bar = page.locator('.placard', { hasText: text })
      await expect.poll(() => bar.isVisible()).toBe(true)
      await bar.locator('.placard-close').click()
      expect(await bar.isVisible()).toBe(false)
    }
    await put(0)
    expect(await page.locator('.placard').isVisible()).toBe(false)
    await page.goto(stage.host(bars.join(''), headers))
    expect(await page.locator('.placard').count()).toBe(2)
    expect(await page.locator('.placard:visible').count()).toBe(0)
    expect(await brokenPolicies(page)).toEqual([])
  })

  it("is hidden before the first paint of an app's own bar, and other announcements aren't", async () => {
    const page = await stage.page()
    const wasVisible = async (event: Parameters<typeof rendered>[0]) => {
      await page.goto(stage.host(rendered(event) + LOOK))
      return page.evaluate('wasVisible')
    }
    expect(await wasVisible(post)).toBe(true)
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    for (const event of [post, product, post]) {
      expect(await wasVisible(event)).toBe(event === product)
    }
  })

  it('is never visible on a later load, however late the rest of the page arrives', async () => {
    const html = `<!doctype html>${rendered(post)}`
    const barEnd = html.indexOf('</div>') + '</div>'.length
    const late = Promise.withResolvers<void>()
    let visits = 0
    const site = await listen(() => {
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(html.slice(0, barEnd)))
          if (visits++ > 0) await late.promise
          controller.enqueue(new TextEncoder().encode(html.slice(barEnd)))
          controller.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/html' } })
    })
    afterTest(site.close)
    const page = await stage.page()
    await page.goto(site.url)
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    await page.goto(site.url, { waitUntil: 'commit' })
    await page.locator('.placard').waitFor({ state: 'attached' })
    expect(await page.locator('.placard').isVisible()).toBe(false)
    late.resolve()
  })
})

it('without JavaScript, the bar shows but its dismiss button, which needs it, does not', async () => {
  const page = await stage.page({ javaScriptEnabled: false })
  const styles = `<link rel="stylesheet" href="${stage.origin}/placard.css">`
  await page.goto(stage.host(rendered(post), {}, styles))
  expect(await page.locator('.placard').isVisible()).toBe(true)
  expect(await page.locator('button:visible').count()).toBe(0)
})

describe("an announcement's end", () => {
  it('contract N4: hides the bar of an open page within 1 s, until the end is postponed or removed', async () => {
    const bar = placardHtml({ event: { ...coupon, expiresAt: 60_000 }, hideAtEnd: true })
    const page = await stage.page()
    await stopClock(page)
    await page.goto(stage.host(bar, only(endScript)))
    const isVisible = () => page.locator('.placard').first().isVisible()
    const isVisibleAfter = async (ms: number) => {
      await page.clock.runFor(ms)
      return isVisible()
    }
    expect(await isVisibleAfter(59_000)).toBe(true)
    expect(await isVisibleAfter(1_990)).toBe(false)

    // Like React, this inserts the bar without running its script.
    await page.evaluate(() => {
      const later = document.querySelector('.placard')?.cloneNode(true) as HTMLElement
      later.hidden = false
      later.dataset.until = String(Date.now() + 5_000)
      document.body.prepend(later)
    })
    expect(await isVisible()).toBe(true)
    expect(await isVisibleAfter(5_990)).toBe(false)
    // The end is postponed: React keeps the element and changes the attribute.
    await page.evaluate(() => {
      const bar = document.querySelector<HTMLElement>('.placard')
      if (bar) bar.dataset.until = String(Date.now() + 5_000)
    })
    expect(await isVisibleAfter(990)).toBe(true)
    expect(await isVisibleAfter(5_000)).toBe(false)
    // The end is removed: React removes the attribute.
    await page.evaluate(() => document.querySelector('.placard')?.removeAttribute('data-until'))
    expect(await isVisibleAfter(990)).toBe(true)
    expect(await brokenPolicies(page)).toEqual([])
  })

  it('keeps a dismissed bar hidden if it is postponed, or a script puts that announcement back in place', async () => {
    const event = { ...coupon, expiresAt: 60_000 }
    const page = await stage.page()
    await stopClock(page)
    await page.goto(stage.host(placardHtml({ event, hideAtEnd: true, dismissible: true })))
    const bar = page.locator('.placard')
    await bar.locator('.placard-close').click()
    await page.clock.runFor(61_000)
    const change = (name: string, value: string) =>
      bar.evaluate((it, [name, value]) => it.setAttribute(name, value), [name, value] as const)
    const key = String(await bar.getAttribute('data-key'))
    await change('data-until', '200000')
    await page.clock.runFor(990)
    expect(await bar.getAttribute('data-over')).toBeNull()
    expect(await bar.isVisible()).toBe(false)
    await change('data-key', 'another')
    await bar.evaluate((it) => it.removeAttribute('hidden'))
    expect(await bar.isVisible()).toBe(true)
    await change('data-key', key)
    expect(await bar.isVisible()).toBe(false)
  })

  it('contract N4: hides the bar before its first paint in a page that is served later', async () => {
    const event = { ...coupon, expiresAt: Date.now() - 1 }
    const page = await stage.site(placardHtml({ event, hideAtEnd: true }) + LOOK)
    expect(await page.evaluate('wasVisible')).toBe(false)
  })
})

it.each([
  ['a rule in its stylesheet', BAR, '<style>placard-link:not([hidden]) { display: none }</style>'],
  ['`hidden`', '<placard-link hidden></placard-link>', ''],
])(
  'a page that hides the bar with %s keeps it hidden, even when a change arrives',
  async (_, body, style) => {
    await stage.placard.publish(post)
    const page = await stage.site(body, early(style))
    await line(page).waitFor({ state: 'attached' })
    await stage.placard.publish(product)
    const changed = page.locator('placard-link .placard-text', { hasText: product.text }).first()
    await changed.waitFor({ state: 'attached' })
    await expect.poll(() => page.locator('placard-link').isVisible()).toBe(false)
  },
)

it.each([
  ['directly in the body', (bar: string) => bar],
  ['in a header', (bar: string) => `<header>${bar}</header>`],
])('axe finds no violation in a bar %s, because the bar is a landmark', async (_, around) => {
  await stage.placard.publish(post)
  for (const bar of [BAR, rendered(post)]) {
    const body = `${around(bar)}<main><h1>Below</h1></main>`
    const page = await stage.site(body, bar === BAR ? early() : {})
    await page.getByRole('region', { name: 'Announcement' }).first().waitFor()
    expect(await violations(page)).toEqual([])
  }
})
