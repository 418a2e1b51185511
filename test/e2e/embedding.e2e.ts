import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { bundled } from '../browser/bundle.ts'
import { SAMPLES, shows, stageForFile } from '../browser/stage.ts'
import { blockAfter } from '../printed.ts'

const REM = 16
const { post } = SAMPLES

const stage = stageForFile()

/** The text with this service's address, which a guide can't know. */
const here = (text: string) => text.replaceAll('https://notices.example', stage.origin)

const heightOf = (page: Page) =>
  page.locator('placard-link').evaluate((one) => one.getBoundingClientRect().height)

it('docs/embed.md: the element and the script tag reserve the space, show the announcement, and can be styled', async () => {
  const head = `<style>${blockAfter('docs/embed.md', '## Styling')}</style>`
  const page = await stage.site(here(blockAfter('docs/embed.md', '## Any site')), { head })
  expect(await heightOf(page)).toBe(3.25 * REM)
  await stage.placard.publish(post)
  await shows(page, post.text)
  expect(await heightOf(page)).toBe(3.25 * REM)
  const rule = `<style>${blockAfter('docs/embed.md', 'You can put the rule in your stylesheet')}</style>`
  const alone = await stage.site('<placard-link></placard-link>', { head: rule })
  expect(await heightOf(alone)).toBe(3.25 * REM)
  const style = await page.locator('placard-link .placard-link').evaluate((one) => {
    const { borderRadius } = getComputedStyle(one)
    const { backgroundColor } = getComputedStyle(one.closest('.placard') as Element)
    return { borderRadius, backgroundColor }
  })
  expect(style).toEqual({ borderRadius: '8px', backgroundColor: 'rgb(255, 253, 247)' })
})

it("docs/embed.md: the element works in a site's own bundle, without the script tag", async () => {
  await stage.placard.publish(post)
  const options = { format: 'esm', platform: 'browser' } as const
  const content = await bundled(blockAfter('docs/embed.md', '## Without the script tag'), options)
  const page = await stage.site(here(blockAfter('docs/embed.md', 'definePlacardLink()')))
  await page.addScriptTag({ type: 'module', content })
  await shows(page, post.text)
  expect(await heightOf(page)).toBe(3.25 * REM)
})

it('docs/http-api.md: a page can follow the stream with code of its own', async () => {
  const code = here(blockAfter('docs/http-api.md', '",…}}'))
  const page = await stage.site('')
  await page.evaluate(
    code.replace(/(const \{ event \} = .*\n)/, '$1document.title = event?.text ?? ""\n'),
  )
  await stage.placard.publish(post)
  await expect.poll(() => page.title()).toBe(post.text)
})
