/** @jsxImportSource react */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build as bundle } from 'esbuild'
import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PlacardBar } from '../src/bar/placard-bar.tsx'
import { placardHtml } from '../src/entries/html.ts'

const optional = <T,>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined })
const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 3 }),
  fc.constantFrom(`<b>&"'`, 'Hi 👩‍👩‍👧🎉 you', '🎉🎉🎉', '5 < 6 & 7', '  spaced out  '),
)
const content = fc.record({
  text,
  type: fc.constantFrom('post', 'coupon', 'product', 'x"y'),
  slug: fc.constantFrom(
    '/blog',
    '#coupon',
    `/a?b="c"&d='e'`,
    'https://a.example/<',
    'javascript:1',
  ),
  icon: optional(fc.constantFrom('newspaper', 'ArrowDown01', 'no-such-icon', null)),
  translations: optional(fc.dictionary(fc.constantFrom('de', 'ar', 'pt-BR'), text)),
  expiresAt: optional(fc.constantFrom(5, '5', null)),
})
const props = fc.record({
  event: fc.option(content),
  fallback: fc.option(content),
  locale: optional(fc.constantFrom('en', 'de-AT', 'ar', 'tlh')),
  language: optional(fc.constantFrom('de', 'ar', 'pt')),
  dismissible: fc.boolean(),
  hideAtEnd: fc.boolean(),
  // A caller in JavaScript may pass on a missing header.
  nonce: optional(fc.constantFrom('n', '"', '', null as unknown as undefined)),
  base: optional(fc.constant('/pricing')),
})

it('spec 2: placardHtml returns exactly what React renders, for any announcement', () => {
  fc.assert(
    fc.property(props, (given) => {
      expect(placardHtml(given)).toBe(renderToStaticMarkup(<PlacardBar {...given} />))
    }),
    { numRuns: 200 },
  )
})

describe('placard/html, as published', () => {
  it("imports no package but the icons, so it doesn't need React", () => {
    const seen = new Set<string>()
    const outside = new Set<string>()
    function follow(file: string) {
      if (seen.has(file)) return
      seen.add(file)
      for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
        /(?:from|import)\s*"([^"]+)"/g,
      )) {
        if (from.startsWith('.')) follow(join(dirname(file), from))
        else outside.add(from)
      }
    }
    follow(join(import.meta.dirname, '../dist/html.js'))
    expect(seen.size).toBeGreaterThan(1)
    expect([...outside]).toEqual(['@iconify-json/lucide/icons.json'])
  })

  it.each([{ keepNames: true }, { minify: true }])(
    'contract N4: has the same scripts, and so the same hashes, after a bundler processed it with %j',
    async (options) => {
      const built = join(import.meta.dirname, '../dist/html.js')
      const { outputFiles } = await bundle({
        ...options,
        entryPoints: [built],
        bundle: true,
        format: 'esm',
        write: false,
      })
      const code = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')
      const bundled = await import(`data:text/javascript;base64,${code}`)
      const { dismissScript, endScript } = await import(built)
      expect([bundled.dismissScript, bundled.endScript]).toEqual([dismissScript, endScript])
    },
  )
})
