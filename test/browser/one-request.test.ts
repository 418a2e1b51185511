import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { blockAfter } from '../printed.ts'
import { brokenPolicies, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

const stage = stageForFile()
const { post, product } = SAMPLES
const tag = () => stage.tag()

/** Collects the paths that a page requests from the service, except for the stream. */
function askedBy(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin === stage.origin && !pathname.startsWith('/api/')) asked.push(pathname)
  })
  return asked
}

/** Visits a page until it opens its stream; by then, it has made all its other requests. */
async function visit(page: Page, body: string, text: string, headers = {}): Promise<void> {
  const stream = page.waitForRequest(/\/stream\?/)
  await page.goto(stage.host(body, headers))
  await shows(page, text)
  await stream
}

it.each([
  ['in its element', ROOM],
  ['floating', ''],
])('contract R14: a first visit to a page with the bar %s takes one request', async (_, body) => {
  await stage.placard.publish({ ...product, text: 'Is 2 < 3 & 🎉 "quoted"?' })
  const page = await stage.page()
  const asked = askedBy(page)
  await visit(page, body + tag(), 'Is 2 < 3 & 🎉 "quoted"?')
  expect(asked).toEqual(['/embed.js'])
  const bar = page.locator('placard-link .placard')
  const inScript = await bar.evaluate((one) => one.outerHTML)
  // On the next visit, the browser revalidates the cached script, which shows the same bar.
  const response = page.waitForResponse('**/embed.js')
  await visit(page, body + tag(), 'Is 2 < 3 & 🎉 "quoted"?')
  expect((await response).request().timing().responseStart).toBeGreaterThan(0)
  expect(asked).toEqual(['/embed.js', '/embed.js'])
  expect(await bar.evaluate((one) => one.outerHTML)).toBe(inScript)
  const icon = page.locator('placard-link .placard-icon path').first()
  const drawn = await icon.evaluate((one) => [one.namespaceURI, one.getAttribute('d') !== ''])
  expect(drawn).toEqual(['http://www.w3.org/2000/svg', true])
})

it('contract R14: a browser with the script in its cache shows a change on the next page', async () => {
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

it.each(['de', 'de-AT', 'DE_at', 'iw', 'nl', 'zh-TW', 'no'])(
  'contract R14, A15: a page in %s chooses the same text as the service would, without another request',
  async (lang) => {
    const translations = {
      de: 'Wir über Caches',
      he: 'כתבנו',
      'zh-Hant': '關於快取',
      nb: 'Om bufring',
    }
    await stage.placard.publish({ ...post, translations })
    const canonical = new Intl.Locale(lang.replace('_', '-')).baseName
    const { tree } = await (await fetch(`${stage.origin}/embed.json?lang=${canonical}`)).json()
    const texts = [...Object.values(translations), post.text]
    const text = texts.find((one) => JSON.stringify(tree).includes(one)) ?? ''
    const page = await stage.page()
    const asked = askedBy(page)
    await visit(page, `<div lang="${lang}">${ROOM}</div>${tag()}`, text)
    expect(asked).toEqual(['/embed.js'])
  },
)

it.each([
  ['without `src`', ''],
  ['whose `src` has another origin', 'localhost'],
])(
  'contract R14: an element %s works under the policy in docs/embed.md with Trusted Types',
  async (_, name) => {
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
