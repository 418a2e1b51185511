import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Issue, Problem } from '../src/core/problem.ts'
import { linkFault } from '../src/core/rules.ts'
import { parsePosting } from '../src/core/schema.ts'
import { DRAFT } from './harness.ts'

const NOW = Date.UTC(2027, 0, 1)
const draft = (parts: object) => parsePosting({ ...DRAFT, ...parts }, NOW).draft

/** The faults of a body; none if it is accepted. */
function issuesOf(parts: object): Issue[] {
  try {
    draft(parts)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.details.issues as Issue[]
  }
}

/** The paths of a body's faults. */
const faults = (parts: object) => issuesOf(parts).map(({ path }) => path)

const chars = (...ranges: [number, number][]) =>
  fc.oneof(...ranges.map(([from, to]) => fc.integer({ min: from, max: to }))).map(codePoint)
const codePoint = (code: number) => String.fromCodePoint(code)

const ranges = (text: string) =>
  text.split(' ').map((range): [number, number] => {
    const [from = '', to = from] = range.split('-')
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)]
  })
const UNSEEN = [
  ...ranges('20 a0 ad 300-36f 200b-200f 2060-2064 3164 fe00-fe0f feff 2800 e0020-e007f 206a-206f'),
  ...ranges('115f-1160 fff9-fffc 13441-13442 1d159'),
  // Noncharacters.
  ...ranges('fdd0-fdef fffe-ffff 1fffe-1ffff 10fffe-10ffff'),
  // Private use.
  ...ranges('e000-f8ff f0000-f0100'),
  // Unassigned, and likely to stay so.
  ...ranges('378-379 2fe0-2fef 50000-50100 e0080-e00ff'),
]
/** Letters of several scripts, emoji, joiners and combining marks. */
const lawful = chars(
  ...ranges('21-7e a1-ac 5d0-5ea 627-64a 300-36f 3041-3096 1f600-1f64f 200d fe0f 20'),
)
const forbidden = chars(...ranges('0-1f 7f-9f 2028-2029 202a-202e 2066-2069'))
const invisible = chars(...UNSEEN)

describe('the text', () => {
  it('contract A6: may have visible characters of any script, and is changed only by trimming', () => {
    fc.assert(
      fc.property(fc.string({ unit: lawful, minLength: 1, maxLength: 490 }), (middle) => {
        const text = `a${middle}é`
        fc.pre(text.length > 2)
        expect(draft({ text: ` \t\u3000${text}\n ` }).text).toBe(text)
      }),
    )
  })

  it('contract A6: may not contain control characters, line breaks or bidirectional overrides', () => {
    fc.assert(
      fc.property(fc.string({ unit: lawful, maxLength: 200 }), forbidden, (text, bad) => {
        expect(faults({ text: `abc${bad}${text}x` })).toEqual(['text'])
      }),
    )
  })

  it('contract A6: may not contain a lone surrogate anywhere', () => {
    const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
    fc.assert(
      fc.property(half, fc.constantFrom('abc#', '#abc', 'ab#cd'), (bad, place) => {
        expect(faults({ text: place.replace('#', () => bad) })).toEqual(['text'])
      }),
    )
  })

  it('contract A6: must contain a visible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: invisible, minLength: 3, maxLength: 100 }), (text) => {
        expect(faults({ text })).toEqual(['text'])
      }),
    )
    for (const [from, to] of UNSEEN) {
      for (let code = from; code <= to; code++) {
        const text = codePoint(code).repeat(3)
        expect(faults({ text }), code.toString(16)).toEqual(['text'])
      }
    }
    expect(faults({ text: '\u200b\u200bx' })).toEqual([])
    expect(faults({ text: '\ue000\ufffe.' })).toEqual([])
  })

  it('contract A6, spec 8: has 3 to 500 Unicode code points after trimming', () => {
    for (const unit of ['a', '\u{1f389}', 'é']) {
      expect(faults({ text: unit.repeat(2) })).toEqual(['text'])
      expect(faults({ text: ` ${unit.repeat(2)}\u2003` })).toEqual(['text'])
      expect(faults({ text: unit.repeat(3) })).toEqual([])
      expect(faults({ text: `  ${unit.repeat(500)}  ` })).toEqual([])
      expect(faults({ text: unit.repeat(501) })).toEqual(['text'])
    }
  })
})

