import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { chooseView } from '../src/bar/view.ts'
import { choicesFor } from '../src/browser/choose.ts'
import type { Announcement } from '../src/core/announcement.ts'
import { StoreUnavailable } from '../src/core/problem.ts'
import { createApp } from '../src/http/app.ts'
import { ASSETS } from '../src/http/site.ts'
import { internalsOf } from '../src/internals.ts'
import { createSite } from '../src/page/create-site.ts'
import { loadLocales } from '../src/page/locales.ts'
import type { Snapshot } from '../src/showing/snapshot.ts'
import { inMemory } from './harness.ts'
import { STORED, temporaryDirectory } from './stores.ts'

const locales = await loadLocales()
/** The code of the embed script, without what the service puts before it. */
const EMBED = readFileSync('dist/embed.js')

const event: Announcement = {
  ...STORED,
  id: '0b9d3c1e-8f6f-4f43-9d3e-6f6f0a1f2b3c',
  text: 'A text of its own',
  type: 'coupon',
  slug: '#coupon',
  timestamp: Date.UTC(2027, 0, 1, 9),
  coupon: null,
  by: { via: 'code' },
}

function shot(event: Announcement | null, stale = false): Snapshot {
  return { event, body: new Uint8Array(), etag: `"${event?.text.length ?? 'none'}"`, stale }
}

function siteOf(first: Snapshot, from = locales) {
  const held = { snapshot: first }
  const { service } = internalsOf(inMemory({ site: createSite(from) }).placard)
  const showing = { ...service.showing, read: () => held.snapshot }
  const app = createApp({ ...service, showing })
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app(new Request(`http://placard.test${path}`, { headers, method }))
  return { held, get }
}

