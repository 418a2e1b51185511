import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LANGUAGES, type Words } from '../src/admin/words.ts'
import { directionOf } from '../src/language.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { coupon, makePlacard, notify } from './harness.ts'

const [en, ...others] = LANGUAGES as [Words, ...Words[]]

it('contract R8: every reason that the history has for an ignored notification is put into words', async () => {
  const mount = makePlacard(sqliteStore(':memory:'))
  const seconds = Math.floor(mount.now() / 1_000)
  const thin = coupon('created', {}, seconds)
  for (const notification of [
    coupon('created', { name: 'Black Friday' }, seconds),
    coupon('created', { name: 'Too late' }, seconds - 60),
    coupon('updated', { featured: false }, seconds + 1),
    coupon('updated', { redeemBy: seconds - 1 }, seconds + 2),
    coupon('updated', { valid: false }, seconds + 3),
    coupon('updated', { percentOff: 0 }, seconds + 4),
    { ...thin, id: 'evt_1', data: { object: { id: 5 } } },
  ]) {
    expect((await notify(mount, notification)).status).toBe(200)
  }
  const { apiSecret } = mount
  const response = await mount.fetch('/api/events/history', {
    headers: { Authorization: `Bearer ${apiSecret}` },
  })
  const { entries } = (await response.json()) as { entries: { reason?: string }[] }
  const reasons = new Set(entries.map(({ reason }) => reason).filter((reason) => reason))
  expect([...reasons].toSorted()).toEqual(Object.keys(en.history.reasons).toSorted())
})

/** Every text of a language, by its path, as it reads with the given parameters. */
function textsOf(words: object, parameters: string[], path = ''): [string, string, number][] {
  return Object.entries(words).flatMap(([key, value]): [string, string, number][] => {
    const at = path === '' ? key : `${path}.${key}`
    if (typeof value === 'function') return [[at, value(...parameters), value.length]]
    if (typeof value === 'string') return [[at, value, 0]]
    return textsOf(value, parameters, at)
  })
}

const PARAMETERS = ['⟦a⟧', '⟦b⟧', '⟦c⟧']
const english = textsOf(en, PARAMETERS)

/** Texts that are the same in English, and right. */
const SAME = [
  ...['de', 'es', 'fr', 'ja'].map((tag) => `${tag} dir`),
  ...['preview.desktop', 'preview.phone'].map((path) => `ja ${path}`),
  ...['compose.text', 'compose.link', 'preview.original'].map((path) => `de ${path}`),
  'es preview.original',
  'fr compose.type',
]

describe('the words of the admin', () => {
  it('are in the languages of the page, each in its direction', () => {
    const page = readdirSync('locales').map((file) => file.replace('.json', ''))
    expect(LANGUAGES.map(({ tag }) => tag)).toEqual(['en', 'de', 'es', 'fr', 'ja', 'ar'])
    expect(LANGUAGES.map(({ tag }) => tag).toSorted()).toEqual(page.toSorted())
    for (const { tag, dir } of LANGUAGES) expect(dir, tag).toBe(directionOf(tag))
  })

  it('are translated, every one, but for those that are the same', () => {
    const same = others.flatMap((words) => {
      const texts = new Map(textsOf(words, PARAMETERS).map(([path, text]) => [path, text]))
      const alike = english.filter(([path, text]) => texts.get(path) === text)
      return alike.map(([path]) => `${words.tag} ${path}`)
    })
    expect(same.toSorted()).toEqual(SAME.toSorted())
  })

  it.each(LANGUAGES)('in $name have their parameters, and nothing that was left over', (words) => {
    const texts = new Map(textsOf(words, PARAMETERS).map(([path, text]) => [path, text]))
    for (const [path, , count] of english) {
      const text = texts.get(path)
      for (const parameter of PARAMETERS.slice(0, count)) expect(text, path).toContain(parameter)
      expect(text?.trim(), path).toBe(text)
      expect(text, path).not.toBe('')
      if (path === 'preview.cut') expect(text).toContain('{text}')
      else expect(text, path).not.toMatch(/\$\{|\{\w*\}|undefined/)
    }
  })

  it.each(LANGUAGES)('in $name lead up to what follows them where English does', (words) => {
    const leads = (texts: typeof english) =>
      texts.filter(([, text]) => /[:：]$/.test(text)).map(([path]) => path)
    expect(leads(textsOf(words, PARAMETERS))).toEqual(leads(english))
  })

  it.each(LANGUAGES)('in $name begin the length of a text with its count', ({ compose }) => {
    // The admin's script puts the count of the moment in place of the first zero.
    expect(compose.length(0).replace('0', '27')).toBe(compose.length(27))
  })

  it('in French have no space at which a line would break before a sign', () => {
    const french = LANGUAGES.find(({ tag }) => tag === 'fr') as Words
    for (const [path, text] of textsOf(french, PARAMETERS)) {
      expect(text, path).not.toMatch(
        / [:;?!»]| %(?!\d)|« |[^\s\u202f][;?!]|[^\s\u00a0:]»|\p{L}:(?!\/\/| ou |\.)/u,
      )
    }
  })
})