describe('type and icon', () => {
  it('spec 4.1: the type is post, coupon or product, and nothing else', () => {
    for (const type of ['post', 'coupon', 'product']) expect(faults({ type })).toEqual([])
    for (const type of ['Post', 'post ', '', 'event', null, 1, ['post'], {}]) {
      expect(faults({ type })).toEqual(['type'])
    }
  })

  it('contract A8: the icon may be absent, null, or a name in kebab case or Pascal case', () => {
    expect(draft({}).icon).toBeNull()
    expect(draft({ icon: null }).icon).toBeNull()
    for (const icon of ['newspaper', 'ArrowDown01', 'a', 'unknown-to-lucide', 'x'.repeat(64)]) {
      expect(draft({ icon }).icon).toBe(icon)
    }
  })

  it('contract A8: no other icon is accepted', () => {
    const bad = ['', 'x'.repeat(65), 'a b', 'a_b', '../x', '<svg>', 'é', 'a\n', ' a', 1, {}, []]
    for (const icon of bad) expect(faults({ icon }), String(icon)).toEqual(['icon'])
  })
})

it('contract A10: the error names an unknown key, whatever the key is', () => {
  const known = ['text', 'type', 'slug', 'icon', 'expiresAt', '__proto__']
  const key = fc
    .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('id', 'timestamp', 'constructor'))
    .filter((name) => !known.includes(name))
  fc.assert(
    fc.property(key, fc.jsonValue(), (name, value) => {
      expect(faults({ [name]: value })).toEqual([name])
    }),
  )
})

it.each<[object, ...string[]]>([
  [{ text: undefined }, 'text required'],
  [{ text: 'half \ud83d' }, 'text not_unicode'],
  [{ text: '\u200b\u200b\u200b' }, 'text nothing_visible'],
  [{ type: 'news' }, 'type not_a_type'],
  [{ slug: '/a b' }, 'slug unseen_in_link'],
  [{ slug: '/a\\b' }, 'slug backslash_in_link'],
  [{ slug: 'https://[' }, 'slug not_a_url'],
  [{ slug: '//example.com' }, 'slug no_scheme'],
  [{ slug: 'mailto:me' }, 'slug not_a_link'],
  [{ icon: '<b>' }, 'icon not_an_icon'],
  [{ sulg: '/x' }, 'sulg unknown_field'],
  [
    { text: 'x', startsAt: NOW + 2, expiresAt: NOW + 1 },
    ...['text wrong_length', 'expiresAt not_after_start'],
  ],
])('contract A11, A14: a draft with %j has the fault %s', (parts, ...faults) => {
  expect(issuesOf(parts).map(({ path, code }) => `${path} ${code}`)).toEqual(faults)
})

describe('contract A7: a link', () => {
  it.each([
    ...'#coupon # /blog/x blog/x?y#z ../x ?page=2 /x?next=https://example.com/ #a:b'.split(' '),
    ...'/javascript:alert(1) https://example.com http://example.com:8080/x?y#z'.split(' '),
    ...'HTTPS://EXAMPLE.COM/ https://user@example.com/ https://münchen.example/'.split(' '),
    ...'/日本語/café /cafe\u0301/हिन्दी/\u0639\u0631\u0628\u064a /%E2%80%8C%EF%BB%BF'.split(' '),
    // U+1FAFF and U+0378 are unassigned: they may become characters that newer browsers show.
    ...'/\u{1f600}\u{1f3fd} /\u{1faff}\u0378'.split(' '),
    ...[`/${'x'.repeat(2047)}`, `/${'\u{1f389}'.repeat(2047)}`],
  ])('may be %s', (slug) => {
    expect(draft({ slug: `  ${slug}\n` }).slug).toBe(slug)
  })

  it.each([
    ...['', '   ', 'x y', 'https://exa mple.com', 'java\tscript:alert(1)', '/\t/example.com'],
    ...'javascript:alert(1) \u0001javascript:alert(1) data:text/html,x custom+scheme://x'.split(
      ' ',
    ),
    ...'//example.com /\\example.com /x\\y https:example.com http:///example.com a:b'.split(' '),
    ...'https://[::1/ https://example.com:99999/ x\ud800y https://example.com\u200b/'.split(' '),
    `/${'x'.repeat(2048)}`,
  ])('may not be %j', (slug) => {
    expect(faults({ slug })).toEqual(['slug'])
  })

  it.each([
    [
      'characters that override or isolate a direction',
      '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
    ],
    ['directional marks', '\u061c\u200e\u200f'],
    ['U+FEFF, soft hyphens and joiners', '\ufeff\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\u2064'],
    ['fillers, selectors and tags', '\u115f\u3164\uffa0\ufe0f\u{e0100}\u{e0001}\u{e0041}'],
    ['other format characters', '\u206a\u206f\ufff9\ufffb\u{1bca0}\u{1d173}'],
    ['noncharacters', '\ufdd0\ufffe\uffff\u{1fffe}\u{10ffff}'],
    ['characters that are blank by design', '\u2800\ufffc\u{13441}\u{1d159}'],
  ])('may not contain %s', (_, unseen) => {
    for (const it of unseen) {
      for (const slug of [`/x${it}y`, `#${it}x`, `x${it}:y`, `https://example${it}.com/`]) {
        expect(faults({ slug }), JSON.stringify(slug)).toEqual(['slug'])
      }
    }
  })
})

