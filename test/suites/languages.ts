import { expect, it } from 'vitest'
import { current, DRAFT, type Mount, publish } from '../harness.ts'

/** A tag that is longer than a page can declare, so nobody would ever read its text. */
const LONG = `de-x${'-abcdefgh'.repeat(11)}`

/** Codes of this many languages, each with this text. */
const each = (count: number, text: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`qa${String.fromCharCode(97 + i)}`, text]),
  )
/** 8 translations of 500 two-byte letters take 8,000 bytes, and `text` takes 3. `de` takes the rest. */
const filling = (count: number) => ({
  text: 'abc',
  translations: { ...each(8, 'ü'.repeat(500)), de: 'x'.repeat(count - 8_003) },
})

/** 3 links of 2,000 bytes, and one for the rest. `slug` has 7. */
const linking = (count: number) => ({
  slug: '#coupon',
  slugs: { ...each(3, `/${'x'.repeat(1_999)}`), de: `/${'x'.repeat(count - 6_008)}` },
})

/** `translations`, `slugs` and `language` from the write to the response, as clients see them. */
export function languages(mount: Mount): void {
  it.each([
    [
      { translations: { DE: '  Über Cache ', 'pt-br': 'Sobre cache', ar: 'عن التخزين' } },
      { translations: { de: 'Über Cache', 'pt-BR': 'Sobre cache', ar: 'عن التخزين' } },
    ],
    [{ language: 'EN-us' }, { language: 'en-US' }],
    [{ translations: null }, {}],
    [{ translations: {} }, {}],
    [{ translations: each(20, 'Text') }, { translations: each(20, 'Text') }],
    [filling(8_192), filling(8_192)],
    [
      { slugs: { DE: '  /de/aktion ', 'pt-br': 'https://example.com/pt', ar: '#عرض' } },
      { slugs: { de: '/de/aktion', 'pt-BR': 'https://example.com/pt', ar: '#عرض' } },
    ],
    [
      { slugs: { de: '/de' }, translations: { fr: 'En français' }, language: 'en' },
      { slugs: { de: '/de' }, translations: { fr: 'En français' }, language: 'en' },
    ],
    [{ slugs: null }, {}],
    [{ slugs: {} }, {}],
    [{ slugs: each(20, '/x') }, { slugs: each(20, '/x') }],
    [linking(6_144), linking(6_144)],
  ])(
    'contract A15, A19: %o is returned as %o, until the next publication',
    async (given, shown) => {
      expect((await publish(mount, { ...DRAFT, ...given })).status).toBe(201)
      const { id: _, timestamp: __, ...event } = (await current(mount)) ?? {}
      expect(event).toEqual({ ...DRAFT, ...shown })
      await publish(mount)
      for (const field of ['translations', 'slugs', 'language']) {
        expect(await current(mount)).not.toHaveProperty(field)
      }
    },
  )

  it.each<[object, ...string[]]>([
    [{ language: 'not a tag' }, 'language not_a_language'],
    [{ language: '' }, 'language not_a_language'],
    [{ language: LONG }, 'language not_a_language'],
    [{ language: 7 }, 'language not_a_string'],
    [{ language: null }, 'language not_a_string'],
    [{ language: 'DE', translations: { de: 'Ein Text' } }, 'language same_language'],
    [
      { translations: { de: 'x', fr: 'deux\nlignes', es: 7 } },
      ...['translations.de wrong_length', 'translations.fr not_one_line'],
      'translations.es not_a_string',
    ],
    [{ translations: { 'not a tag': 'Text here' } }, 'translations.not a tag not_a_language'],
    [{ translations: { [LONG]: 'Ein Text' } }, `translations.${LONG} not_a_language`],
    [{ translations: { de: 'Ein Text', DE: 'Noch einer' } }, 'translations.DE same_language'],
    [
      { translations: { de: 'x', DE: 'Ein Text', 'not a tag': 7 }, language: 'de', text: 'x' },
      ...['text wrong_length', 'translations.de wrong_length'],
      ...['translations.not a tag not_a_string', 'translations.DE same_language'],
      ...['translations.not a tag not_a_language', 'language same_language'],
    ],
    [
      { translations: { DE: 'Ein Text' }, language: 'de', extra: 1 },
      ...['extra unknown_field', 'language same_language'],
    ],
    [
      { translations: { 'not a tag': 'x'.repeat(9_000) } },
      ...['translations.not a tag wrong_length', 'translations.not a tag not_a_language'],
      'translations too_many_bytes',
    ],
    [
      { translations: ['Text'], language: 7 },
      'translations not_translations',
      'language not_a_string',
    ],
    [{ translations: { de: { toString: 'x' } } }, 'translations.de not_a_string'],
    [{ translations: ['x'.repeat(9_000)] }, 'translations not_translations'],
    [{ translations: 'de' }, 'translations not_translations'],
    [{ translations: [] }, 'translations not_translations'],
    [{ translations: each(21, 'Text') }, 'translations too_many_languages'],
    [filling(8_193), 'translations too_many_bytes'],
    [{ language: 'DE', slugs: { de: '/de' } }, 'language same_language'],
    [
      { language: 'de', slugs: { de: '/de' }, translations: { de: 'Ein Text' } },
      'language same_language',
    ],
    [
      { slugs: { de: 'javascript:alert(1)', fr: '//evil', es: 7, it: '' } },
      ...['slugs.de not_a_link', 'slugs.fr no_scheme', 'slugs.es not_a_string'],
      'slugs.it wrong_length',
    ],
    [{ slugs: { 'not a tag': '/x' } }, 'slugs.not a tag not_a_language'],
    [{ slugs: { de: '/de', DE: '/de' } }, 'slugs.DE same_language'],
    [{ slugs: { de: { toString: 'x' } } }, 'slugs.de not_a_string'],
    [{ slugs: '/de' }, 'slugs not_links'],
    [{ slugs: ['/de'] }, 'slugs not_links'],
    [{ slugs: each(21, '/x') }, 'slugs too_many_languages'],
    [linking(6_145), 'slugs too_many_link_bytes'],
  ])(
    'contract A15, A19, A6, A7, A11: a draft with %o gets 400 with the path of every fault',
    async (given, ...faults) => {
      const response = await publish(mount, { ...DRAFT, ...given })
      expect(response.status).toBe(400)
      const { issues } = await response.json()
      expect(issues.map(({ path, code }: Record<string, string>) => `${path} ${code}`)).toEqual(
        faults,
      )
      expect(await current(mount)).toBeNull()
    },
  )
}
