import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, extname, join } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lacks, skipAloud } from '../aloud.ts'
import { violations } from '../browser/axe.ts'
import { covered, SHARES, scrollTo, sideways } from '../browser/covering.ts'
import { layoutShift, listen, SAMPLES, shows as showsText, stageForFile } from '../browser/stage.ts'
import { edit, put } from './guide.ts'
import { QUICK, run } from './npm.ts'
import { SITES, type Site } from './sites.ts'

const WIDTHS = [1280, 1000, 360]
const BAR = 'placard-link'

const stage = stageForFile()
beforeEach(() => stage.placard.publish(SAMPLES.post))

/** Builds a site and serves it. It has the bar only with a recipe. */
async function make({ packages, files, build, output }: Site, recipe: Site['recipe']) {
  const home = mkdtempSync(join(tmpdir(), 'placard-site-'))
  put(home, 'package.json', '{ "private": true }')
  for (const [path, text] of Object.entries(files)) put(home, path, text)
  for (const [path, text, after] of recipe) {
    const ours = text.replaceAll('https://notices.example', stage.origin)
    if (after === undefined) put(home, path, ours)
    else edit(home, path, after, (found) => `${found}\n${ours}`)
  }
  const PATH = `${join(home, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  const env = { PATH, ASTRO_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1' }
  if (packages.length > 0) await run(home, 'npm', ['install', ...QUICK, ...packages], env)
  const [program, ...args] = build
  await run(home, program, args, env)
  const { url, close } = await serveFolder(join(home, output))
  async function end() {
    close()
    await rm(home, { recursive: true })
  }
  return { url, end }
}

/** Serves a folder as static hosts do. */
function serveFolder(folder: string) {
  return listen(({ url }) => {
    const path = join(folder, decodeURI(new URL(url).pathname))
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (one) => existsSync(one) && statSync(one).isFile(),
    )
    // An app with a router of its own has one page.
    const page = file ?? (extname(path) === '' ? join(folder, 'index.html') : undefined)
    if (!page) return new Response('', { status: 404 })
    const type = getMimeType(page) ?? 'application/octet-stream'
    return new Response(readFileSync(page), { headers: { 'content-type': type } })
  })
}

/** Opens the front page. The script arrives once the page has been painted. `said` has the console's warnings and errors. */
async function open(url: string, width: number) {
  const { page, release } = await stage.held({
    viewport: { width, height: 800 },
    colorScheme: 'light',
  })
  const said: string[] = []
  page.on('console', (message) => /warning|error/.test(message.type()) && said.push(message.text()))
  page.on('pageerror', ({ message }) => said.push(message))
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
  release()
  await page.waitForLoadState('networkidle')
  return { page, said }
}

const shows = (page: Page) => showsText(page, SAMPLES.post.text)
const theme = (page: Page) => page.locator(`${BAR} .placard-place`).getAttribute('data-theme')
const ours = async (page: Page) => (await violations(page)).filter((it) => it.includes('placard'))

const coveredBy = (page: Page) => covered(page, 'a, button, input, h1, h2, p')

const isUncovered = (one: Locator) =>
  one.evaluate((it) => {
    const { left, top, width, height } = it.getBoundingClientRect()
    return it.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })

/** Whether the heading that the address points to can be read. */
async function isRead(page: Page): Promise<boolean> {
  const heading = page.locator('h2#deploy')
  const top = () => heading.evaluate((it) => it.getBoundingClientRect().top)
  await expect.poll(top).toBeLessThan(400)
  return heading.evaluate((it) => {
    const { left, bottom } = it.getBoundingClientRect()
    return it.contains(document.elementFromPoint(left + 5, bottom - 15))
  })
}

describe.each(SITES)('$name with the recipe in docs/sites.md', (site) => {
  const part = site.packages.length > 0 ? 'PHP with SQLite, and unzip' : 'Material for MkDocs'
  const missing = lacks(...(site.needs ?? []))
  beforeEach((context) => skipAloud(context, missing, part))

  let url: string
  let bare: ReturnType<typeof make> | undefined
  const ends: (() => Promise<void>)[] = []
  async function start(recipe: Site['recipe']) {
    const made = await make(site, recipe)
    ends.push(made.end)
    return made
  }
  beforeAll(async () => {
    if (!missing) ({ url } = await start(site.recipe))
  })
  afterAll(() => Promise.all(ends.map((end) => end())))

  /** Without the bar, for sites that shift or log warnings by themselves. */
  async function withoutBar(width: number) {
    bare ??= start([])
    const { page, said } = await open((await bare).url, width)
    return { said, shift: await layoutShift(page) }
  }

  async function expectSilence(width: number, said: string[]) {
    if (said.length > 0)
      expect((await withoutBar(width)).said).toEqual(expect.arrayContaining(said))
  }

  it.each(WIDTHS)(
    "has a bar that shifts nothing, covers nothing and isn't covered, at %d px",
    async (width) => {
      const { page, said } = await open(url, width)
      await shows(page)
      const shift = await layoutShift(page)
      if (shift > 0) expect(shift).toBeLessThanOrEqual((await withoutBar(width)).shift)
      expect(await isUncovered(page.locator(BAR))).toBe(true)
      for (const share of SHARES) {
        await scrollTo(page, share)
        expect(await coveredBy(page), `at ${share}`).toEqual([])
      }
      expect(await sideways(page)).toBe(0)
      const outline = site.outline && page.locator(site.outline).filter({ visible: true })
      if (outline && (await outline.count()) > 0) {
        await scrollTo(page, 0.5)
        const button = outline.locator('button').first()
        await button.click()
        const link = outline.locator('a[href="#deploy"]')
        await link.waitFor()
        await expect.poll(() => isUncovered(button)).toBe(true)
        await link.click()
        await expect.poll(() => isRead(page)).toBe(true)
      }
      await expectSilence(width, said)
      const { page: further } = await open(`${url}/#deploy`, width)
      await shows(further)
      await expect.poll(() => isRead(further)).toBe(true)
    },
  )

  const { skipLink } = site
  if (skipLink)
    it('keeps its skip link as the first Tab stop', async () => {
      const { page } = await open(url, 1280)
      await shows(page)
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => document.activeElement?.textContent?.trim())
      expect(stop).toBe(skipLink)
    })

  it('has a bar that follows its dark mode, stays during navigation, and breaks no axe rule', async () => {
    const { page, said } = await open(url, 1280)
    await shows(page)
    expect(await theme(page)).toBe('light')
    expect(await ours(page)).toEqual([])

    if (site.dark) {
      const dark = page.locator(site.dark).filter({ visible: true }).first()
      if (await dark.evaluate((it) => it.localName === 'select')) await dark.selectOption('dark')
      else await dark.click()
      await expect.poll(() => theme(page)).toBe('dark')
      expect(await ours(page)).toEqual([])
    }

    await page.evaluate(() => Object.assign(window, { kept: true }))
    await page.locator('a', { hasText: 'Guide' }).filter({ visible: true }).first().click()
    await page.locator('h1', { hasText: 'Guide' }).waitFor()
    await shows(page)
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate(() => 'kept' in window)).toBe(!site.loads)
    expect(await page.locator(BAR).count()).toBe(1)
    expect(await theme(page)).toBe(site.dark ? 'dark' : 'light')
    await scrollTo(page, 0)
    expect(await coveredBy(page)).toEqual([])
    await expectSilence(1280, said)
  })
})
