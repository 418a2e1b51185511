import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/markup.ts'
import { PlacardBar } from '../../src/bar/placard-bar.tsx'
import { contrast, readability } from '../browser/pixels.ts'
import { ROOM, SAMPLES, type Stage } from '../browser/stage.ts'
import type { Engine } from '../engines/engine.ts'

/** Surfaces and texts of brands, each with a contrast of at least 4.5:1. */
export const BRANDS = {
  blue: ['#1d4ed8', '#ffffff'],
  yellow: ['#facc15', '#1c1917'],
  rose: ['#fff1f2', '#9f1239'],
  forest: ['#052e16', '#bbf7d0'],
  grey: ['#ffffff', '#767676'],
} as const

/** The site's own colours, as rules for its page. */
export const coloured = ([surface, color]: readonly [string, string]) =>
  `<style>:root { --placard-surface: ${surface}; --placard-color: ${color} }</style>`

const number = (colour: string) => Number.parseInt(colour.slice(1), 16)

/**
 * A site's own colours (docs/embed.md), on the pages of two themes and in each form of the bar.
 *
 * @param all whether to test all of them, as `npm run engines` does, or two colours, one form and one theme
 */
export function ownColours(stage: Stage, engine: Engine, all: boolean): void {
  const schemes = all ? (['light', 'dark'] as const) : (['light'] as const)
  const brands = all ? Object.values(BRANDS) : [BRANDS.yellow, BRANDS.forest]
  const event = SAMPLES.post
  const sheet = () => `<link rel="stylesheet" href="${stage.origin}/placard.css">`
  const forms: [name: string, body: () => string][] = [
    ['the element', () => ROOM + stage.tag()],
    ['HTML', () => sheet() + placardHtml({ event })],
    ['React', () => sheet() + renderToStaticMarkup(createElement(PlacardBar, { event }))],
  ]

  it.each(
    (all ? forms : forms.slice(0, 1)).flatMap(([name, body]) =>
      schemes.map((scheme) => [name, scheme, body] as const),
    ),
  )(
    "display rule 6: a site's own colours keep their contrast in each phase of the motion, in %s on a %s page",
    async (_, scheme, body) => {
      await stage.placard.publish(event)
      for (const [surface, color] of brands) {
        const own = coloured([surface, color])
        const tab = await engine.open({ scheme, scale: 2, size: [640, 600] })
        await tab.goto(
          stage.host(body(), {}, `<meta name="color-scheme" content="${scheme}">${own}`),
        )
        await expect
          .poll(() =>
            tab.evaluate(() => {
              const root = document.querySelector('placard-link')?.shadowRoot ?? document
              const place = root.querySelector('.placard-place')
              return (
                root.querySelector('.placard') &&
                (!place || getComputedStyle(place).opacity === '1')
              )
            }),
          )
          .toBe(true)
        const seen = await readability(tab, '.placard')
        expect(seen.surface, own).toBe(surface)
        // Antialiased strokes may miss the colour by a little.
        const wanted = contrast(number(surface), number(color))
        expect(Math.abs(seen.contrast - wanted), own).toBeLessThan(wanted / 50)
      }
    },
  )
}
