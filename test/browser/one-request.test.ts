import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { brokenPolicies, listen, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()
beforeEach(() => stage.clear())

const ROOM = '<placard-link style="display: block; min-height: 3.25rem"></placard-link>'
const tag = (query = '') => `<script src="${stage.origin}/embed.js${query}" async></script>`

/** The paths that a page asks of the service, but for the stream. */
function askedBy(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin === stage.origin && !pathname.startsWith('/api/')) asked.push(pathname)
  })
  return asked
}

const shows = (page: Page, text: string) =>
  page.locator('placard-link .placard-text', { hasText: text }).first().waitFor({ timeout: 5_000 })

/** A page that has opened its stream, so what it would ask for first, it has asked for. */
async function visit(page: Page, body: string, text: string, headers = {}): Promise<void> {
  const stream = page.waitForRequest(/\/stream$/)
  await page.goto(stage.host(body, headers))
  await shows(page, text)
  await stream
}

it.each([
  ['in its place', ROOM],
  ['floating', ''],
])('contract R14: the first visit takes one request, %s', async (_, body) => {
  await stage.placard.publish({ ...SAMPLES.product, text: 'Is 2 < 3 & 🎉 "quoted"?' })
  const page = await stage.page()
  const asked = askedBy(page)
  await visit(page, body + tag(), 'Is 2 < 3 & 🎉 "quoted"?')
  expect(asked).toEqual(['/embed.js'])
  const [icon] = await page
    .locator('placard-link .placard-icon path')
    .evaluateAll((all) => all.map((one) => [one.namespaceURI, one.getAttribute('d') !== '']))
  expect(icon).toEqual(['http://www.w3.org/2000/svg', true])
})

it('contract R14: it is the bar that /embed.html has', async () => {
  await stage.placard.publish({ ...SAMPLES.product, translations: { en: 'In English 🎉' } })
  const page = await stage.page()
  const looks: string[] = []
  // The second is in a script from the cache.
  for (const _ of ['loaded', 'cached']) {
    await visit(page, ROOM + tag(), 'In English 🎉')
    const bar = page.locator('placard-link .placard')
    looks.push(await bar.evaluate((one) => one.outerHTML))
  }
  expect(looks[0]).toBe(looks[1])
})

it('contract R14: with the script in its cache, a browser shows a change on the very next page', async () => {
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  await visit(page, ROOM + tag(), SAMPLES.post.text)
  await page.goto('about:blank')
  await stage.placard.publish(SAMPLES.product)
  await page.addInitScript(() => {
    const seen = new Set<string>()
    Object.assign(window, { seen })
    const look = () => {
      const root = document.querySelector('placard-link')?.shadowRoot
      seen.add(root?.querySelector('.placard-text')?.textContent ?? '')
      requestAnimationFrame(look)
    }
    look()
  })
  const asked = askedBy(page)
  await visit(page, ROOM + tag(), SAMPLES.product.text)
  expect(asked).toContain('/embed.html')
  const seen = await page.evaluate(() => [...(window as unknown as { seen: string[] }).seen])
  expect(seen).not.toContain(SAMPLES.post.text)
})

it('contract R14: with the script in its cache, a page shows the bar once the service is back', async () => {
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  let refused = 0
  const service = await listen((request) => {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/embed.html' && refused++ === 0) return new Response('', { status: 502 })
    if (pathname.startsWith('/api/')) return new Response(null, { status: 204 })
    return fetch(stage.origin + pathname + search, {
      headers: { 'accept-encoding': 'identity', 'accept-language': 'en' },
    })
  })
  const script = `<script src="${service.url}/embed.js" async></script>`
  await visit(page, ROOM + script, SAMPLES.post.text)
  expect(refused).toBe(0)
  await visit(page, ROOM + script, SAMPLES.post.text)
  expect(refused).toBe(2)
  service.close()
})

it('contract R14: a place in another language asks for its own, unless the tag names that', async () => {
  await stage.placard.publish({ ...SAMPLES.post, translations: { de: 'Wir über Caches' } })
  const place = `<div lang="de">${ROOM}</div>`
  for (const [query, expected] of [
    ['', ['/embed.js', '/embed.html']],
    ['?lang=de', ['/embed.js']],
  ] as const) {
    const page = await stage.page()
    const asked = askedBy(page)
    await visit(page, place + tag(query), 'Wir über Caches')
    expect(asked).toEqual(expected)
  }
})

it('contract R14: what an app renders after the page has loaded shows what is up by then', async () => {
  await stage.placard.publish(SAMPLES.post)
  const page = await stage.page()
  await page.route('**/stream', (route) => route.abort())
  await page.goto(stage.host(`<main>${ROOM}</main>${tag()}`))
  await shows(page, SAMPLES.post.text)
  await stage.placard.publish(SAMPLES.product)
  await page.evaluate((html) => {
    const main = document.querySelector('main') as HTMLElement
    main.innerHTML = html
  }, ROOM)
  await shows(page, SAMPLES.product.text)
  expect(await page.locator('placard-link .placard').count()).toBe(1)
})

it('contract R14: its styles need no style-src, also where an element asks for them', async () => {
  await stage.placard.publish(SAMPLES.post)
  const only = stage.origin
  const headers = {
    'content-security-policy': `default-src 'none'; script-src ${only}; connect-src ${only} ${only.replace('127.0.0.1', 'localhost')}; require-trusted-types-for 'script'; trusted-types 'none'`,
  }
  const other = `<placard-link src="${only.replace('127.0.0.1', 'localhost')}"></placard-link>`
  for (const body of ['<placard-link></placard-link>', other]) {
    const page = await stage.page()
    await visit(page, body + tag(), SAMPLES.post.text, headers)
    const height = await page
      .locator('placard-link .placard')
      .first()
      .evaluate((one) => one.clientHeight)
    expect(height).toBe(36)
    expect(await brokenPolicies(page)).toEqual([])
  }
})
