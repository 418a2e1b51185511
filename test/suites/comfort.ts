import { describe, expect, it } from 'vitest'
import { coloursIn, contrast as contrastOf, readability } from '../browser/pixels.ts'
import { SAMPLES, type Stage } from '../browser/stage.ts'
import type { Engine, Tab } from '../engines/engine.ts'
import { box, LINE, style, visiting } from '../engines/measure.ts'

/**
 * Motion and colour of the bar, for each reader, on the page at `/`.
 *
 * @param all whether to test every window, theme and language, as `npm run engines` does, or one of each
 */
export function comfort(stage: Stage, engine: Engine, all: boolean): void {
  const schemes = all ? (['light', 'dark'] as const) : (['light'] as const)
  const visit = visiting(stage, engine)
  /** The moving layer that colours the text, or `none`. */
  const sheet = (tab: Tab) =>
    tab.evaluate((line) => {
      const text = document.querySelector(`${line} .placard-text`) as Element
      return getComputedStyle(text, '::after').content
    }, LINE)

  describe('motion', () => {
    it('stops for readers who prefer less motion: plain text, a hairline and no control', async () => {
      const tab = await visit({ motion: 'reduce' })
      expect(await tab.evaluate(() => document.getAnimations().length)).toBe(0)
      expect(await style(tab, '.placard-text', 'background-image')).toBe('none')
      expect(await style(tab, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
      expect(await style(tab, '.placard-beams', 'display')).toBe('none')
      expect(await style(tab, '.placard-pause', 'display')).toBe('none')
      expect(await style(tab, '.placard-link', 'border-top-style')).toBe('solid')
    })

    it('can be paused from the keyboard, without a script (WCAG 2.2.2)', async () => {
      const html = await (await fetch(`${stage.origin}/?lang=en`)).text()
      const styles = `<link rel="stylesheet" href="${stage.origin}/placard.css">`
      const tab = await engine.open()
      await tab.goto(stage.host(/<header.*<\/header>/s.exec(html)?.[0] ?? '', {}, styles))
      await tab.evaluate((line) => document.querySelector<HTMLElement>(`${line} a`)?.focus(), LINE)
      await tab.press('Tab')
      expect(await tab.evaluate(() => document.activeElement?.className)).toBe('placard-pause')
      const { width, height } = await box(tab, `${LINE} .placard-pause`)
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
      await tab.press(' ')
      await expect.poll(() => style(tab, '.placard-beams', 'opacity')).toBe('0')
      expect(await style(tab, '.placard-ray', 'animation-play-state')).toBe('paused')
      expect(await sheet(tab)).toBe('none')
      expect(await style(tab, '.placard-text', 'mix-blend-mode')).toBe('normal')
      expect(await style(tab, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
      await tab.press(' ')
      expect(await style(tab, '.placard-ray', 'animation-play-state')).toBe('running')
    })
  })

  describe('colour', () => {
    it.each([
      ['light', '#ffffff'],
      ['dark', '#0f0f12'],
    ] as const)(
      '%s: the text has a contrast of 4.5:1, measured in pixels, in each phase of the motion',
      async (scheme, surface) => {
        await stage.placard.publish(SAMPLES.post)
        const tab = await visit({ scheme, scale: 2, size: [640, 480] })
        const seen = await readability(tab, LINE)
        expect(seen.contrast).toBeGreaterThanOrEqual(4.5)
        // Anything but text needs 3:1 (WCAG 1.4.11).
        const back = await style(tab, '', 'background-color')
        expect(contrast(await style(tab, '.placard-pause', 'color'), back)).toBeGreaterThanOrEqual(
          3,
        )
        expect(seen.surface).toBe(surface)
      },
    )

    it.each(schemes)(
      '%s: display rules 6, 7: the shine is in the text and the beams are on the border, measured in pixels',
      async (scheme) => {
        await stage.placard.publish(SAMPLES.post)
        const tab = await visit({ scheme, scale: 2, size: [640, 480] })
        // Puts the streak in the middle of the text, one beam at the left end, and the other at the right end.
        await tab.evaluate((line) => {
          for (const animation of document.querySelector(line)?.getAnimations({ subtree: true }) ??
            []) {
            if (animation.timeline !== document.timeline) continue
            animation.pause()
            const { target } = animation.effect as KeyframeEffect
            animation.currentTime = target?.className === 'placard-ray' ? 0 : 2_100
          }
        }, LINE)
        const text = await box(tab, `${LINE} .placard-text`)
        const { x, y, width } = await box(tab, LINE)
        const edge = { y: y - 1, width: width / 4, height: 3 }
        const ends = [x + 18, x + width * 0.75 - 18].map((x) => ({ ...edge, x }))
        const [letters = [], left = [], right = []] = await coloursIn(tab, [text, ...ends])
        const shines = scheme === 'light' ? violet : white
        expect(letters.some(shines)).toBe(true)
        expect([left.some(violet), left.some(pink)]).toEqual([true, false])
        expect([right.some(violet), right.some(pink)]).toEqual([false, true])

        await tab.evaluate((line) => {
          document.querySelector<HTMLElement>(`${line} .placard-pause`)?.click()
        }, LINE)
        const [plain = []] = await coloursIn(tab, [text])
        expect(plain.some(shines)).toBe(false)
      },
    )

    it.each(schemes)('%s: emoji keep their own colours', async (scheme) => {
      await stage.placard.publish({ ...SAMPLES.post, text: 'A heart ❤️ for you' })
      const tab = await visit({ scheme })
      const emoji = `${LINE} .placard-emoji`
      // Not every machine has a colour font, so the emoji gets a background.
      await tab.evaluate((emoji) => {
        const one = document.querySelector<HTMLElement>(emoji)
        if (one) one.style.background = '#e02020'
      }, emoji)
      const [colours = []] = await coloursIn(tab, [await box(tab, emoji)])
      expect(colours.some(([r, g, b]) => r > 215 && Math.max(g, b) < 60)).toBe(true)
    })

    it("follows the nearest ancestor's data-theme, not the system", async () => {
      const tab = await visit({ scheme: 'light' })
      const colours = await tab.evaluate(() =>
        ['light', 'dark'].map((theme) => {
          const place = document.createElement('div')
          place.dataset.theme = theme
          place.append(document.querySelector('.placard')?.cloneNode(true) as Element)
          document.body.append(place)
          return getComputedStyle(place.firstElementChild as Element).backgroundColor
        }),
      )
      expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(15, 15, 18)'])
      await tab.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
      expect(await style(tab, '.placard-arrow', 'color')).toBe('rgb(161, 161, 170)')
    })

    it("is the reader's own if colours are forced, and a border replaces the beams", async ({
      skip,
    }) => {
      skip(!engine.forcedColours, 'this engine forces none')
      const tab = await visit({ forced: true })
      expect(await style(tab, '.placard-beams', 'display')).toBe('none')
      expect(await style(tab, '.placard-link', 'border-top-width')).toBe('1px')
      expect(await sheet(tab)).toBe('none')
    })

    /** Sets a custom property of the page. */
    const set = (tab: Tab, name: string, value: string) =>
      tab.evaluate(
        ([name, value]) => document.documentElement.style.setProperty(`--placard-${name}`, value),
        [name, value] as const,
      )

    it.each([
      ['a transparent surface', 'transparent'],
      ['a gradient', 'linear-gradient(90deg, #7c3aed, #db2777)'],
      ['an image', 'url("data:,") #1d4ed8'],
      ['a mixed colour', 'color-mix(in oklab, #1d4ed8, black)'],
    ])('the text has a plain colour, and no shine, on %s', async (_, surface) => {
      const tab = await visit()
      await set(tab, 'surface', surface)
      expect(await style(tab, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
      expect(await style(tab, '.placard-text', 'background-color')).toBe('rgba(0, 0, 0, 0)')
      expect(await style(tab, '.placard-text', 'mix-blend-mode')).toBe('normal')
      const painted = await tab.evaluate((line) => {
        const text = document.querySelector(`${line} .placard-text`) as Element
        const { backgroundImage, animationName } = getComputedStyle(text, '::after')
        return [backgroundImage, animationName]
      }, LINE)
      expect(painted).toEqual(['none', 'none'])
    })

    it('of the icon is that of the text, unless it is set separately', async () => {
      await stage.placard.publish(SAMPLES.post)
      const tab = await visit()
      await set(tab, 'color', 'rgb(1, 2, 3)')
      expect(await style(tab, '.placard-icon', 'color')).toBe('rgb(1, 2, 3)')
      await set(tab, 'icon', 'rgb(4, 5, 6)')
      expect(await style(tab, '.placard-icon', 'color')).toBe('rgb(4, 5, 6)')
    })

    it('can be set with custom properties from outside', async () => {
      const tab = await visit()
      expect(await style(tab, '.placard-link', 'border-radius')).toBe('1000px')
      await set(tab, 'surface', 'rgb(1, 2, 3)')
      await set(tab, 'radius', '4px')
      expect(await style(tab, '', 'background-color')).toBe('rgb(1, 2, 3)')
      expect(await style(tab, '.placard-beam', 'border-radius')).toBe('4px')
    })
  })
}

type Rgb = [red: number, green: number, blue: number]
const violet = ([r, g, b]: Rgb) => b - g > 25 && b - r > 25
const pink = ([r, g, b]: Rgb) => r - g > 25 && r - b > 10
const white = ([r, g, b]: Rgb) => Math.min(r, g, b) > 225

/** The contrast of two colours, written as in CSS: `rgb(1, 2, 3)`. */
function contrast(...colours: [string, string]): number {
  const [a = 0, b = 0] = colours.map((colour) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
    return red * 0x10000 + green * 0x100 + blue
  })
  return contrastOf(a, b)
}
