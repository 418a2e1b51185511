import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { barOf, ROOM, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()
const { post } = SAMPLES

describe('the language of the page', () => {
  /** The languages of the bar's text and labels, declared or inherited, and whether the bar runs right to left. */
  const looked = async (page: Page) =>
    (await barOf(page)).evaluate((bar) => {
      const langOf = (part: Element | null): string => {
        for (let one: Node | null = part; one; one = one.parentNode ?? (one as ShadowRoot).host) {
          const lang = one instanceof Element && one.getAttribute('lang')
          if (lang) return lang
        }
        return ''
      }
      const left = (part: string) => bar.querySelector(part)?.getBoundingClientRect().left ?? 0
      return {
        text: langOf(bar.querySelector('.placard-text')),
        labels: langOf(bar.querySelector('.placard-pause')),
        isReversed: left('.placard-arrow') < left('.placard-text'),
      }
    })

  it.each([
    ['he', 'rtl', '', { text: 'he', labels: 'en', isReversed: true }],
    ['fa-IR', 'rtl', '', { text: 'fa-IR', labels: 'en', isReversed: true }],
    ['ar', 'rtl', '', { text: 'ar', labels: 'ar', isReversed: true }],
    ['pt-BR', 'ltr', '', { text: 'pt-BR', labels: 'en', isReversed: false }],
    ['de', 'ltr', '', { text: 'de', labels: 'de', isReversed: false }],
    ['en', 'ltr', 'data-lang="de_AT"', { text: 'de-AT', labels: 'de-AT', isReversed: false }],
  ])(
    'applies to a text without a language of its own, unless the tag names another: %s, %s, %s',
    async (lang, dir, attributes, expected) => {
      await stage.placard.publish(post)
      const root = `<script>Object.assign(document.documentElement, { lang: '${lang}', dir: '${dir}' })</script>`
      for (const accepted of [lang, 'en-US']) {
        const page = await stage.site(ROOM + stage.tag(attributes), {
          head: root,
          locale: accepted,
        })
        expect(await looked(page)).toEqual(expected)
      }
    },
  )

  it('may have an underscore in its tag', async () => {
    await stage.placard.publish({ ...post, translations: { de: 'Wir über Caches' } })
    const root = `<script>document.documentElement.lang = 'de_DE'</script>`
    const page = await stage.site(ROOM + stage.tag(), { head: root })
    expect(await (await barOf(page)).locator('.placard-text').textContent()).toBe('Wir über Caches')
  })
})
