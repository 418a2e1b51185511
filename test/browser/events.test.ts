import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/markup.ts'
import { blockAfter } from '../printed.ts'
import { barOf, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

/** What a site's own router and analytics learn from the bar. */

const stage = stageForFile()
const { coupon, post, product } = SAMPLES

/** Collects the bar's events, and what a delegated click handler of the page sees. */
const LISTENING = `<script>
  heard = []
  for (const name of ['show', 'click', 'dismiss']) {
    addEventListener('placard:' + name, ({ type, detail, target }) => {
      const { id, type: kind, text, href, language } = detail
      heard.push([type, { id, type: kind, text, href, language }, target.localName])
    })
  }
  addEventListener('click', (event) => {
    const link = event.target.closest('a')
    heard.push(['click', link && link.href, event.defaultPrevented])
  })
</script>`
const heard = (page: Page) => page.evaluate('heard') as Promise<[string, ...unknown[]][]>
const heardOf = async (page: Page, type: string) =>
  (await heard(page)).filter(([one]) => one === type)

/** Keeps a clicked link from leaving the page, so the page keeps what it has heard. */
const STAYS = `<script>addEventListener('click', (event) => event.preventDefault())</script>`

describe('the element', () => {
  it("contract R16: tells the page what shows, once for each announcement, in the bar's language", async () => {
    const { id } = await stage.placard.publish({
      ...post,
      ...{ language: 'en', translations: { de: 'Wir über Caches' }, slugs: { de: '/de/caches' } },
    })
    const page = await stage.site(ROOM + stage.tag('data-lang="de"'), { head: LISTENING })
    await shows(page, 'Wir über Caches')
    const shown = {
      ...{ id, type: 'post', text: 'Wir über Caches', language: 'de' },
      href: new URL('/de/caches', page.url()).href,
    }
    await expect.poll(() => heard(page)).toEqual([['placard:show', shown, 'placard-link']])
    await stage.placard.publish(product)
    await shows(page, product.text)
    await expect.poll(() => heardOf(page, 'placard:show')).toHaveLength(2)
    expect((await heard(page)).at(-1)?.[1]).toMatchObject({ text: product.text, language: '' })
  })

  it('contract R16: tells the page of a dismissal, and tells the next page nothing until another announcement shows', async () => {
    const { id } = await stage.placard.publish(post)
    const page = await stage.site(ROOM + stage.tag('data-dismissible'), { head: LISTENING })
    await (await barOf(page)).locator('.placard-close').click()
    await expect.poll(() => heardOf(page, 'placard:dismiss')).toHaveLength(1)
    expect((await heardOf(page, 'placard:dismiss'))[0]?.[1]).toMatchObject({ id, text: post.text })
    await page.reload()
    await page.locator('.placard').waitFor({ state: 'attached' })
    await stage.placard.publish(coupon)
    await shows(page, coupon.text)
    await expect.poll(() => heardOf(page, 'placard:show')).toHaveLength(1)
  })

  it("contract R16: lets the page's click handler see each click on the bar's link once, as a click on a link", async () => {
    await stage.placard.publish(post)
    const page = await stage.site(ROOM + stage.tag(), { head: LISTENING + STAYS })
    const link = (await barOf(page)).locator('a')
    await link.click()
    const href = new URL(post.slug, page.url()).href
    const [show, told, click] = await heard(page)
    expect([show?.[0], told?.[0], click]).toEqual([
      'placard:show',
      'placard:click',
      ['click', href, false],
    ])
    expect(await heard(page)).toHaveLength(3)
    // The copy of the link that got the click is gone.
    expect(await page.evaluate("document.querySelector('placard-link').childElementCount")).toBe(0)
    await link.focus()
    await page.keyboard.press('Enter')
    expect(await heardOf(page, 'click')).toHaveLength(2)
  })

  it('contract R16: follows its link, unless the page calls preventDefault() on `placard:click`', async () => {
    await stage.placard.publish(coupon)
    const taking = `<script>addEventListener('placard:click', (event) => {
      if (window.isTaken) event.preventDefault(), window.took = event.detail.href
    })</script>`
    const page = await stage.site(ROOM + stage.tag(), { head: taking })
    const link = (await barOf(page)).locator('a')
    await page.evaluate('isTaken = true')
    await link.click()
    expect(await page.evaluate('took')).toBe(new URL('#coupon', page.url()).href)
    expect(new URL(page.url()).hash).toBe('')
    await page.evaluate('isTaken = false')
    await link.click()
    expect(new URL(page.url()).hash).toBe('#coupon')
  })

  it('contract R16: leaves to the page a click that it has already prevented, and sends no `placard:click`', async () => {
    await stage.placard.publish(post)
    const guard = `<script>addEventListener('click', (event) => event.preventDefault(), true)</script>`
    const page = await stage.site(ROOM + stage.tag(), { head: guard + LISTENING })
    const site = page.url()
    await (await barOf(page)).locator('a').click()
    expect(await heardOf(page, 'click')).toEqual([['click', null, true]])
    expect(await heardOf(page, 'placard:click')).toEqual([])
    expect(page.url()).toBe(site)
  })

  it('contract R16: changes nothing in the layout while the page handles a click', async () => {
    await stage.placard.publish(post)
    const head = `<style>a { display: block !important; height: 300px }</style><script>
      addEventListener('click', ({ target }) => {
        during = [target.localName, document.querySelector('main').getBoundingClientRect().top]
      })</script>`
    const page = await stage.site(`${ROOM}<main>Below</main>${stage.tag()}`, { head: head + STAYS })
    const bar = await barOf(page)
    const top = await page.evaluate("document.querySelector('main').getBoundingClientRect().top")
    await bar.locator('a').click()
    expect(await page.evaluate('during')).toEqual(['a', top])
  })

  it('contract R16: leaves a click with a modifier key to the browser, and sends no `placard:click`', async () => {
    await stage.placard.publish(post)
    const page = await stage.site(ROOM + stage.tag(), { head: LISTENING })
    await (await barOf(page)).locator('a').click({ modifiers: ['ControlOrMeta'] })
    // On a busy machine, headless Chromium opens no tab for one such click in forty, even on a plain link.
    await expect.poll(() => heardOf(page, 'click')).toEqual([['click', null, false]])
    expect(await heardOf(page, 'placard:click')).toEqual([])
    expect(page.url()).not.toContain(post.slug)
  })

  it("contract R16: opens a product's link in a new tab, and tells the page of the click", async () => {
    await stage.placard.publish(product)
    const page = await stage.site(ROOM + stage.tag(), { head: LISTENING })
    const link = (await barOf(page)).locator('a')
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await opened.waitForURL(`**${product.slug}`)
    expect(await heardOf(page, 'placard:click')).toHaveLength(1)
    await opened.close()
  })
})

it('the code in docs/embed.md counts views, clicks and dismissals with Plausible', async () => {
  await stage.placard.publish(post)
  const head = `<script>counted = []
    plausible = (...call) => counted.push(call)
    ${blockAfter('docs/embed.md', 'To count with Plausible')}</script>`
  const page = await stage.site(ROOM + stage.tag('data-dismissible'), { head: head + STAYS })
  const bar = await barOf(page)
  await bar.locator('a').click()
  await bar.locator('.placard-close').click()
  const props = { props: { text: post.text } }
  await expect
    .poll(() => page.evaluate('counted'))
    .toEqual(['show', 'click', 'dismiss'].map((name) => [`Bar: ${name}`, props]))
})

it('with the code in docs/embed.md, htmx opens links within the site and the browser opens all others', async () => {
  const head = `<script>asked = []
    htmx = {
      process: (link) => link.addEventListener('click', (event) => {
        event.preventDefault()
        asked.push([link.href, link.parentNode.localName])
        history.pushState({}, '', link.href)
      })
    }
    ${blockAfter('docs/embed.md', 'For htmx with')}</script>`
  await stage.placard.publish(post)
  const page = await stage.site(ROOM + stage.tag(), { head: head + STAYS })
  await (await barOf(page)).locator('a').click()
  const { href } = new URL(post.slug, page.url())
  await page.waitForURL(href)
  expect(await page.evaluate('asked')).toEqual([[href, 'body']])
  await stage.placard.publish({ ...coupon, slug: 'https://elsewhere.example/' })
  await shows(page, coupon.text)
  await page.locator('.placard a').first().click()
  expect(await page.evaluate('asked')).toHaveLength(1)
})

it('contract R16: a bar that an app renders tells the page of its dismissal', async () => {
  const body = placardHtml({ event: { ...post, id: 'an-id' }, dismissible: true })
  const page = await stage.site(body, { head: LISTENING })
  await page.locator('.placard-close').click()
  const [, detail] = (await heardOf(page, 'placard:dismiss'))[0] ?? []
  expect(detail).toMatchObject({ id: 'an-id', type: 'post', text: post.text })
})

it('contract R16: dismissing an announcement in one language dismisses it in all', async () => {
  await stage.placard.publish({ ...post, translations: { de: 'Wir über Caches' } })
  const page = await stage.site(ROOM + stage.tag('data-dismissible data-lang="de"'))
  await (await barOf(page)).locator('.placard-close').click()
  await page.goto(stage.host(ROOM + stage.tag('data-dismissible data-lang="fr"')))
  await page.locator('.placard', { hasText: post.text }).waitFor({ state: 'attached' })
  expect(await page.locator('.placard').isHidden()).toBe(true)
  await stage.placard.publish({ ...post, text: 'We wrote about caching', slug: '/b' })
  await stage.placard.publish({ ...post, text: 'We wrote more about caching' })
  await shows(page, 'We wrote more')
})
