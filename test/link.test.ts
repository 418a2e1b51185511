import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkFault } from '../src/core/rules.ts'
import { parsePosting } from '../src/core/schema.ts'
import { DRAFT } from './harness.ts'

const slugOf = (slug: string) => parsePosting({ ...DRAFT, slug }, 0).draft.slug

describe('contract A7: takes', () => {
  it.each([
    '#coupon',
    '#',
    '/',
    '/blog/x',
    'blog/x?y#z',
    './x',
    '../x',
    '?page=2',
    '/x?next=https://example.com/',
    '/a:b',
    '#a:b',
    '?a:b',
    '/%2F%2Fexample.com',
    '/javascript:alert(1)',
    '/日本語/café',
    '/cafe\u0301/हिन्दी/\u0639\u0631\u0628\u064a',
    '/\u{1f600}\u{1f3fd}',
    '/%E2%80%8C%EF%BB%BF',
    // No character yet: perhaps an emoji of next year, which a newer browser knows.
    '/\u{1faff}\u0378',
    'https://example.com',
    'http://example.com:8080/x?y#z',
    'HTTPS://EXAMPLE.COM/',
    'https://user@example.com/',
    'https://[2001:db8::1]/',
    'https://münchen.example/',
    `/${'x'.repeat(2047)}`,
    `/${'\u{1f389}'.repeat(2047)}`,
  ])('%s', (slug) => {
    expect(slugOf(`  ${slug}\n`)).toBe(slug)
  })
})

describe('contract A7: refuses', () => {
  it.each([
    '',
    '   ',
    'javascript:alert(1)',
    'jAvAsCrIpT:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@example.com',
    'custom+scheme://x',
    '//example.com',
    '/\\example.com',
    '\\/example.com',
    '/\t/example.com',
    'https:/\\example.com',
    '/x\\y',
    'https:example.com',
    'https:/example.com',
    'http:///example.com',
    'http://',
    'https://?x',
    'https://exa mple.com',
    'https://%00/',
    'https://[::1/',
    'https://example.com:99999/',
    'https://\texample.com',
    ':x',
    'a:b',
    'x y',
    'x\u00a0y',
    'x\u0085y',
    'x\ud800y',
    'java\u00adscript:alert(1)',
    'https://exa\u00admple.com/',
    'https://example.com\u200b/',
    `/${'x'.repeat(2048)}`,
  ])('%j', (slug) => {
    expect(() => slugOf(slug)).toThrow('Invalid request body')
  })

  it.each([
    [
      'what overrides or isolates a direction',
      '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
    ],
    ['directional marks', '\u061c\u200e\u200f'],
    ['U+FEFF, soft hyphens and joiners', '\ufeff\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\u2064'],
    ['fillers, selectors and tags', '\u115f\u3164\uffa0\ufe0f\u{e0100}\u{e0001}\u{e0041}'],
    ['other format characters', '\u206a\u206f\ufff9\ufffb\u{1bca0}\u{1d173}'],
    ['what never is a character', '\ufdd0\ufffe\uffff\u{1fffe}\u{10ffff}'],
    ['what is blank by design', '\u2800\ufffc\u{13441}\u{1d159}'],
  ])('%s', (_, unseen) => {
    for (const it of unseen) {
      for (const slug of [`/x${it}y`, `#${it}x`, `x${it}:y`, `https://example${it}.com/`]) {
        expect(() => slugOf(slug), JSON.stringify(slug)).toThrow('Invalid request body')
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

describe('contract A7: property', () => {
  it('a link that is taken leads where it says: to this site, or to the http(s) URL written out', () => {
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
})
