import { expect, it } from 'vitest'
import { iconBody } from '../src/bar/icon.ts'
import { createClient } from '../src/client/client.ts'
import { parsePosting } from '../src/core/schema.ts'
import { warningsOf as warningsOfDraft } from '../src/http/warnings.ts'
import { DRAFT, inMemory } from './harness.ts'

const { placard, apiSecret, clock } = inMemory({
  trustProxy: 0,
  knowsIcon: (name) => iconBody(name) !== null,
})
let header: string | null = null
const client = createClient({
  url: 'http://placard.test',
  secret: apiSecret,
  async fetch(input, init) {
    const response = await placard.fetch(new Request(input, init))
    header = response.headers.get('placard-warning')
    return response
  },
})
/** Leaves out the warning of a text that visitors may have dismissed, which has tests of its own. */
const warningsOf = async (parts: object) => {
  const { warnings } = await client.publish({ ...DRAFT, type: 'post', ...parts })
  return warnings.filter(({ code }) => code !== 'dismissed_before')
}

it('contract A16: an announcement that works as intended gets no warning', async () => {
  expect(await warningsOf({ icon: 'newspaper' })).toEqual([])
  for (const slug of ['#coupon', '/blog/x', '?page=2', 'https://example.com/x']) {
    expect(await warningsOf({ slug, text: `To ${slug}` }), slug).toEqual([])
  }
  expect(header).toBeNull()
})

it('contract A16: an unknown icon, a link without a leading slash and a text that is too long get warnings', async () => {
  const long = 'word '.repeat(20).trim()
  const warnings = await warningsOf({
    icon: 'no-such-icon',
    slug: 'blog/x,y',
    text: long,
    translations: { ja: 'キャッシュ'.repeat(10), de: 'Kurz und gut' },
  })
  expect(warnings.map(({ path, code, message }) => `${path} ${code}: ${message}`)).toEqual([
    expect.stringMatching(/^icon unknown_icon: .*no icon "no-such-icon"/),
    expect.stringMatching(/^slug relative_link: .*no leading slash/),
    expect.stringMatching(/^text text_cut_off: The text is too long/),
    expect.stringMatching(/^translations translation_cut_off: The text for ja is too long/),
  ])
  expect(header).toMatch(/^"[\x20-\x7e]*";code=\w+;path=\w+(, "[\x20-\x7e]*";code=\w+;path=\w+)*$/)
})

it.each([
  ['https://user:pw@example.com/', /^The link contains a user name or password/],
  ['http://user@example.com', /^The link contains a user name or password/],
  ['/%00', /^The link has a %/],
  ['/100%', /^The link has a %/],
  ['/caf%E9', /^The link has a %/],
  ['/@ann', /^$/],
  ['https://example.com/@ann?to=a@b.de', /^$/],
  ['/caf%C3%A9', /^$/],
  ['/100%25', /^$/],
])(
  'contract A16: a link is checked for credentials and for undecodable percent-encoding: %s',
  async (slug, named) => {
    const { draft } = parsePosting(DRAFT, 0)
    const warnings = await warningsOfDraft({ ...draft, slug }, () => true)
    expect(warnings.map(({ message }) => message).join()).toMatch(named)
  },
)

