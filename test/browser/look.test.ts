import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { box, LINE, openStage, SAMPLES, type Stage, style } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
beforeEach(() => stage.clear())

const visit: Stage['visit'] = (options, path) => stage.visit(options, path)

describe('display rules (spec 2) in Chromium', () => {
  it('2, 3: a link to the slug; a product opens in a new tab and says so', async () => {
    for (const [type, target] of [
      ['post', ''],
      ['coupon', ''],
      ['product', '_blank'],
    ] as const) {
      await stage.placard.publish(SAMPLES[type])
      const page = await visit()
      const link = page.locator(`${LINE} a`)
      expect(await link.getAttribute('href')).toBe(SAMPLES[type].slug)
      expect(await link.evaluate((a: HTMLAnchorElement) => [a.target, a.rel])).toEqual(
        target ? [target, 'noopener'] : ['', ''],
      )
      const name = target ? `${SAMPLES[type].text} (opens in a new tab)` : SAMPLES[type].text
      await page.locator('[data-part=line]').getByRole('link', { name, exact: true }).waitFor()
      await page.context().close()
    }
  })

  it('4, 5: icon of 14 px or a sparkle, one line of text, arrow of 14 px at its end', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit()
    const icon = await box(page, `${LINE} .placard-icon`)
    const text = await box(page, `${LINE} .placard-text`)
    const arrow = await box(page, `${LINE} .placard-arrow`)
    expect([icon.width, icon.height, arrow.width, arrow.height]).toEqual([14, 14, 14, 14])
    expect(icon.x + icon.width).toBeLessThan(text.x)
    expect(arrow.x).toBeGreaterThanOrEqual(text.x + text.width)
    expect(await page.locator(`${LINE} .placard-icon path`).count()).toBeGreaterThan(0)

    await stage.placard.publish({ ...SAMPLES.coupon, icon: 'no-such-icon' })
    await page.reload()
    expect(await page.locator(`${LINE} .placard-sparkle`).textContent()).toBe('✦')
    expect(await page.locator(`${LINE} .placard-icon`).count()).toBe(0)
    await page.context().close()
  })

  it('5: the arrow points the other way in a language that is read from right to left', async () => {
    const page = await visit({}, '/?lang=ar')
    const text = await box(page, `${LINE} .placard-text`)
    const arrow = await box(page, `${LINE} .placard-arrow`)
    expect(arrow.x + arrow.width).toBeLessThanOrEqual(text.x)
    expect(await style(page, '.placard-arrow', 'scale')).toBe('-1 1')
    await page.context().close()
  })

  it('5: letters are moved together only where a script bears that', async () => {
    for (const [lang, spacing] of [
      ['en', '-0.084px'],
      ['ar', 'normal'],
      ['ja', 'normal'],
    ]) {
      const page = await visit({}, `/?lang=${lang}`)
      expect(await style(page, '.placard-text', 'letter-spacing'), lang).toBe(spacing)
      await page.context().close()
    }
  })

  it('4, 5: what it says keeps its distance from both ends, and stands in the middle until the controls come', async () => {
    await stage.placard.publish(SAMPLES.post)
    for (const path of ['/?lang=en', '/?lang=ar&dismissible']) {
      const page = await visit({}, path)
      const link = await box(page, `${LINE} .placard-link`)
      const edges = async () => {
        const icon = await box(page, `${LINE} .placard-icon`)
        const arrow = await box(page, `${LINE} .placard-arrow`)
        const [left, right] = icon.x < arrow.x ? [icon, arrow] : [arrow, icon]
        return [left.x - link.x, link.x + link.width - right.x - right.width] as const
      }
      const [left, right] = await edges()
      expect(Math.abs(left - right)).toBeLessThan(1)
      expect(left).toBeGreaterThanOrEqual(14)
      await page.locator(LINE).first().hover()
      const controls = await box(page, `${LINE} .placard-controls`)
      await expect.poll(async () => Math.min(...(await edges()))).toBeLessThan(16)
      await expect
        .poll(async () => Math.max(...(await edges())))
        .toBeGreaterThanOrEqual(controls.width)
      await page.context().close()
    }
  })

  it('6: a gradient that moves, and that is seen through the text alone', async () => {
    const page = await visit()
    const moved = await page.locator(`${LINE} .placard-text`).evaluate((text) => {
      const [animation, ...others] = text.getAnimations({ subtree: true })
      const sheet = getComputedStyle(text, '::after')
      return {
        others: others.length,
        iterations: animation?.effect?.getTiming().iterations === Number.POSITIVE_INFINITY,
        gradient: sheet.backgroundImage.startsWith('linear-gradient'),
        places: [0, 2_000].map((time) => {
          if (animation) animation.currentTime = time
          return sheet.transform
        }),
      }
    })
    expect(moved).toMatchObject({ others: 0, iterations: true, gradient: true })
    expect(moved.places[0]).not.toBe(moved.places[1])
    await page.context().close()
  })

  it('7: two beams with the values of the table', async () => {
    const page = await visit()
    const beams = await page.locator(`${LINE} .placard-ray`).evaluateAll((rays) => {
      // On a screen without half pixels, the computed value is a whole one.
      const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
      const declared = rules.find(
        (rule) => rule instanceof CSSStyleRule && rule.selectorText === '.placard-beam',
      ) as CSSStyleRule
      return rays.map((ray) => {
        const [animation] = ray.getAnimations()
        const effect = animation?.effect as KeyframeEffect
        const { duration, delay, iterations } = effect.getTiming()
        const own = getComputedStyle(ray)
        const ring = getComputedStyle(ray.parentElement as Element)
        return {
          duration,
          delay,
          iterations,
          easing: own.animationTimingFunction,
          size: own.width,
          gradient: own.backgroundImage,
          border: declared.style.borderTopWidth,
          mask: [ring.maskComposite.split(',')[0], ring.maskClip],
          pointer: getComputedStyle(ray.closest('.placard-beams') as Element).pointerEvents,
        }
      })
    })
    const shared = {
      duration: 6000,
      iterations: null,
      easing: 'linear',
      size: '1000px',
      border: '0.5px',
      mask: ['exclude', 'padding-box, border-box'],
      pointer: 'none',
    }
    const gradient = (colour: string) =>
      `linear-gradient(to left, rgba(0, 0, 0, 0) 32%, ${colour}, rgba(0, 0, 0, 0) 68%)`
    const [indigo, pink] = ['rgb(99, 102, 241)', 'rgb(236, 72, 153)']
    // Infinity arrives here as null.
    expect(JSON.parse(JSON.stringify(beams))).toEqual([
      { ...shared, delay: 0, gradient: gradient(indigo) },
      { ...shared, delay: -3000, gradient: gradient(pink) },
    ])
    await page.context().close()
  })

  it('7: they travel around the border of the link, half a lap apart', async () => {
    const page = await visit()
    const link = await box(page, `${LINE} .placard-link`)
    const ring = await box(page, `${LINE} .placard-beam`)
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      expect(ring[side]).toBeCloseTo(link[side], 1)
    }
    const LAP = Array.from({ length: 25 }, (_, step) => step / 24)
    const places = await page.locator(`${LINE} .placard-ray`).evaluateAll(
      (rays, lap) =>
        rays.map((ray) =>
          lap.map((share) => {
            // Seen from its own start, the second is 3 s along.
            for (const animation of ray.getAnimations()) {
              animation.pause()
              animation.currentTime = 6_000 * share
            }
            const { x, y, width, height } = ray.getBoundingClientRect()
            return { x: x + width / 2, top: y, bottom: y + height }
          }),
        ),
      LAP,
    )
    const [r, straight] = [link.height / 2, link.width - link.height]
    const round = 2 * straight + 2 * Math.PI * r
    // How far right a point of a pill is, clockwise from where its upper straight begins.
    const at = (lap: number): number => {
      const along = (lap % 1) * round
      const half = along % (round / 2)
      const right = link.x + r + straight
      if (half <= straight) return along < round / 2 ? link.x + r + half : right - half
      const out = r * Math.sin((half - straight) / r)
      return along < round / 2 ? right + out : link.x + r - out
    }
    places.forEach((places, second) => {
      places.forEach(({ x, top, bottom }, step) => {
        expect(Math.abs(x - at((LAP[step] ?? 0) + second / 2))).toBeLessThan(link.width / 15)
        // Both edges are lit.
        expect(top).toBeLessThanOrEqual(link.y)
        expect(bottom).toBeGreaterThanOrEqual(link.y + link.height)
      })
    })
    await page.context().close()
  })

  it('8: 500 characters stay one line, without scrolling sideways, from 320 to 1920 px', async () => {
    await stage.placard.publish({
      ...SAMPLES.product,
      text: 'Wide words '.repeat(46).slice(0, 500),
    })
    for (const width of [320, 768, 1920]) {
      for (const path of ['/?lang=en', '/?lang=ar&dismissible']) {
        const page = await visit({ viewport: { width, height: 700 } }, path)
        const text = page.locator(`${LINE} .placard-text`)
        const measured = await text.evaluate((text) => ({
          lines: text.scrollHeight / Number.parseFloat(getComputedStyle(text).lineHeight),
          cut: text.scrollWidth > text.clientWidth,
          ellipsis: getComputedStyle(text).textOverflow,
          sideways: document.documentElement.scrollWidth - innerWidth,
        }))
        expect(measured.lines).toBeLessThan(1.5)
        expect(measured).toMatchObject({ cut: true, ellipsis: 'ellipsis' })
        expect(measured.sideways).toBeLessThanOrEqual(0)
        const arrow = await box(page, `${LINE} .placard-arrow`)
        expect(arrow.x).toBeGreaterThan(0)
        expect(arrow.x + arrow.width).toBeLessThan(width)
        expect(arrow.width).toBe(14)
        await page.context().close()
      }
    }
  })

  it('8: text at 200 % is neither cut nor scrolled', async () => {
    const page = await visit({ viewport: { width: 640, height: 700 } })
    const measured = await page.evaluate((line) => {
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
    await page.context().close()
  })
})
