import { expect, it } from 'vitest'
import { chooseView } from '../src/bar/view.ts'
import { directionOf } from '../src/core/language.ts'
import { placardHtml } from '../src/entries/html.ts'

/** The tags of the translations, and the languages that get each of them (RFC 4647, lookup). */
const TAKEN_BY = {
  de: `de DE De de-AT DE-AT de-CH de-DE-1996 de-Latn-AT-1996 de-CH-1901-x-y de-a-value de-x-y-z de-DE-u-co-phonebk
    de-t-it deu ger deu-AT de- de--AT de_AT DE_de de_DE.UTF-8`,
  'pt-BR':
    'pt-BR PT-br pt-br pt_BR pt_BR_x_a pt-BR-x-a pt-BR-u-nu-latn pt-BR-a-bb pt-BR-abl1943 por-BR',
  'zh-Hant':
    'zh-Hant zh-hant ZH-HANT zh-Hant-TW zh-Hant-MO-x-y zh-TW zh_TW zh_Hant_HK zh-HK zh-tw-u-co-zhuyin cmn-Hant cmn-TW zho-Hant-TW',
  zh: 'zh ZH zh-CN zh-Hans zh-Hans-CN zh-Latn-pinyin zh-x-Hant zho chi cmn zh-cmn',
  'en-GB': 'en-GB EN-gb en-gb-oed en-GB-oxendict en-GB-scotland en-GB-x-y eng-GB',
  'sr-Latn': 'sr-Latn SR-LATN sr-Latn-RS sr-latn-ba-x-1 sh sh-BA',
  he: 'he iw IW-IL he-IL',
  ar: 'ar AR ar-EG ar-Arab-SA ar-x-private ar-u-nu-latn ara arb',
  'x-klingon': 'x-klingon X-KLINGON x-klingon-home',
}
const TRANSLATIONS = Object.fromEntries(Object.keys(TAKEN_BY).map((tag) => [tag, `in ${tag}`]))

/** Garbage, and languages without a translation, which get the text as it is. */
const TAKEN_BY_NONE = [
  ...'pt PT pt-PT pt-AO en EN en-US en-Latn-GB sr SR-cyrl sr-Cyrl-RS sr-RS fr fr-de ja tlh i-klingon'.split(
    ' ',
  ),
  ...'x x-y a 1 - -- -de * *-DE _de d e dee xde __proto__ constructor und und-DE'.split(' '),
  ...['', 'de;q=1', 'de,en', ' de', 'de\n', 'дe', '<b>', '\0', `de-${'a-'.repeat(10_000)}`],
]

it.each<[language: string, taken: string | undefined]>([
  ...Object.entries(TAKEN_BY).flatMap(([taken, languages]) =>
    languages.split(/\s+/).map((language): [string, string] => [language, taken]),
  ),
  ...TAKEN_BY_NONE.map((language): [string, undefined] => [language, undefined]),
])('contract A15: the translation for language %s is %s (RFC 4647, lookup)', (language, taken) => {
  const event = { text: 'as it is', type: 'post', slug: '/', translations: TRANSLATIONS }
  const expected = { text: taken ? `in ${taken}` : 'as it is', lang: taken }
  expect(chooseView(event, null, language)).toMatchObject(expected)
  const html = placardHtml({ event, language })
  expect(html).toContain(taken ? `lang="${taken}">in ${taken}<` : '>as it is<')
})

it.each([
  [
    'zh-Hans zh-Hant nb',
    { 'zh-CN': 'zh-Hans', zh: 'zh-Hans', 'zh-Latn': 'zh-Hans', 'no-NO': 'nb', nn: undefined },
  ],
  ['zh-Hans sr', { 'zh-TW': 'zh-Hans', 'zh-Hant': 'zh-Hans', 'sr-Latn': 'sr' }],
  // The implied script comes after the exact tag and before the language alone.
  [
    'zh zh-Hans zh-HK no',
    { 'zh-CN': 'zh-Hans', 'zh-HK': 'zh-HK', 'zh-TW': 'zh', zh: 'zh', 'nb-NO': 'no' },
  ],
])(
  'contract A15: with translations for %s, a tag falls back to its implied script, its language, the usual script of that language, or an alternative name',
  (tags, takes) => {
    const translations = Object.fromEntries(tags.split(' ').map((tag) => [tag, `in ${tag}`]))
    const event = { text: 'as it is', type: 'post', slug: '/', translations }
    for (const [language, taken] of Object.entries(takes)) {
      expect(chooseView(event, null, language)?.lang, language).toBe(taken)
    }
  },
)

it.each([
  ['de-AT', 'auf Deutsch', 'de', 'ltr'],
  ['en-GB', 'in English', 'en', 'ltr'],
  // A reader of another language gets the text itself, marked with its language.
  ['fr', 'auf Deutsch', 'de', 'ltr'],
  [undefined, 'auf Deutsch', 'de', 'ltr'],
])('contract A15: for a text with a language, lang=%s shows %j', (place, text, lang, dir) => {
  const event = { text: 'auf Deutsch', type: 'post', slug: '/', language: 'de' }
  const translations = { en: 'in English' }
  expect(chooseView({ ...event, translations }, null, place)).toMatchObject({ text, lang, dir })
  expect(chooseView({ ...event, language: 'he' }, null, place)).toMatchObject({ dir: 'rtl' })
})

it.each([
  ['de', '/de', 'auf Deutsch'],
  ['de-AT', '/de-AT', 'auf Deutsch'],
  // A language without a translation has its own link, and a translation without a link has the default one.
  ['fr', '/fr', 'in English'],
  ['es', '/sale', 'en español'],
  ['en-US', '/sale', 'in English'],
  ['ja', '/sale', 'in English'],
  [undefined, '/sale', 'in English'],
])('contract A19: the link for the language %s is %s', (language, href, text) => {
  const event = {
    ...{ text: 'in English', type: 'post', slug: '/sale', language: 'en' },
    translations: { de: 'auf Deutsch', es: 'en español' },
    slugs: { de: '/de', 'de-AT': '/de-AT', fr: '/fr' },
  }
  expect(chooseView(event, null, language)).toMatchObject({ href, text })
  expect(placardHtml({ event, language })).toContain(`href="${href}"`)
})

it("contract A19: `slug` is the link for the announcement's own language", () => {
  const event = { text: 'Kolory', type: 'post', slug: '/gb', slugs: { en: '/us', fr: '/fr' } }
  const hrefIn = (tag: string, language?: string) =>
    chooseView({ ...event, language }, null, tag)?.href
  expect(hrefIn('en-GB')).toBe('/us')
  expect(hrefIn('en-GB', 'en-GB')).toBe('/gb')
})

it.each([' /de ', 'javascript:alert(1)', '//evil', '', 7])(
  "contract A19, A7: a language's link is trimmed, and isn't used if it breaks the rules for links: %j",
  (de) => {
    const event = { text: 'A text', type: 'post', slug: '/', slugs: { de: de as string } }
    expect(chooseView(event, null, 'de')?.href).toBe(de === ' /de ' ? '/de' : '/')
  },
)

it("contract A15: a text's direction is that of its language's script", () => {
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
])(
  "contract A15, A6: a translation is trimmed, and isn't used if it breaks the rules for texts: %j",
  (de, text) => {
    const translations = { de: de as string }
    const event = { text: 'as it is', type: 'post', slug: '/', translations }
    const shown = { text: text ?? 'as it is', lang: text && 'de' }
    expect(chooseView(event, null, 'de')).toMatchObject(shown)
  },
)
