import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { blockAfter } from '../printed.ts'
import { brokenPolicies, listen, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

const stage = stageForFile()
const { post, product } = SAMPLES
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
  await stage.placard.publish({ ...product, text: 'Is 2 < 3 & 🎉 "quoted"?' })
  const page = await stage.page()
  const asked = askedBy(page)
  await visit(page, body + tag(), 'Is 2 < 3 & 🎉 "quoted"?')
  expect(asked).toEqual(['/embed.js'])
  const bar = page.locator('placard-link .placard')
  const inScript = await bar.evaluate((one) => one.outerHTML)
  // Now the script comes from the cache, and the bar from /embed.html.
  await visit(page, body + tag(), 'Is 2 < 3 & 🎉 "quoted"?')
  expect(asked).toContain('/embed.html')
  expect(await bar.evaluate((one) => one.outerHTML)).toBe(inScript)
  const icon = page.locator('placard-link .placard-icon path').first()
  const drawn = await icon.evaluate((one) => [one.namespaceURI, one.getAttribute('d') !== ''])
  expect(drawn).toEqual(['http://www.w3.org/2000/svg', true])
})

it('contract R14: with the script in its cache, a browser shows a change on the very next page', async () => {
  await stage.placard.publish(post)
  const page = await stage.page()
  await visit(page, ROOM + tag(), post.text)
  await page.goto('about:blank')
  await stage.placard.publish(product)
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
  await visit(page, ROOM + tag(), product.text)
  const seen = await page.evaluate(() => [...(window as unknown as { seen: string[] }).seen])
  expect(seen).not.toContain(post.text)
})

it('contract R14: with the script in its cache, a page shows the bar once the service is back', async () => {
  await stage.placard.publish(post)
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
  onTestFinished(service.close)
  const script = `<script src="${service.url}/embed.js" async></script>`
  await visit(page, ROOM + script, post.text)
  expect(refused).toBe(0)
  await visit(page, ROOM + script, post.text)
  expect(refused).toBe(2)
})

it.each([
  ['', ['/embed.js', '/embed.html']],
  ['?lang=de', ['/embed.js']],
])(
  'contract R14: a place in another language asks for its own, unless the tag names that: %j',
  async (query, expected) => {
    await stage.placard.publish({ ...post, translations: { de: 'Wir über Caches' } })
    const page = await stage.page()
    const asked = askedBy(page)
    await visit(page, `<div lang="de">${ROOM}</div>${tag(query)}`, 'Wir über Caches')
    expect(asked).toEqual(expected)
  },
)

it.each(['', 'localhost'])(
  'contract R14: works under the policy of docs/embed.md, without style-src, with Trusted Types, also where an element asks for it: %s',
  async (name) => {
    await stage.placard.publish(post)
    const page = await stage.page()
    const only = stage.origin
    const other = only.replace('127.0.0.1', 'localhost')
    const printed = blockAfter('docs/embed.md', 'even with').trim()
    const policy = printed.replaceAll('https://notices.example', only)
    const element = `<placard-link ${name && `src="${other}"`}></placard-link>`
    await visit(page, element + tag(), post.text, {
      'content-security-policy': `default-src 'none'; ${policy} ${other}; require-trusted-types-for 'script'; trusted-types 'none'`,
      'cross-origin-embedder-policy': 'require-corp',
    })
    const bar = page.locator('placard-link .placard').first()
    expect(await bar.evaluate((one) => one.clientHeight)).toBe(36)
    await stage.placard.publish(product)
    await shows(page, product.text)
    expect(await brokenPolicies(page)).toEqual([])
  },
)
