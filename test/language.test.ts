import { expect, it } from 'vitest'
import { chooseView } from '../src/bar/view.ts'
import { directionOf } from '../src/core/language.ts'
import { placardHtml } from '../src/entries/html.ts'
import { LANGUAGE_CASES, TRANSLATIONS } from './language-cases.ts'

it.each(LANGUAGE_CASES)('contract A15: %s takes %s (RFC 4647, lookup)', (language, taken) => {
  const event = { text: 'as it is', type: 'post', slug: '/', translations: TRANSLATIONS }
  const expected = { text: taken ? `in ${taken}` : 'as it is', lang: taken }
  expect(chooseView(event, null, language)).toMatchObject(expected)
  const html = placardHtml({ event, language })
  expect(html).toContain(taken ? `lang="${taken}">in ${taken}<` : '>as it is<')
})

it.each([
  ['zh-CN', 'zh-Hans'],
  ['zh', 'zh-Hans'],
  ['zh-Latn', undefined],
  ['no-NO', 'nb'],
  ['nn', undefined],
])(
  'contract A15: %s takes %s by the script that it implies, or by its other name',
  (tag, taken) => {
    const translations = { 'zh-Hans': '简体中文', 'zh-Hant': '繁體中文', nb: 'bokmål' }
    const event = { text: 'as it is', type: 'post', slug: '/', translations }
    expect(chooseView(event, null, tag)?.lang).toBe(taken)
  },
)

it('contract A15: the script that a tag implies comes before the language alone, and after the exact tag', () => {
  const translations = { zh: '汉语汉语', 'zh-Hans': '简体中文', 'zh-HK': '港式中文', no: 'norsk' }
  const event = { text: 'as it is', type: 'post', slug: '/', translations }
  expect(chooseView(event, null, 'zh-CN')?.lang).toBe('zh-Hans')
  expect(chooseView(event, null, 'zh-HK')?.lang).toBe('zh-HK')
  expect(chooseView(event, null, 'zh-TW')?.lang).toBe('zh')
  expect(chooseView(event, null, 'zh')?.lang).toBe('zh')
  expect(chooseView(event, null, 'nb-NO')?.lang).toBe('no')
})

it.each([
  ['de-AT', 'auf Deutsch', 'de', 'ltr'],
  ['en-GB', 'in English', 'en', 'ltr'],
  // A reader of neither gets the text itself, and is told what it is.
  ['fr', 'auf Deutsch', 'de', 'ltr'],
  [undefined, 'auf Deutsch', 'de', 'ltr'],
])(
  'contract A15: with the language of the text, a place in %s takes %j',
  (place, text, lang, dir) => {
    const event = { text: 'auf Deutsch', type: 'post', slug: '/', language: 'de' }
    const translations = { en: 'in English' }
    expect(chooseView({ ...event, translations }, null, place)).toMatchObject({ text, lang, dir })
    expect(chooseView({ ...event, language: 'he' }, null, place)).toMatchObject({ dir: 'rtl' })
  },
)

it('contract A15: the direction of a text is that of its language’s script', () => {
  const tags = (direction: string) =>
    'ar he-IL fa ur ks-Deva az-Arab wo-Gara en ja not-a-tag-'
      .split(' ')
      .filter((tag) => directionOf(tag) === direction)
  expect(tags('rtl')).toEqual(['ar', 'he-IL', 'fa', 'ur', 'az-Arab', 'wo-Gara'])
  expect(tags('ltr')).toEqual(['ks-Deva', 'en', 'ja'])
  expect(tags('auto')).toEqual(['not-a-tag-'])
})

it.each([
  [' \n Deutsch \n', 'Deutsch'],
  ['  a  ', undefined],
  ['\u202eevil', undefined],
  [7, undefined],
])('contract A15, A6: the translation %j shows as %j, by the rules of the text', (de, text) => {
  const translations = { de: de as string }
  const event = { text: 'as it is', type: 'post', slug: '/', translations }
  const shown = { text: text ?? 'as it is', lang: text && 'de' }
  expect(chooseView(event, null, 'de')).toMatchObject(shown)
})