describe('locales', () => {
  function directory(files: Record<string, unknown>) {
    const path = temporaryDirectory()
    for (const [name, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(join(path, name), text)
    }
    return path
  }
  const { tag: _, ...english } = locales.negotiate('en', null)

  it.each([
    ['/nope', 'LOCALES_DIR is /nope: there is no such folder'],
    [import.meta.filename, /^LOCALES_DIR is .*: it can't be read \(ENOTDIR\)$/],
  ])('contract Settings: LOCALES_DIR=%s is rejected, with the reason', async (path, said) => {
    await expect(loadLocales(path)).rejects.toThrow(said)
  })

  it('contract Settings: all faults in all files are reported at once, with their paths', async () => {
    const { lead: _, ...rest } = english.page
    const fallback = { text: 'x', type: 'ad', slug: 'javascript:alert(1)' }
    const path = directory({
      'en.json': { ...english, fallback, page: { ...rest, leed: 'A typo' } },
      'de.json': '{ "name": ',
      'fr.json': { ...english, page: null },
      'not a tag.json': english,
    })
    const failure = await loadLocales(path).catch((error: Error) => error.message)
    for (const fault of ['fallback.text', 'fallback.type', 'fallback.slug', 'page.lead']) {
      expect(failure).toContain(`en.json: ${fault}: `)
    }
    expect(failure).toContain('en.json: page.leed: is not a known field')
    expect(failure).toContain('fr.json: page: ')
    expect(failure).toMatch(/de\.json: .*JSON/)
    expect(failure).toContain('not a tag.json: ')
  })

  it('may each lack a fallback (display rule 1), but there must be at least one locale', async () => {
    const one = await loadLocales(directory({ 'en.json': { ...english, fallback: null } }))
    expect(one.negotiate(null, null).fallback).toBeNull()
    await expect(loadLocales(directory({}))).rejects.toThrow('no locale file')
  })

  it.each([
    [null, null, 'en'],
    ['de', 'fr', 'de'],
    ['de-AT', null, 'de'],
    ['DE', null, 'de'],
    ['xx', 'fr', 'fr'],
    [null, 'fr;q=0.5, ja;q=0.9, *;q=0.1', 'ja'],
    [null, 'es-MX, es;q=0.9', 'es'],
    [null, 'ja;q=0, it, de;q=0.1', 'de'],
    [null, 'tlh', 'en'],
    [null, ';;;,,q=,*', 'en'],
    ['de-x-aaaaaaaa-bbbbbbbb-cccccccc-dddd', null, 'de'],
    ['__proto__', 'constructor', 'en'],
    ['../../etc/passwd', null, 'en'],
    [null, `${'a,'.repeat(19)}de`, 'de'],
    // No browser sends so many languages, and each takes time.
    [null, `${'a,'.repeat(20)}de`, 'en'],
  ])('are negotiated: ?lang=%s and Accept-Language %s get %s', (asked, accepted, tag) => {
    expect(locales.negotiate(asked, accepted).tag).toBe(tag)
  })
})

it('language negotiation reads only the beginning of an overlong header', () => {
  expect(locales.negotiate(null, `${' '.repeat(900)}de`).tag).toBe('de')
  expect(locales.negotiate(null, `${' '.repeat(100_000)}de`).tag).toBe('en')
  expect(locales.negotiate('de-'.repeat(5_000), 'x-,;q='.repeat(100_000)).tag).toBe('en')
})

describe('the page', () => {
  it('shows the event and the texts of its locale, in each language', async () => {
    const { get } = siteOf(shot(event))
    for (const { tag, dir, page } of locales.all.values()) {
      const html = await (await get(`/?lang=${tag}`)).text()
      expect(html).toContain(`<html lang="${tag}" dir="${dir}">`)
      expect(html).toContain('A text of its own')
      expect(html).toContain(`<title>${page.title}</title>`)
      for (const text of [page.heading, page.lead, page.title]) expect(html).toContain(`>${text}<`)
    }
  })

  it("doesn't tell its visitors how to change the announcement", async () => {
    const { get } = siteOf(shot(event))
    const html = `${await (await get('/')).text()}${await (await get('/page.js')).text()}`
    expect(html).not.toMatch(/curl|npx|Bearer|EVENT_API_SECRET|isFeatured|href="\/api|<code/i)
  })

  it("shows the language's fallback if there is no event (display rule 1)", async () => {
    const html = await (await siteOf(shot(null)).get('/', { 'accept-language': 'ar' })).text()
    expect(html).toContain('<html lang="ar" dir="rtl">')
    expect(html).toContain('هنا يظهر الإعلان القادم')
  })

  it('contract R3: shows each change at once, and is marked as stale if it is only the last known state', async () => {
    const { held, get } = siteOf(shot(event))
    for (const path of ['/', '/include.html', '/embed.js']) {
      held.snapshot = shot(event)
      expect(await (await get(path)).text()).toContain('A text of its own')
      held.snapshot = shot(null, true)
      const last = await get(path)
      expect(await last.text()).not.toContain('A text of its own')
      expect(last.headers.get('placard-stale')).toBe('1')
    }
  })

  it('is rendered once for each locale and change', () => {
    const { page } = createSite(locales)
    const [now, then] = [shot(event), shot(event)]
    const render = (snapshot: Snapshot, lang: string) =>
      page?.(snapshot, { lang, acceptLanguage: null })
    const first = render(now, 'en')
    expect(render(now, 'en')).toBe(first)
    for (const other of [render(now, 'de'), render(then, 'en')]) expect(other).not.toBe(first)
  })

  it('has cache tags and security headers', async () => {
    const headers = Object.fromEntries((await siteOf(shot(event)).get('/')).headers)
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'cache-tag': 'event',
      'surrogate-key': 'event',
      'cache-groups': '"event"',
      vary: expect.stringMatching(/accept-language.*accept-encoding/i),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/)
    expect(headers).not.toHaveProperty('placard-stale')
  })

  it('contract R5: lets any site load the parts of the bar, but lets no site frame the page', async () => {
    const { get } = siteOf(shot(event))
    const question = { origin: 'https://shop.example', 'access-control-request-method': 'GET' }
    for (const path of ['/include.html', '/embed.js', ...ASSETS.map((name) => `/${name}`)]) {
      const [{ headers }, preflight] = [await get(path), await get(path, question, 'OPTIONS')]
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
      expect(preflight.status).toBe(204)
    }
    expect((await get('/', question, 'OPTIONS')).status).toBe(405)
    const { headers } = await get('/')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it.each([
    ['de', 'Auf Deutsch', 'de'],
    ['de-AT', 'Auf Deutsch', 'de'],
    ['nl', 'As it is', ''],
    ['', 'As it is', ''],
  ])('contract A15: GET /embed.json?lang=%s has the text “%s”', async (tag, text, lang) => {
    const translated = { ...event, text: 'As it is', translations: { de: 'Auf Deutsch' } }
    const { get } = siteOf(shot(translated))
    const response = await get(`/embed.json?lang=${tag}`, { 'accept-language': 'fr, de' })
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const body = await response.json()
    expect(body).toMatchObject({ id: expect.any(String), lang, dir: lang ? 'ltr' : 'auto' })
    expect(JSON.stringify(body.tree)).toContain(JSON.stringify(text))
  })

  it("contract A19: GET /embed.json has a language's own link even if the language has no translation", async () => {
    const { get } = siteOf(shot({ ...event, slugs: { nl: '/nl', de: '/de' } }))
    for (const [tag, link] of Object.entries({ nl: '/nl', 'de-AT': '/de', fr: event.slug })) {
      const { tree } = await (await get(`/embed.json?lang=${tag}`)).json()
      expect(JSON.stringify(tree), tag).toContain(JSON.stringify(link))
    }
  })

  it('contract R14: takes less than 12 KB in total, as does /embed.js, whose code is under 4 KiB', async () => {
    const { get } = siteOf(shot({ ...event, text: 'long '.repeat(100).trim(), icon: 'rocket' }))
    const weight = async (path: string) =>
      (await (await get(path, { 'accept-encoding': 'gzip' })).arrayBuffer()).byteLength
    const parts = await Promise.all(
      ['/?lang=ar', '/page.css', '/placard.css', '/page.js'].map(weight),
    )
    expect(parts.reduce((sum, part) => sum + part)).toBeLessThan(12_000)
    expect(await weight('/embed.js')).toBeLessThan(12_000)
    const css = readFileSync('dist/placard.css', 'utf8')
    const styles = (await transform(css, { loader: 'css', minify: true })).code.trim()
    expect(String(EMBED)).toContain(styles)
    const code = String(EMBED).replace(styles, '')
    expect(gzipSync(code, { level: 9 }).byteLength).toBeLessThan(4 * 1024)
  })

  it('contract R14: /embed.js is the same for all readers, and browsers revalidate it', async () => {
    const { get } = siteOf(shot(event))
    const { headers } = await get('/embed.js', { 'accept-language': 'de' })
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('vary')).toBe('Accept-Encoding')
    const etag = headers.get('etag') ?? ''
    expect((await get('/embed.js?lang=fr', { 'if-none-match': etag })).status).toBe(304)
  })

  it.each([
    [
      'if no state has ever been read',
      () => {
        throw new StoreUnavailable('away')
      },
    ],
    ["if the database doesn't respond", () => new Promise(() => {})],
  ])('contract R14: /embed.js omits the bar %s', async (_, get) => {
    const site = siteOf(shot(event))
    Object.defineProperty(site.held, 'snapshot', { get })
    const response = await site.get('/embed.js')
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(String(EMBED).trim())
  })

  it('contract R14, A15: /embed.js chooses among its bars as the service does', async () => {
    const translations = Object.fromEntries(
      ['de', 'pt-BR', 'he', 'nb', 'zh-Hant', 'sr-Latn'].map((tag) => [tag, `Text in ${tag}`]),
    )
    const tags =
      'de de-AT de_DE DE en en-GB pt pt-BR pt-PT he iw iw-IL no nb nb-NO zh zh-TW zh-Hant-HK sv sr sr-ME sr-Latn-RS fr xyz x de-u-nu-latn not_a_tag! constructor'
    const chosen = new Set<string>()
    const slugs = { 'zh-TW': '/tw', de: '/de', 'de-AT': '/at', no: '/no', sr: '/sr' }
    const oneScript = {
      translations: { 'zh-Hans': '只此', 'sr-Cyrl': 'Само' },
      slugs: { zh: '/zh', sr: '/s' },
    }
    const events = [event, { ...event, translations }, { ...event, translations, slugs }]
    for (const here of [...events, { ...event, ...oneScript }]) {
      const site = createSite(locales)
      const { trees, in: barIn } = site.bars('embed', shot(here))
      for (const tag of ['', ...tags.split(' ')]) {
        const choices = choicesFor(tag)
        const bar = trees[choices.find((one) => one in trees) ?? '']
        expect(bar, tag).toEqual(barIn(choices[0] ?? '').tree)
        // The text and the link for the tag, chosen independently.
        const { text, href } = chooseView(here, null, tag) ?? {}
        expect(JSON.stringify(bar), tag).toContain(JSON.stringify(text))
        expect(JSON.stringify(bar), tag).toContain(JSON.stringify(href))
        chosen.add(JSON.stringify(bar))
      }
    }
    expect(chosen.size).toBeGreaterThan(7)
  })

  it('has no class, id or file name that ad blockers filter on', async () => {
    const { get } = siteOf(shot(event))
    const read = async (path: string) => (await get(path)).text()
    const html = `${await read('/')}${await read('/include.html')}`
    const marked = html.matchAll(/\s(?:class|id|src)="([^"]*)"|\s([a-z][\w-]*)(?==)/gi)
    const names = [...marked].flatMap(([, value, name]) => (value ?? name ?? '').split(/[\s/]+/))
    const css = `${await read('/placard.css')}${await read('/page.css')}`
    const code = `${css.replace(/\/\*.*?\*\//gs, '')} ${EMBED} ${await read('/page.js')}`
    names.push(...(code.match(/[\w-]+/g) ?? []))
    expect(names.length).toBeGreaterThan(500)
    const blocked = /banner|announcement|promo|(^|[-_])ads?([-_]|$)/i
    expect(names.filter((name) => blocked.test(name))).toEqual([])
  })
})
