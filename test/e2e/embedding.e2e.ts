import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { brokenPolicies, openStage, SAMPLES, type Stage } from '../browser/stage.ts'
import { build as buildOurs, ROOT } from '../command-line.ts'
import { blockAfter } from '../printed.ts'

vi.setConfig({ testTimeout: 90_000 })

const REM = 16

let stage: Stage
beforeAll(async () => {
  buildOurs()
  stage = await openStage()
}, 120_000)
afterAll(() => stage.close())
beforeEach(() => stage.clear())

/** With the address of this service, which a guide can't know. */
const here = (text: string) => text.replaceAll('https://notices.example', stage.origin)

async function visit(body: string, headers?: Record<string, string>, head?: string): Promise<Page> {
  const page = await stage.page()
  await page.goto(stage.host(`<main><h1>A site</h1></main>${body}`, headers, head))
  return page
}

const ELEMENT = 'placard-link'
const shows = (page: Page) =>
  page.locator(`${ELEMENT} .placard-text`, { hasText: SAMPLES.post.text }).waitFor()
const heightOf = (page: Page) =>
  page.locator(ELEMENT).evaluate((one) => one.getBoundingClientRect().height)

it('docs/embed.md: element and tag keep their room, and show what is announced', async () => {
  const page = await visit(here(blockAfter('docs/embed.md', '## Any site')))
  expect(await heightOf(page)).toBe(3.25 * REM)
  await stage.placard.publish(SAMPLES.post)
  await shows(page)
  expect(await heightOf(page)).toBe(3.25 * REM)
})

it('docs/embed.md: under its policy nothing is refused, and the sheet keeps the room', async () => {
  const policy = here(blockAfter('docs/embed.md', 'even with')).trim()
  const tag = here(blockAfter('docs/embed.md', '## Any site')).trim().split('\n').at(-1)
  await stage.placard.publish(SAMPLES.post)
  const page = await visit(`<${ELEMENT}></${ELEMENT}>${tag}`, {
    'content-security-policy': `default-src 'none'; ${policy}; require-trusted-types-for 'script'`,
  })
  await shows(page)
  expect(await brokenPolicies(page)).toEqual([])

  await stage.clear()
  const sheet = blockAfter('docs/embed.md', 'The rule may stand in your stylesheet')
  const styled = await visit(`<${ELEMENT}></${ELEMENT}>`, {}, `<style>${sheet}</style>`)
  expect(await heightOf(styled)).toBe(3.25 * REM)
})

it('docs/embed.md: a floating bar keeps as far from the bottom as the site says', async () => {
  await stage.placard.publish(SAMPLES.post)
  const tag = here(blockAfter('docs/embed.md', '## Any site')).trim().split('\n').at(-1)
  const inset = blockAfter('docs/embed.md', 'say how high it is')
  const page = await visit(String(tag), {}, `<style>${inset}</style>`)
  await shows(page)
  const below = () =>
    page
      .locator(`${ELEMENT} .placard-link`)
      .evaluate((one) => innerHeight - one.getBoundingClientRect().bottom)
  await expect.poll(below).toBeGreaterThanOrEqual((4 + 1) * REM)
})

it('docs/embed.md: its looks are those that the site sets', async () => {
  await stage.placard.publish(SAMPLES.post)
  const looks = blockAfter('docs/embed.md', '## Its looks')
  const page = await visit(
    here(blockAfter('docs/embed.md', '## Any site')),
    {},
    `<style>${looks}</style>`,
  )
  await shows(page)
  const style = await page.locator(`${ELEMENT} .placard-link`).evaluate((one) => {
    const { borderRadius } = getComputedStyle(one)
    const { backgroundColor } = getComputedStyle(one.closest('.placard') as Element)
    return { borderRadius, backgroundColor }
  })
  expect(style).toEqual({ borderRadius: '8px', backgroundColor: 'rgb(255, 253, 247)' })
})

it('docs/embed.md: the element of a bundle of one’s own, without the tag', async () => {
  await stage.placard.publish(SAMPLES.post)
  const contents = blockAfter('docs/embed.md', '## Without the tag')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser' },
  })
  const page = await visit(
    here(blockAfter('docs/embed.md', "customElements.define('placard-link'")),
  )
  await page.addScriptTag({ type: 'module', content: outputFiles[0]?.text ?? '' })
  await shows(page)
  expect(await heightOf(page)).toBe(3.25 * REM)
})

it('docs/http-api.md: a page follows the stream by itself', async () => {
  const code = here(blockAfter('docs/http-api.md', '",…}}'))
  const page = await visit('')
  await page.evaluate(
    code.replace(/(const \{ event \} = .*\n)/, '$1document.title = event?.text ?? ""\n'),
  )
  await stage.placard.publish(SAMPLES.post)
  await expect.poll(() => page.title()).toBe(SAMPLES.post.text)
})
