import { expect, it } from 'vitest'
import { chooseView } from '../src/bar/view.ts'
import { canonicalTag, directionOf, lookUp } from '../src/language.ts'

const THERE = ['de', 'pt-BR', 'zh-Hant', 'zh', 'en-GB', 'sr-Latn', 'ar', 'x-klingon']
const BY_TAG = new Map(THERE.map((tag) => [tag.toLowerCase(), tag]))

it.each([
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-Latn-AT-1996', 'de'],
  ['pt', undefined],
  ['pt-BR', 'pt-BR'],
  ['PT-br', 'pt-BR'],
  ['pt-PT', undefined],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-Hans-CN', 'zh'],
  ['zh-TW', 'zh'],
  ['en', undefined],
  ['en-GB-oed', 'en-GB'],
  ['de-a-value', 'de'],
  ['de-x-y-z', 'de'],
  ['sr-Cyrl', undefined],
  ['x-klingon', 'x-klingon'],
  ['', undefined],
  ['-', undefined],
  ['*', undefined],
  ['deu', 'de'],
  ['__proto__', undefined],
  ['de_AT', undefined],
  [`de-${'a-'.repeat(10_000)}`, undefined],
])('contract A15: %s takes %s (RFC 4647, lookup)', (range, taken) => {
  expect(lookUp(range, BY_TAG)).toBe(taken)
  const translations = Object.fromEntries(THERE.map((tag) => [tag, `in ${tag}`]))
  const shown = chooseView({ text: 'as it is', type: 'post', slug: '/', translations }, null, range)
  expect(shown).toMatchObject({ text: taken ? `in ${taken}` : 'as it is', lang: taken })
})

it.each(['iw', 'IW-IL', 'tl', 'in', 'cmn-TW', 'sh'])(
  'contract A15: a place in %s finds what was written for it',
  (tag) => {
    const translations = { [String(canonicalTag(tag))]: 'for this place' }
    const shown = chooseView({ text: 'as it is', type: 'post', slug: '/', translations }, null, tag)
    expect(shown?.text).toBe('for this place')
  },
)

it.each([
  ['ar', 'rtl'],
  ['he-IL', 'rtl'],
  ['fa', 'rtl'],
  ['ur', 'rtl'],
  ['ks-Deva', 'ltr'],
  ['az-Arab', 'rtl'],
  ['wo-Gara', 'rtl'],
  ['en', 'ltr'],
  ['ja', 'ltr'],
  ['not a tag', 'auto'],
])('contract A15: %s is written %s', (tag, direction) => {
  expect(directionOf(tag)).toBe(direction)
})

it('contract A15: tags have their usual letter case', () => {
  expect(canonicalTag('pt-br')).toBe('pt-BR')
  expect(canonicalTag('ZH-hant-tw')).toBe('zh-Hant-TW')
  for (const tag of ['', 'de_AT', 'x', 'toolonglanguage', '__proto__', 'de-']) {
    expect(canonicalTag(tag), tag).toBeUndefined()
  }
})

it('contract A15, A6: a translation is trimmed before it is judged and shown', () => {
  const event = { text: 'as it is', type: 'post', slug: '/' }
  const shown = (de: string) => chooseView({ ...event, translations: { de } }, null, 'de')?.text
  expect(shown(' \n Deutsch \n')).toBe('Deutsch')
  expect(shown('  a  ')).toBe('as it is')
})

it('contract A15, A6: a translation that breaks the rules of the text is none', () => {
  const bad = ['x', 'two\nlines', '\u202eevil', 7, null] as unknown as string[]
  for (const text of bad) {
    const event = { text: 'as it is', type: 'post', slug: '/', translations: { de: text } }
    expect(chooseView(event, null, 'de')).toMatchObject({ text: 'as it is', lang: undefined })
  }
})
