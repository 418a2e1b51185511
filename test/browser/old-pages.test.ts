import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/markup.ts'
import { ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

/** The bar works on pages whose own scripts overwrite globals and prototypes. */

const stage = stageForFile()
const { post, product } = SAMPLES

/** What old libraries and careless scripts do before the embed script runs. */
const PAGES = {
  'global variables of its own': 'var URL = "/x", Map = {}, Set = {}, Request = 1, Node = null',
  'its own `Event`, like that of MooTools':
    'window.Event = function (event) { return event.page }; window.CustomEvent = undefined',
  'its own JSON, like that of Prototype 1.6':
    'Array.prototype.toJSON = function () { return "[" + this.join(", ") + "]" }; Number.prototype.toJSON = function () { return String(this) }',
  'additions to all objects':
    'Object.prototype.$family = function () {}; Object.prototype["a b"] = null; Array.prototype.last = function () {}',
  'its own array functions':
    'Array.from = function (it) { return it.length ? [].slice.call(it) : [] }; Array.prototype.reduce = function () { return this }; Array.prototype.entries = Array.prototype.slice',
}
/** What another script may have stored under our storage key. */
const STORED = [
  '{',
  'null',
  '7',
  '"text"',
  '[]',
  '{"a":null}',
  '{"a":5,"b":[null]}',
  '{"a":"[0, 1]"}',
]

const FORMS = {
  "the element's bar": () => ROOM + stage.tag('data-dismissible'),
  'a bar from placardHtml()': () => placardHtml({ event: post, dismissible: true }),
}

const bar = (page: Page) => page.locator('.placard').first()
async function staysDismissed(page: Page) {
  await bar(page).locator('.placard-close').click()
  await bar(page).waitFor({ state: 'hidden' })
  await page.reload()
  await bar(page).waitFor({ state: 'attached' })
  expect(await bar(page).isVisible()).toBe(false)
}

const everywhere = Object.entries(FORMS)
const pages = Object.entries(PAGES)

it.each(
  everywhere.flatMap(([form, body]) =>
    pages.map(([name, script]) => [form, name, script, body] as const),
  ),
)('%s shows, and stays dismissed, on a page with %s', async (_, __, script, body) => {
  await stage.placard.publish(post)
  const broken: string[] = []
  const page = await stage.page()
  page.on('pageerror', ({ message }) => broken.push(message))
  await page.goto(stage.host(body(), {}, `<script>${script}</script>`))
  await bar(page).waitFor()
  await staysDismissed(page)
  expect(broken).toEqual([])
})

it.each(pages)(
  'the bar shows changes, and comes back after its removal, on a page with %s',
  async (_, script) => {
    await stage.placard.publish(post)
    // The page itself removes the bar, because Playwright's own scripts need a `Map`.
    const remove = `document.querySelector('placard-link').remove()`
    const page = await stage.site(`<button onclick="${remove}">Remove</button>${stage.tag()}`, {
      head: `<script>${script}</script>`,
    })
    await shows(page, post.text)
    await stage.placard.publish(product)
    await shows(page, product.text)
    await page.getByText('Remove').click()
    await shows(page, product.text)
    expect(await page.locator('placard-link').count()).toBe(1)
  },
)

it.each(everywhere)("%s replaces another script's data under our storage key", async (_, body) => {
  await stage.placard.publish(post)
  for (const stored of STORED) {
    const page = await stage.site(body())
    await page.evaluate((stored) => {
      localStorage.placard = stored
    }, stored)
    await page.reload()
    await bar(page).waitFor()
    await staysDismissed(page)
  }
})
