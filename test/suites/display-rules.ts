import { expect, it } from 'vitest'
import { SAMPLES, type Stage } from '../browser/stage.ts'
import type { Engine, Tab } from '../engines/engine.ts'
import { box, hover, LINE, style, visiting } from '../engines/measure.ts'

/**
 * The display rules of spec 2, on the page at `/`.
 *
 * @param all whether to test every window, theme and language, as `npm run engines` does, or one of each
 */
export function displayRules(stage: Stage, engine: Engine, all: boolean): void {
  const languages = all ? ['en', 'ar'] : ['en']
  const visit = visiting(stage, engine)
  /** Where a part of the bar is. */
  const part = (tab: Tab, name: string) => box(tab, `${LINE} .placard-${name}`)

  it('rules 4 and 5: the icon and the arrow are 14 px, with a line of text between them', async () => {
    await stage.placard.publish(SAMPLES.post)
    const tab = await visit()
    const [icon, text] = [await part(tab, 'icon'), await part(tab, 'text')]
    const arrow = await part(tab, 'arrow')
    expect([icon.width, icon.height, arrow.width, arrow.height]).toEqual([14, 14, 14, 14])
    // The text's box has a border of 1 px, which overlaps the gaps.
    expect(text.x + 1 - icon.x - icon.width).toBeCloseTo(8, 1)
    expect(arrow.x + 1 - text.x - text.width).toBeCloseTo(8, 1)
  })

  it('rule 6: a moving gradient shows only through the text', async () => {
    const tab = await visit()
    const moved = await tab.evaluate((line) => {
      const text = document.querySelector(`${line} .placard-text`) as Element
      const [animation, ...others] = text
        .getAnimations({ subtree: true })
        .filter(({ timeline }) => timeline === document.timeline)
      const sheet = getComputedStyle(text, '::after')
      return {
        others: others.length,
        endless: animation?.effect?.getTiming().iterations === Number.POSITIVE_INFINITY,
        gradient: sheet.backgroundImage.startsWith('linear-gradient'),
        blended: [getComputedStyle(text).mixBlendMode, sheet.mixBlendMode],
        places: [0, 2_000].map((time) => {
          if (animation) animation.currentTime = time
          return sheet.transform
        }),
      }
    }, LINE)
    expect(moved).toMatchObject({ others: 0, endless: true, gradient: true })
    expect(moved.blended).toEqual(['multiply', 'screen'])
    expect(moved.places[0]).not.toBe(moved.places[1])
  })

  it('rule 7: the two beams have the values of the table in the spec', async () => {
    const tab = await visit()
    const beams = await tab.evaluate((line) => {
      // On a screen without half pixels, the computed border width is rounded.
      const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
      const declared = rules.find(
        (rule) => rule instanceof CSSStyleRule && rule.selectorText === '.placard-beam',
      ) as CSSStyleRule
      return [...document.querySelectorAll(`${line} .placard-ray`)].map((ray) => {
        const [animation] = ray.getAnimations()
        const effect = animation?.effect as KeyframeEffect
        const { duration, delay, iterations } = effect.getTiming()
        const own = getComputedStyle(ray)
        const ring = getComputedStyle(ray.parentElement as Element)
        return {
          duration: Number(duration),
          delay,
          endless: iterations === Number.POSITIVE_INFINITY,
          easing: own.animationTimingFunction,
          size: own.width,
          gradient: own.backgroundImage,
          border: declared.style.borderTopWidth,
          mask: [ring.maskComposite.split(',')[0], ring.maskClip],
          pointer: getComputedStyle(ray.closest('.placard-beams') as Element).pointerEvents,
        }
      })
    }, LINE)
    const shared = {
      duration: 6000,
      endless: true,
      easing: 'linear',
      size: '1000px',
      border: '0.5px',
      mask: ['exclude', 'padding-box, border-box'],
      pointer: 'none',
    }
    const gradient = (colour: string) =>
      `linear-gradient(to left, rgba(0, 0, 0, 0) 32%, ${colour}, rgba(0, 0, 0, 0) 68%)`
    const [indigo, pink] = ['rgb(99, 102, 241)', 'rgb(236, 72, 153)']
    expect(beams).toEqual([
      { ...shared, delay: 0, gradient: gradient(indigo) },
      { ...shared, delay: -3000, gradient: gradient(pink) },
    ])
  })

  it('rule 7: the beams travel around the border of the link, half a lap apart', async () => {
    const tab = await visit()
    const [link, ring] = [await part(tab, 'link'), await part(tab, 'beam')]
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      expect(ring[side]).toBeCloseTo(link[side], 1)
    }
    const LAP = Array.from({ length: 25 }, (_, step) => step / 24)
    const places = await tab.evaluate(
      ({ rays, lap }) =>
        [...document.querySelectorAll(rays)].map((ray) =>
          lap.map((share) => {
            // At the same `currentTime`, the second beam is 3 s ahead of the first.
            for (const animation of ray.getAnimations()) {
              animation.pause()
              animation.currentTime = 6_000 * share
            }
            const { x, y, width, height } = ray.getBoundingClientRect()
            return { x: x + width / 2, top: y, bottom: y + height }
          }),
        ),
      { rays: `${LINE} .placard-ray`, lap: LAP },
    )
    const [r, straight] = [link.height / 2, link.width - link.height]
    const round = 2 * straight + 2 * Math.PI * r
    // The x of a point on the pill's outline, clockwise from the start of its upper straight.
    const at = (lap: number): number => {
      const along = (lap % 1) * round
      const half = along % (round / 2)
      const right = link.x + r + straight
      if (half <= straight) return along < round / 2 ? link.x + r + half : right - half
      const out = r * Math.sin((half - straight) / r)
      return along < round / 2 ? right + out : link.x + r - out
    }
    expect(places).toHaveLength(2)
    places.forEach((places, second) => {
      places.forEach(({ x, top, bottom }, step) => {
        expect(Math.abs(x - at((LAP[step] ?? 0) + second / 2))).toBeLessThan(link.width / 15)
        // Both edges are lit.
        expect(top).toBeLessThanOrEqual(link.y)
        expect(bottom).toBeGreaterThanOrEqual(link.y + link.height)
      })
    })
  })

  it('rule 8: 500 characters stay on one line in a window of any width, without scrolling sideways', async () => {
    const text = 'Wide words '.repeat(46).slice(0, 500)
    await stage.placard.publish({ ...SAMPLES.product, text })
    for (const width of all ? [engine.narrowest, 768, 1920] : [engine.narrowest]) {
      for (const lang of languages) {
        const tab = await visit({ size: [width, 700] }, lang)
        const measured = await tab.evaluate((line) => {
          const text = document.querySelector(`${line} .placard-text`) as Element
          return {
            window: innerWidth,
            lines: text.scrollHeight / Number.parseFloat(getComputedStyle(text).lineHeight),
            cut: text.scrollWidth > text.clientWidth,
            ellipsis: getComputedStyle(text).textOverflow,
            sideways: document.documentElement.scrollWidth - innerWidth,
          }
        }, LINE)
        expect(measured.window).toBe(width)
        expect(measured.lines).toBeLessThan(1.5)
        expect(measured).toMatchObject({ cut: true, ellipsis: 'ellipsis' })
        expect(measured.sideways).toBeLessThanOrEqual(0)
        const arrow = await part(tab, 'arrow')
        expect(arrow.x).toBeGreaterThan(0)
        expect(arrow.x + arrow.width).toBeLessThan(width)
        expect(arrow.width).toBe(14)
      }
    }
  })

  it('rules 4 and 5: the content keeps a distance from both ends, and is centred until the controls appear', async () => {
    await stage.placard.publish(SAMPLES.post)
    for (const lang of languages) {
      const tab = await visit({}, lang)
      const edges = () =>
        tab.evaluate((line) => {
          const [link, ...ends] = ['link', 'icon', 'arrow'].map((name) =>
            (document.querySelector(`${line} .placard-${name}`) as Element).getBoundingClientRect(),
          ) as [DOMRect, DOMRect, DOMRect]
          const left = Math.min(...ends.map((end) => end.left)) - link.left
          return [left, link.right - Math.max(...ends.map((end) => end.right))] as const
        }, LINE)
      // The current difference between the gaps at both ends.
      const offCentre = async () => {
        const [left, right] = await edges()
        return Math.abs(left - right)
      }
      await expect.poll(offCentre).toBeLessThan(1)
      expect(Math.min(...(await edges()))).toBeGreaterThanOrEqual(14)
      await hover(tab, LINE)
      const { width } = await part(tab, 'controls')
      await expect.poll(async () => Math.min(...(await edges()))).toBeLessThan(16)
      await expect.poll(async () => Math.max(...(await edges()))).toBeGreaterThanOrEqual(width)
    }
  })

  if (!all) return

  it('rule 5: the arrow points the other way in a right-to-left language', async () => {
    const tab = await visit({}, 'ar')
    const [text, arrow] = [await part(tab, 'text'), await part(tab, 'arrow')]
    expect(arrow.x + arrow.width).toBeLessThanOrEqual(text.x)
    expect(await style(tab, '.placard-arrow', 'scale')).toBe('-1 1')
  })

  it("rule 8: text at 200% fits the bar's height, and the page doesn't scroll sideways", async () => {
    const tab = await visit({ size: [640, 700] })
    const measured = await tab.evaluate((line) => {
      document.documentElement.style.fontSize = '200%'
      const text = document.querySelector(`${line} .placard-text`) as Element
      const link = document.querySelector(`${line} .placard-link`) as Element
      return {
        size: getComputedStyle(text).fontSize,
        cut: text.scrollHeight - text.clientHeight,
        room: link.clientHeight - text.clientHeight,
        sideways: document.documentElement.scrollWidth - innerWidth,
      }
    }, LINE)
    expect(measured.size).toBe('28px')
    expect(measured.cut).toBeLessThanOrEqual(0)
    expect(measured.room).toBeGreaterThanOrEqual(0)
    expect(measured.sideways).toBeLessThanOrEqual(0)
  })
}
