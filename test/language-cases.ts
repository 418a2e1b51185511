/** The tags of the translations that are there, and which languages take each (contract A15; RFC 4647, lookup). */
const TAKEN_BY = {
  de: `de DE De de-AT DE-AT de-CH de-DE-1996 de-Latn-AT-1996 de-CH-1901-x-y de-a-value de-x-y-z de-DE-u-co-phonebk
    de-t-it deu ger deu-AT de- de--AT`,
  'pt-BR': 'pt-BR PT-br pt-br pt-BR-x-a pt-BR-u-nu-latn pt-BR-a-bb pt-BR-abl1943 por-BR',
  'zh-Hant':
    'zh-Hant zh-hant ZH-HANT zh-Hant-TW zh-Hant-MO-x-y zh-TW zh-HK zh-tw-u-co-zhuyin cmn-Hant cmn-TW zho-Hant-TW',
  zh: 'zh ZH zh-CN zh-Hans zh-Hans-CN zh-Latn-pinyin zh-x-Hant zho chi cmn zh-cmn',
  'en-GB': 'en-GB EN-gb en-gb-oed en-GB-oxendict en-GB-scotland en-GB-x-y eng-GB',
  'sr-Latn': 'sr-Latn SR-LATN sr-Latn-RS sr-latn-ba-x-1 sh sh-BA',
  he: 'he iw IW-IL he-IL',
  ar: 'ar AR ar-EG ar-Arab-SA ar-x-private ar-u-nu-latn ara arb',
  'x-klingon': 'x-klingon X-KLINGON x-klingon-home',
}

/** Garbage, and languages that nothing is there for: the text as it is. */
const TAKEN_BY_NONE = [
  ...'pt PT pt-PT pt-AO en EN en-US en-Latn-GB sr SR-cyrl sr-Cyrl-RS sr-RS fr fr-de ja tlh i-klingon'.split(
    ' ',
  ),
  ...'x x-y a 1 - -- -de * *-DE de_AT d e dee xde __proto__ constructor und und-DE'.split(' '),
  ...['', 'de;q=1', 'de,en', ' de', 'de\n', 'дe', '<b>', '\0', `de-${'a-'.repeat(10_000)}`],
]

export const TRANSLATIONS = Object.fromEntries(
  Object.keys(TAKEN_BY).map((tag) => [tag, `in ${tag}`]),
)

/** A language, and the tag of the translation that it takes. */
export const LANGUAGE_CASES: readonly (readonly [language: string, taken: string | undefined])[] = [
  ...Object.entries(TAKEN_BY).flatMap(([taken, languages]) =>
    languages.split(/\s+/).map((language) => [language, taken] as const),
  ),
  ...TAKEN_BY_NONE.map((language) => [language, undefined] as const),
]
