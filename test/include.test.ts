import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { DraftInput } from '../src/core/announcement.ts'
import { createSite } from '../src/page/create-site.ts'
import { loadLocales } from '../src/page/locales.ts'
import { serving } from './command-line.ts'
import { inMemory, SECRETS } from './harness.ts'
import { blockAfter } from './printed.ts'
import { running } from './running.ts'
import { temporaryDirectory } from './stores.ts'

/** The bar for a page's own HTML (contract R15), as the site's server gets it. */

const locales = await loadLocales()
const POST: DraftInput = { text: 'We wrote about caching', type: 'post', slug: '/blog/caching' }
const COUPON: DraftInput = { text: '25% off every plan', type: 'coupon', slug: '#coupon' }

async function siteWith(...drafts: DraftInput[]) {
  const { placard } = inMemory({ site: createSite(locales) })
  for (const draft of drafts) await placard.publish(draft)
  const get = (query = '', headers: Record<string, string> = {}) =>
    placard.fetch(new Request(`http://placard.test/include.html${query}`, { headers }))
  return { placard, get, html: async (query?: string) => (await get(query)).text() }
}

/** The opening tag of the bar's link. */
const linkIn = (html: string) => /<a class="placard-link"[^>]*>/.exec(html)?.[0]
/** The HTML without the styles, which are always the same. */
const bare = (html: string) => html.replace(/<style[^>]*>[^<]*<\/style>/, '<style></style>')

it('contract R15: the template has the bar in its reserved space, followed by the styles', async () => {
  const { html } = await siteWith(POST)
  const text = bare(await html('?lang=en'))
  expect(text).toMatch(
    /^<template shadowrootmode="open" slot="-"><div class="placard-place" hidden="" lang="en" data-lang="en"><div[^>]*><div class="placard".*<slot><\/slot><style><\/style><\/template>$/,
  )
  expect(text).toContain(POST.text)
  expect(linkIn(text)).toContain('href="/blog/caching"')
  expect(await html()).toContain('.placard-place')
})

it('contract R15, R2: /include.html has the headers of a read, and a current copy gets 304', async () => {
  const { get, placard } = await siteWith(POST)
  const { headers } = await get('?lang=en')
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'no-cache',
    'cache-groups': '"event"',
    'cache-tag': 'event',
    'content-type': 'text/html; charset=utf-8',
    'surrogate-key': 'event',
    etag: expect.stringMatching(/^"[\w-]+"$/),
  })
  const known = { 'if-none-match': headers.get('etag') ?? '' }
  expect((await get('?lang=en', known)).status).toBe(304)
  await placard.publish(COUPON)
  expect((await get('?lang=en', known)).status).toBe(200)
})

it("contract R15: the response doesn't depend on cookies, Accept-Language or Accept-Encoding", async () => {
  const { get } = await siteWith({ ...POST, translations: { de: 'Wir über Caches' } })
  const plain = await get()
  const other = await get('', {
    cookie: 'theme=dark',
    'accept-language': 'de',
    'accept-encoding': 'gzip, br',
  })
  expect(plain.headers.get('vary')).toBeNull()
  expect([...other.headers]).toEqual([...plain.headers])
  expect(await other.text()).toBe(await plain.text())
})

it.each([
  ['de-AT', 'Wir über Caches', 'de-AT'],
  ['DE_at', 'Wir über Caches', 'de-AT'],
  ['fr', POST.text, 'fr'],
  // Invalid, like WordPress's `pt-PT-ao90`: in BCP 47, a variant of four characters begins with a digit.
  ['de-DE-ab90', 'Wir über Caches', ''],
])('contract R15, A15: ?lang=%s gets the text “%s”', async (lang, text, tag) => {
  const { html } = await siteWith({ ...POST, translations: { de: 'Wir über Caches' } })
  const found = await html(`?lang=${lang}`)
  expect(found).toContain(`>${text}<`)
  expect(found).toContain(`data-lang="${lang}"`)
  if (tag) expect(found).toContain(`lang="${tag}" data-lang`)
})

it.each([
  ['', '#coupon'],
  ['base=/blog', '/blog#coupon'],
  ['base=/blog&coupon-href=/pricing', '/pricing'],
  ['coupon-href=https://shop.example/%3Fa=1%26b', 'https://shop.example/?a=1&amp;b'],
])('contract R15: with ?%s, a coupon’s link leads to %s', async (query, href) => {
  const { html } = await siteWith(COUPON)
  expect(linkIn(await html(`?${query}`))).toContain(`href="${href}"`)
})

it('contract R15: base affects only links that are a fragment, and coupon-href only coupons', async () => {
  const query = '?base=/blog&coupon-href=/pricing'
  const away = await siteWith(POST)
  expect(linkIn(await away.html(query))).toContain('href="/blog/caching"')
  const news = await siteWith({ ...POST, slug: '#news' })
  expect(linkIn(await news.html(query))).toContain('href="/blog#news"')
})

it('contract R15: while nothing is announced, the template shows the fallback or nothing', async () => {
  const { html, placard } = await siteWith()
  expect(await html()).toMatch(/<div class="placard"[^>]* hidden=""/)
  const query = '?fallback-text=Read+the+%22guide%22&fallback-href=/guide'
  const fallback = await html(query)
  expect(fallback).not.toMatch(/<div class="placard"[^>]* hidden=""/)
  expect(fallback).toContain('>Read the &quot;guide&quot;<')
  expect(linkIn(fallback)).toContain('href="/guide"')
  expect(linkIn(await html('?fallback-text=Read+it'))).toContain('href="#"')
  await placard.publish(POST)
  expect(linkIn(await html(query))).toContain('href="/blog/caching"')
})

