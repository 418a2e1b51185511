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

  it('6: a gradient, clipped to the text, that moves', async () => {
    const page = await visit()
    expect(await style(page, '.placard-text', 'background-clip')).toBe('text')
    expect(await style(page, '.placard-text', '-webkit-text-fill-color')).toBe('rgba(0, 0, 0, 0)')
    expect(await style(page, '.placard-text', 'background-image')).toMatch(/^linear-gradient/)
    expect(await style(page, '.placard-text', 'animation-iteration-count')).toBe('infinite')
    const positions = await page.locator(`${LINE} .placard-text`).evaluate((text) =>
      [0, 2_000].map((time) => {
        for (const animation of text.getAnimations()) animation.currentTime = time
        return getComputedStyle(text).backgroundPositionX
      }),
    )
    expect(positions[0]).not.toBe(positions[1])
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
          distances: effect.getKeyframes().map(({ offsetDistance }) => offsetDistance),
          size: [own.width, own.height],
          path: own.offsetPath,
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
      distances: ['1400%', '1500%'],
      size: ['1000px', '1000px'],
      // How a computed `rect(0 auto auto 0 round 1000px)` is written: the whole border box.
      path: 'inset(0px 0% 0% 0px round 1000px)',
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

  it('7: they travel along the border of the link, half a lap apart', async () => {
    const page = await visit()
    const link = await box(page, `${LINE} .placard-link`)
    const ring = await box(page, `${LINE} .placard-beam`)
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      expect(ring[side]).toBeCloseTo(link[side], 1)
    }
    const centres = await page.locator(`${LINE} .placard-ray`).evaluateAll((rays) =>
      [0, 1_500, 3_000, 4_500].map((time) =>
        rays.map((ray) => {
          // Seen from its own start, the second is 3 s along.
          for (const animation of ray.getAnimations()) {
            animation.pause()
            animation.currentTime = time
          }
          const { x, y, width, height } = ray.getBoundingClientRect()
          return [x + width / 2, y + height / 2] as const
        }),
      ),
    )
    const [r, straight] = [link.height / 2, link.width - link.height]
    // A lap around the pill, clockwise from the start of its upper edge.
    const at = (lap: number): [number, number] => {
      const along = (lap % 1) * (2 * straight + 2 * Math.PI * r)
      const [left, right] = [link.x + r, link.x + r + straight]
      if (along <= straight) return [left + along, link.y]
      const bend = (along - straight) / r
      if (bend <= Math.PI) return [right + r * Math.sin(bend), link.y + r - r * Math.cos(bend)]
      const back = along - straight - Math.PI * r
      if (back <= straight) return [right - back, link.y + 2 * r]
      const turn = (back - straight) / r
      return [left - r * Math.sin(turn), link.y + r + r * Math.cos(turn)]
    }
    centres.forEach(([first, second], quarter) => {
      for (const [centre, lap] of [
        [first, quarter / 4],
        [second, quarter / 4 + 0.5],
      ] as const) {
        const [x, y] = at(lap)
        expect(Math.hypot((centre?.[0] ?? 0) - x, (centre?.[1] ?? 0) - y)).toBeLessThan(1)
      }
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
