import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pageOf } from '../browser/chromium.ts'
import { readability } from '../browser/pixels.ts'
import { ROOT } from '../command-line.ts'
import { tabOf } from '../engines/chromium.ts'
import { DRAFT, publish, SECRETS, withdraw } from '../harness.ts'
import { pack, QUICK, run } from './npm.ts'
import { type Served, serve } from './serve.ts'
import { FALLBACK, mount } from './visit.ts'

/** What starts each example once it is built, and in development. */
const EXAMPLES: [name: string, main: string, dev: string[]][] = [
  ['astro', 'dist/server/entry.mjs', ['node_modules/astro/bin/astro.mjs', 'dev']],
  ['nuxt', '.output/server/index.mjs', ['node_modules/nuxt/bin/nuxt.mjs', 'dev']],
  ['sveltekit', 'build', ['node_modules/vite/bin/vite.js', 'dev']],
]

describe.each(EXAMPLES)('examples/%s, built the way a newcomer would', (name, main, dev) => {
  let home: string
  let served: Served
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), `placard-${name}-`))
    const filter = (path: string) => !/\/(node_modules|dist|build|\.\w[\w-]*)$/.test(path)
    cpSync(join(ROOT, 'examples', name), home, { recursive: true, filter })
    cpSync(await pack(home), join(home, 'placard.tgz'))
    const quiet = { ASTRO_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1' }
    await run(home, 'npm', ['ci', ...QUICK], quiet)
    await run(home, 'npm', ['run', 'build'], quiet)
    const settings = Object.entries({ ...SECRETS, DATABASE: join(home, 'placard.db') })
    const lines = settings.map(([setting, value]) => `${setting}='${value}'\n`)
    writeFileSync(join(home, '.env'), lines.join(''))
    served = await serve(home, { HOST: 'localhost' }, { args: [main] })
  })
  afterAll(async () => {
    await served?.end()
    rmSync(home, { recursive: true })
  })

  it('spec 2: shows the fallback, then the announcement, without a script', async () => {
    const page = await pageOf({ javaScriptEnabled: false })
    const link = page.locator('.placard-link')
    await page.goto(served.url)
    expect(await link.innerText()).toContain(FALLBACK)
    expect((await publish(mount(served), { ...DRAFT, text: 'Now <b>here</b>' })).status).toBe(201)
    await page.reload()
    expect(await link.innerText()).toContain('Now <b>here</b>')
    expect(await link.getAttribute('href')).toBe(DRAFT.slug)
    expect((await withdraw(mount(served), { type: DRAFT.type })).status).toBe(200)
  })

  it('shows the bar in development too, with the settings in .env', async () => {
    const developed = await serve(home, {}, { args: [...dev, '--port', 'PORT'] })
    onTestFinished(developed.end)
    expect(await (await fetch(developed.url)).text()).toContain(FALLBACK)
    expect((await publish(mount(developed), DRAFT)).status).toBe(201)
    expect(await (await fetch(developed.url)).text()).toContain(DRAFT.text)
    expect((await withdraw(mount(developed), { type: DRAFT.type })).status).toBe(200)
  })

  const guarded = name === 'nuxt' ? 'has no guard of its own' : 'keeps its own guard'
  it(`${guarded} against forms from other sites`, async () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://elsewhere.example',
    }
    expect((await fetch(served.url, { method: 'POST', headers, body: 'a=b' })).status).toBe(
      name === 'nuxt' ? 200 : 403,
    )
  })

  it.each([320, 1280])('spec 2: shows the bar with its beams at %d px', async (width) => {
    const viewport = { width, height: 600 }
    const page = await pageOf({ viewport, deviceScaleFactor: 2, colorScheme: 'light' })
    await page.goto(served.url)
    const bar = page.locator('.placard')
    const box = await bar.boundingBox()
    expect(box?.height).toBeGreaterThan(28)
    expect(box?.height).toBeLessThan(48)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(width)
    expect(await page.locator('.placard-ray').count()).toBe(2)
    const moving = () => document.getAnimations().filter((it) => it.playState === 'running').length
    expect(await page.evaluate(moving)).toBeGreaterThanOrEqual(2)
    expect((await readability(tabOf(page), '.placard')).contrast).toBeGreaterThanOrEqual(4.5)
  })
})
