import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contrast as contrastOf } from './pixels.ts'
import { box, LINE, openStage, type Stage, style } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(() => stage.clear())

const visit: Stage['visit'] = (options, path) => stage.visit(options, path)

/** What colours the text while it may move. */
const sheet = (page: Page) =>
  page.locator(`${LINE} .placard-text`).evaluate((text) => {
    const { content, backgroundImage } = getComputedStyle(text, '::after')
    return { content, gradient: backgroundImage }
  })

describe('motion', () => {
  it('stops for those who ask their system for less: plain text, a hairline, no control', async () => {
    const page = await visit({ reducedMotion: 'reduce' })
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    expect(await style(page, '.placard-text', 'background-image')).toBe('none')
    expect(await style(page, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
    expect(await style(page, '.placard-beams', 'display')).toBe('none')
    expect(await style(page, '.placard-pause', 'display')).toBe('none')
    expect(await style(page, '.placard-link', 'border-top-style')).toBe('solid')
    await page.context().close()
  })

  it('is paused from the keyboard, without a script (WCAG 2.2.2)', async () => {
    const page = await visit({ javaScriptEnabled: false })
    const pause = page.locator(`${LINE} .placard-pause`)
    await page.locator(`${LINE} a`).focus()
    await page.keyboard.press('Tab')
    expect(await pause.evaluate((control) => control === document.activeElement)).toBe(true)
    const { width, height } = await box(page, `${LINE} .placard-pause`)
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
    await page.keyboard.press('Space')
    await expect.poll(() => style(page, '.placard-beams', 'opacity'), { timeout: 5_000 }).toBe('0')
    expect(await style(page, '.placard-ray', 'animation-play-state')).toBe('paused')
    expect((await sheet(page)).content).toBe('none')
    expect(await style(page, '.placard-text', 'mix-blend-mode')).toBe('normal')
    expect(await style(page, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
    await page.keyboard.press('Space')
    expect(await style(page, '.placard-ray', 'animation-play-state')).toBe('running')
    await page.context().close()
  })
})

describe('colour', () => {
  it.each(['light', 'dark'] as const)(
    '%s: the text has 4.5:1, at rest and under the shine',
    async (theme) => {
      const page = await visit({ colorScheme: theme })
      const { gradient } = await sheet(page)
      const surface = await page
        .locator(LINE)
        .evaluate((line) => getComputedStyle(line).backgroundColor)
      const colours = new Set(gradient.match(/rgb\([^)]*\)/g))
      expect(colours.size).toBe(2)
      const behind = [surface, theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(10, 10, 10)']
      for (const colour of [...colours, await style(page, '.placard-arrow', 'color')]) {
        for (const back of behind) expect(contrast(colour, back)).toBeGreaterThanOrEqual(4.5)
      }
      // What is not text needs 3:1 (WCAG 1.4.11).
      for (const part of ['.placard-pause', '.placard-sparkle']) {
        expect(contrast(await style(page, part, 'color'), surface)).toBeGreaterThanOrEqual(3)
      }
      await page.context().close()
    },
  )

  it('follows data-theme of the nearest ancestor, whatever the system prefers', async () => {
    const page = await visit({ colorScheme: 'light' })
    const colours = await page.evaluate(() =>
      ['light', 'dark'].map((theme) => {
        const place = document.createElement('div')
        place.dataset.theme = theme
        place.append(document.querySelector('.placard')?.cloneNode(true) as Element)
        document.body.append(place)
        return getComputedStyle(place.firstElementChild as Element).backgroundColor
      }),
    )
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(15, 15, 18)'])
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'))
    expect(await style(page, '.placard-arrow', 'color')).toBe('rgb(161, 161, 170)')
    await page.context().close()
  })

  it('is the reader’s own if colours are forced, with a real border', async () => {
    const page = await visit({ forcedColors: 'active' })
    expect(await style(page, '.placard-beams', 'display')).toBe('none')
    expect(await style(page, '.placard-link', 'border-top-width')).toBe('1px')
    expect((await sheet(page)).content).toBe('none')
    await page.context().close()
  })

  it('has no shine where the page shows through, and its text is in its own colour', async () => {
    const page = await visit()
    await page.evaluate(() =>
      document.documentElement.style.setProperty('--placard-surface', 'transparent'),
    )
    expect((await sheet(page)).content).toBe('none')
    expect(await style(page, '.placard-text', 'color')).toBe('rgb(63, 63, 70)')
    expect(await style(page, '.placard-text', 'mix-blend-mode')).toBe('normal')
    await page.context().close()
  })

  it('takes custom properties from outside', async () => {
    const page = await visit()
    await page.evaluate(() => {
      document.documentElement.style.setProperty('--placard-surface', 'rgb(1, 2, 3)')
      document.documentElement.style.setProperty('--placard-radius', '4px')
    })
    const line = page.locator(LINE)
    const surface = await line.evaluate((one) => getComputedStyle(one).backgroundColor)
    expect(surface).toBe('rgb(1, 2, 3)')
    expect(await style(page, '.placard-beam', 'border-radius')).toBe('4px')
    await page.context().close()
  })
})

/** As CSS writes it: `rgb(1, 2, 3)`. */
function contrast(...colours: [string, string]): number {
  const [a = 0, b = 0] = colours.map((colour) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
    return red * 0x10000 + green * 0x100 + blue
  })
  return contrastOf(a, b)
}