it('contract A16, A19: the first link with a given fault gets a warning that names its language', async () => {
  clock.advance(10_000)
  const slugs = { de: '/de', fr: 'fr/x', es: 'es/x', german: 'https://user@example.com' }
  const warnings = await warningsOf({ slugs })
  expect(warnings.map(({ path, code }) => `${path} ${code}`)).toEqual([
    'slugs.fr relative_link',
    'slugs.german credentials_in_link',
    'slugs unknown_language',
  ])
  expect(header).toMatch(/;path=slugs\.fr, "/)
  // An unknown language that both a translation and a link have is reported once.
  const both = await warningsOf({ slugs: { german: '/' }, translations: { german: 'Kurz' } })
  expect(both.map(({ path }) => path)).toEqual(['translations'])
  expect(both[0]?.message).toContain('"german"')
})

it('contract A15, A16: the tag of an unknown language gets a warning', async () => {
  const known = 'de pt-BR zh-Hant-TW gsw aaa de-x-formal'.split(' ')
  const texts = Object.fromEntries(known.map((tag) => [tag, 'A text']))
  expect(await warningsOf({ translations: texts })).toEqual([])
  const unknown = { code: 'unknown_language', message: expect.stringContaining('"german"') }
  expect(await warningsOf({ translations: { german: 'Kurz', de: 'Kurz' } })).toEqual([
    { ...unknown, path: 'translations' },
  ])
  const { draft } = parsePosting({ ...DRAFT, language: 'german' }, 0)
  expect(await warningsOfDraft(draft, () => true)).toMatchObject([{ ...unknown, path: 'language' }])
})

it('contract A16: even in the worst case, the header has each warning only once, and is ASCII under 2 KiB', async () => {
  const text = `“${'四'.repeat(60)}”`
  const tags = Array.from({ length: 20 }, (_, i) => `german-x-${'a1b2c3d4-'.repeat(9)}${i}`)
  const warnings = await warningsOf({
    text,
    icon: 'x'.repeat(64),
    slug: 'https://user:pw@example.com/%00',
    translations: Object.fromEntries(tags.map((tag) => [tag, text])),
  })
  const codes = warnings.map(({ code }) => code)
  expect(codes).toEqual([...new Set(codes)])
  expect(codes).toHaveLength(6)
  expect(header).toMatch(/^[\x20-\x7e]{600,2047}$/)
})

it('contract A16: an announcement gets a warning about the first one that will cut it short', async () => {
  // The tests above have used up the limit on writes.
  clock.advance(10_000)
  const now = clock.now()
  const inMinutes = (minutes: number) => now + minutes * 60_000
  const schedule = async (minutes: number, parts: object) => {
    const startsAt = inMinutes(minutes)
    await client.publish({ ...DRAFT, type: 'post', ...parts, startsAt })
  }
  await schedule(10, { type: 'product' })
  await schedule(60, {})
  await schedule(30, {})
  const warning = {
    path: 'expiresAt',
    code: 'replaced_earlier',
    message: expect.stringContaining(new Date(inMinutes(30)).toISOString()),
  }
  expect(await warningsOf({ expiresAt: inMinutes(120) })).toEqual([warning])
  expect(await warningsOf({ expiresAt: inMinutes(30) })).toEqual([])
  expect(await warningsOf({})).toEqual([])
  // This one is scheduled itself, and starts after all others.
  const startsAt = inMinutes(90)
  expect(await warningsOf({ startsAt, expiresAt: inMinutes(120) })).toEqual([])
})

it.each([
  ['x'.repeat(30), []],
  ['x'.repeat(31), ['text_cut_off_phone']],
  ['x'.repeat(88), ['text_cut_off_phone']],
  ['x'.repeat(89), ['text_cut_off']],
  ['四'.repeat(15), []],
  ['四'.repeat(16), ['text_cut_off_phone']],
  ['🎉'.repeat(16), ['text_cut_off_phone']],
])('contract A16: a text that is too long gets a warning: %s gets %j', async (text, codes) => {
  clock.advance(10_000)
  const warnings = await warningsOf({ text })
  expect(warnings.map(({ code }) => code)).toEqual(codes)
  for (const { message } of warnings)
    expect(message).toMatch(/phone, .*30 Latin|desktop .*88 Latin/)
  const inGerman = await warningsOf({ translations: { de: text, fr: 'Court' } })
  expect(inGerman.map(({ code, path }) => [code.replace('translation_', 'text_'), path])).toEqual(
    codes.map((code) => [code, 'translations']),
  )
  expect(inGerman.every(({ message }) => message.includes(' de '))).toBe(true)
})

it('contract A11: publish() reports all faults in one error', async () => {
  const wrong = { text: 'x', type: 'event', slug: '//x', expiresAt: 1_799_053_200, extra: 1 }
  const error = await placard.publish(wrong as never).catch((error) => error)
  expect(error).toMatchObject({ name: 'Problem', code: 'invalid_body' })
  expect(error.details.issues).toHaveLength(5)
  for (const said of ['text must have 3 to 500', 'type must be one of', 'slug must', 'seconds']) {
    expect(error.message).toContain(said)
  }
  expect(error.message).toContain('extra is not a known field')
  for (const input of [undefined, null, 'text', []]) {
    const { code, message } = await placard.publish(input as never).catch((error) => error)
    expect([code, message]).toEqual([
      'invalid_body',
      expect.stringMatching(/^Invalid announcement: ./),
    ])
  }
  const selector = await placard.withdraw({} as never).catch((error) => error)
  expect(selector.message).toBe('Invalid announcement: must have exactly one of type and id')
})

it("contract A16: publish() returns the API's warnings with the stored announcement", async () => {
  const startsAt = clock.now() + 60_000
  await placard.publish({ ...DRAFT, type: 'product', startsAt })
  const text = 'Published by code'
  const type = 'product' as const
  const draft = { ...DRAFT, text, type, slug: 'blog/x', expiresAt: startsAt + 60_000 }
  const { warnings, id, slug } = await placard.publish(draft)
  expect(warnings.map(({ code }) => code)).toEqual(['relative_link', 'replaced_earlier'])
  expect(id).toMatch(/^[\da-f-]{36}$/)
  expect(slug).toBe('blog/x')
  const post = { ...DRAFT, text: 'Without a warning', type: 'post' as const }
  expect((await placard.publish(post)).warnings).toEqual([])
})