/** Pieces from which disguised links are made. */
const piece = fc.constantFrom(
  ...'javascript JavaScript data http https HTTPS blob evil.example user@'.split(' '),
  ...': / // \\ \\\\ # ? @ . .. %2f %5c %09 &colon; &#58; [ ] 1 x é \u{1f389}'.split(' '),
  ...'\t\n\r\0\x01\x1f \u00a0\u2028\ufeff\u200b\u00ad\uff1a\uff0f\u2044\ud800',
)
const hostile = fc.oneof(
  { weight: 5, arbitrary: fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')) },
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.webUrl(),
)

it('contract A7: an accepted link either stays within the site or leads to the http(s) URL that it spells out', () => {
  let taken = 0
  fc.assert(
    fc.property(hostile, (slug) => {
      const trimmed = slug.trim()
      if (linkFault(trimmed) !== undefined) return
      taken++
      for (const base of ['https://site.example/a/b?c#d', 'http://site.example/']) {
        const { protocol, origin } = new URL(trimmed, base)
        if (/^https?:\/\//i.test(trimmed)) {
          expect(protocol).toBe(trimmed.toLowerCase().split('//')[0])
        } else expect(origin).toBe(new URL(base).origin)
      }
      expect(trimmed).not.toMatch(/[\p{Cc}\p{Cf}\p{White_Space}\p{Bidi_Control}\\]/u)
      expect(trimmed.isWellFormed()).toBe(true)
    }),
    { numRuns: 20_000 },
  )
  expect(taken).toBeGreaterThan(1_000)
})

const endOf = (expiresAt: unknown) => draft({ expiresAt }).expiresAt

describe('contract A9: expiresAt accepts', () => {
  it.each([
    ['2027-01-01T00:00:00.001Z', NOW + 1],
    ['2027-06-01T12:30:00+02:00', Date.UTC(2027, 5, 1, 10, 30)],
    ['2027-06-01T12:30:00.5-09:30', Date.UTC(2027, 5, 1, 22, 0, 0, 500)],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['8640000000000000', 8.64e15],
  ])('%j', (given, ms) => {
    expect(endOf(given)).toBe(ms)
  })

  it('every instant of the next 950 years, in each form', () => {
    const date = fc.date({ min: new Date(NOW + 1), max: new Date(NOW + 3e13), noInvalidDate: true })
    fc.assert(
      fc.property(date, (instant) => {
        const ms = instant.getTime()
        const forms = [instant.toISOString(), instant.toISOString().toLowerCase(), String(ms), ms]
        for (const form of forms) expect(endOf(form)).toBe(ms)
      }),
    )
  })
})

describe('contract A9: expiresAt rejects', () => {
  it.each([
    ['the present time', NOW],
    ['the past', '2026-12-31T23:59:59.999Z'],
    ['a time without an offset', '2027-06-01T12:30:00'],
    ['a date alone', '2027-06-01'],
    ["a leap day that doesn't exist", '2027-02-29T00:00:00Z'],
    ['a negative number', -1],
    ['a fraction', NOW + 0.5],
    ['an exponent', '1e15'],
    ['a time after the last possible one', '8640000000000001'],
    ['null', null],
    ['a list', [String(NOW + 1)]],
  ])('%s, with a single error that says what it accepts (contract A11)', (_, given) => {
    const message = expect.stringMatching(/^must be (in the future|a date and time with an offset)/)
    const issue = expect.objectContaining({ path: 'expiresAt', message })
    const details = { issues: [issue] }
    expect(() => endOf(given)).toThrow(expect.objectContaining({ details }))
  })
})
