import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem } from '../src/core/problem.ts'
import { parsePosting } from '../src/core/schema.ts'
import { DRAFT } from './harness.ts'

const NOW = Date.UTC(2027, 0, 1)
const draft = (parts: object) => parsePosting({ ...DRAFT, ...parts }, NOW).draft

/** The paths of the faults of a body; empty if it is accepted. */
function faults(parts: object): string[] {
  try {
    draft(parts)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return (error.details.issues as { path: string }[]).map(({ path }) => path)
  }
}

const chars = (...ranges: [number, number][]) =>
  fc.oneof(...ranges.map(([from, to]) => fc.integer({ min: from, max: to }))).map(codePoint)
const codePoint = (code: number) => String.fromCodePoint(code)

/** Letters of several scripts, emoji, and what joins and marks them. */
const lawful = chars(
  [0x21, 0x7e],
  [0xa1, 0xac],
  [0x5d0, 0x5ea],
  [0x627, 0x64a],
  [0x300, 0x36f],
  [0x3041, 0x3096],
  [0x1f600, 0x1f64f],
  [0x200d, 0x200d],
  [0xfe0f, 0xfe0f],
  [0x20, 0x20],
)
const forbidden = chars(
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x2028, 0x2029],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
)
const UNSEEN: [number, number][] = [
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0xad, 0xad],
  [0x300, 0x36f],
  [0x200b, 0x200f],
  [0x2060, 0x2064],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0x2800, 0x2800],
  [0xe0020, 0xe007f],
  [0x206a, 0x206f],
  [0x115f, 0x1160],
  [0xfff9, 0xfffc],
  [0x13441, 0x13442],
  [0x1d159, 0x1d159],
  // Never characters.
  [0xfdd0, 0xfdef],
  [0xfffe, 0xffff],
  [0x1fffe, 0x1ffff],
  [0x10fffe, 0x10ffff],
  // Private.
  [0xe000, 0xf8ff],
  [0xf0000, 0xf0100],
  // Not assigned, and not likely ever to be.
  [0x0378, 0x0379],
  [0x2fe0, 0x2fef],
  [0x50000, 0x50100],
  [0xe0080, 0xe00ff],
]
const invisible = chars(...UNSEEN)

describe('text', () => {
  it('contract A6: takes what is visible, in any script, and only trims it', () => {
    fc.assert(
      fc.property(fc.string({ unit: lawful, minLength: 1, maxLength: 490 }), (middle) => {
        const text = `a${middle}é`
        fc.pre(text.length > 2)
        expect(draft({ text: ` \t\u3000${text}\n ` }).text).toBe(text)
      }),
    )
  })

  it('contract A6: refuses control characters, line breaks and bidirectional overrides', () => {
    fc.assert(
      fc.property(fc.string({ unit: lawful, maxLength: 200 }), forbidden, (text, bad) => {
        expect(faults({ text: `abc${bad}${text}x` })).toEqual(['text'])
      }),
    )
  })

  it('contract A6: refuses half of a surrogate pair, wherever it stands', () => {
    const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
    fc.assert(
      fc.property(half, fc.constantFrom('abc#', '#abc', 'ab#cd'), (bad, place) => {
        expect(faults({ text: place.replace('#', () => bad) })).toEqual(['text'])
      }),
    )
  })

  it('contract A6: refuses a text without one visible character', () => {
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

  it('contract A6, spec 8: counts Unicode code points after trimming, 3 to 500', () => {
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
  it('spec 4.1: takes post, coupon and product and nothing else', () => {
    for (const type of ['post', 'coupon', 'product']) expect(faults({ type })).toEqual([])
    for (const type of ['Post', 'post ', '', 'event', null, 1, ['post'], {}]) {
      expect(faults({ type })).toEqual(['type'])
    }
  })

  it('contract A8: takes an absent icon, null, and names in either spelling', () => {
    expect(draft({}).icon).toBeNull()
    expect(draft({ icon: null }).icon).toBeNull()
    for (const icon of ['newspaper', 'ArrowDown01', 'a', 'unknown-to-lucide', 'x'.repeat(64)]) {
      expect(draft({ icon }).icon).toBe(icon)
    }
  })

  it('contract A8: refuses every other icon', () => {
    const bad = ['', 'x'.repeat(65), 'a b', 'a_b', '../x', '<svg>', 'é', 'a\n', ' a', 1, {}, []]
    for (const icon of bad) expect(faults({ icon }), String(icon)).toEqual(['icon'])
  })
})

describe('other fields', () => {
  it('contract A10: names every key that is not a field, of any name', () => {
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
})