it('contract R15: only a bar that can be dismissed has a button and a script', async () => {
  const { html } = await siteWith(POST)
  expect(bare(await html())).not.toMatch(/<button|<script/)
  expect(await html('?dismissible=false')).not.toMatch(/<button|<script/)
  for (const query of ['?dismissible', '?dismissible=true'])
    expect(bare(await html(query))).toMatch(/<button.*<script>.*<style>/s)
})

it('contract R15: the nonce is on the script and the inline styles, which `styles` replaces with a linked stylesheet', async () => {
  const { html } = await siteWith(POST)
  const found = await html('?dismissible&nonce=aB3%2B/_-==')
  expect(found.match(/<(script|style) nonce="aB3\+\/_-=="/g)).toHaveLength(2)
  const linked = await html('?styles=https://notices.example/placard.css')
  expect(linked).toContain('<link rel="stylesheet" href="https://notices.example/placard.css"/>')
  expect(linked).not.toContain('<style')
})

describe('the parameters of /include.html', () => {
  const LONG = 'x'.repeat(2_049)
  it.each([
    ['base', 'javascript:alert(1)'],
    ['coupon-href', 'JaVaScRiPt:alert(1)'],
    ['fallback-href', 'java\nscript:alert(1)'],
    ['fallback-href', '//evil.example'],
    ['fallback-href', '/\\evil.example'],
    ['fallback-href', 'data:text/html,<script>alert(1)</script>'],
    ['styles', 'data:text/css,*{}'],
    ['base', LONG],
    ['fallback-text', 'x'],
    ['fallback-text', LONG],
    ['fallback-text', 'two\nlines'],
    ['fallback-text', '\u202eback'],
    ['lang', 'en"onload="alert(1)'],
    ['lang', `de-${LONG}`],
    ['theme', 'blue'],
    ['theme', 'dark"'],
    ['nonce', '"><script>alert(1)</script>'],
    ['nonce', LONG],
    ['dismissible', 'no'],
    ['base', '/blog#news'],
  ])('contract R15: %s=%j gets 400', async (name, value) => {
    const { get } = await siteWith(POST)
    const response = await get(`?${new URLSearchParams({ [name]: value })}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', params: { name } })
  })

  it.each([
    ['?onload=1', 'unknown_parameter'],
    ['?lang=en&lang=de', 'repeated_parameter'],
    ['?__proto__=1', 'unknown_parameter'],
  ])('contract R15: %s gets 400', async (query, code) => {
    const { get } = await siteWith(POST)
    expect(await (await get(query)).json()).toMatchObject({ code })
  })

  it('contract R15: an empty parameter counts as missing', async () => {
    const { html } = await siteWith(POST)
    const empty = '?lang=&theme=&base=&coupon-href=&fallback-text=&fallback-href=&nonce=&styles='
    expect(await html(empty)).toBe(await html())
  })

  it('contract R15: markup in a valid value is escaped', async () => {
    const { html } = await siteWith()
    const evil = `"'><img/src=x/onerror=alert(1)></template><script>`
    const values = {
      'fallback-text': evil,
      'fallback-href': `/${evil}`,
      base: `/${evil}`,
      'coupon-href': `/${evil}`,
      styles: `/${evil}`,
    }
    const found = await html(`?${new URLSearchParams(values)}`)
    expect(found.match(/<(?:img|script|\/?template)/g)).toEqual(['<template', '</template'])
    expect(found.split('&quot;&#x27;&gt;&lt;img').length).toBeGreaterThan(8)
  })
})

it("contract R15: the cache of variants is bounded, and a variant with a nonce isn't cached", async () => {
  const site = createSite(locales)
  const { placard } = inMemory({ site })
  await placard.publish(POST)
  const snapshot = await placard.snapshot()
  const own = site.include(snapshot, { lang: 'en' })
  expect(site.include(snapshot, { lang: 'en' })).toBe(own)
  expect(site.include(snapshot, { nonce: 'x' })).not.toBe(site.include(snapshot, { nonce: 'x' }))
  for (let i = 0; i < 64; i++) site.include(snapshot, { base: `/${i}` })
  expect(site.include(snapshot, { lang: 'en' })).not.toBe(own)
})

it('contract R15: docs/include.md has the hash of the script', async () => {
  const { url, child } = await serving(temporaryDirectory(), { ...SECRETS, PORT: '0' })
  const html = await (await fetch(`${url}/include.html?dismissible`)).text()
  child.kill()
  const script = /<script>(.*?)<\/script>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  expect(blockAfter('docs/include.md', 'you can allow its hash').trim()).toBe(
    `script-src 'sha256-${hash}'`,
  )
})

it('contract R15, R13: /include.html is served from memory, and shared caches may keep it', async () => {
  const service = await running({ PURGE: 'varnish:http://127.0.0.1:9', PURGE_TOKEN: 'x' })
  await expect
    .poll(async () =>
      (await service.fetch('/include.html?lang=en')).headers.get('surrogate-control'),
    )
    .toBe('max-age=60')
  const reads = async () => (await service.metrics('reads_total')).reads_total ?? 0
  const before = await reads()
  for (let i = 0; i < 5; i++)
    expect((await service.fetch('/include.html?lang=en&theme=dark')).status).toBe(200)
  expect((await reads()) - before).toBe(5)
  // The router responds with the error.
  expect((await service.fetch('/include.html?lang=!')).status).toBe(400)
})
