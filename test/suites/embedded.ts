import { expect, it } from 'vitest'
import { ROOM, SAMPLES, type Stage } from '../browser/stage.ts'
import type { Engine, Look, Tab } from '../engines/engine.ts'

/**
 * The bar on another site's page.
 *
 * @param all whether to test every window, theme and language, as `npm run engines` does, or one of each
 */
export function embedded(stage: Stage, engine: Engine, all: boolean): void {
  const schemes = all ? (['light', 'dark'] as const) : (['dark'] as const)
  const tag = (attributes?: string) => stage.tag(attributes)

  async function visit(body: string, look?: Look, head = ''): Promise<Tab> {
    const tab = await engine.open(look)
    await tab.goto(stage.host(body, {}, head))
    await expect.poll(async () => (await part(tab, '.placard')).count).toBeGreaterThan(0)
    return tab
  }

  /** Properties of a part of the bar. */
  const part = (tab: Tab, selector: string) =>
    tab.evaluate((selector) => {
      const root = document.querySelector('placard-link')?.shadowRoot
      const found = [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])]
      const [one] = found
      const { x = 0, y = 0, width = 0, height = 0 } = one?.getBoundingClientRect() ?? {}
      const { backgroundColor = '', direction = '' } = one ? getComputedStyle(one) : {}
      const opacity = one && getComputedStyle(one.closest('.placard-place') ?? one).opacity
      const shown = width > 0 && opacity !== '0'
      const count = found.length
      const texts = found.map((one) => one.textContent)
      return { count, shown, x, y, width, height, backgroundColor, direction, texts }
    }, selector)

  const texts = async (tab: Tab) => (await part(tab, '.placard-text')).texts
  /** Waits until the bar shows, or doesn't. */
  const shows = (tab: Tab, isShown = true) =>
    expect.poll(async () => (await part(tab, '.placard')).shown).toBe(isShown)

  const LIGHT = 'rgb(255, 255, 255)'
  const DARK = 'rgb(15, 15, 18)'

  it('in the flow, the bar is in the middle of its reserved space and covers nothing', async () => {
    await stage.placard.publish(SAMPLES.post)
    const flush = '<style>body { margin: 0 }</style>'
    const tab = await visit(`${ROOM}<p id="next">Below</p>${tag()}`, {}, flush)
    await shows(tab)
    const { x, y, width, height } = await part(tab, '.placard')
    expect(height).toBe(36)
    expect(y).toBe(8)
    expect(x + width / 2).toBeCloseTo(640, 0)
    const next = await tab.evaluate(
      () => document.querySelector('#next')?.getBoundingClientRect().y,
    )
    expect(next).toBeGreaterThanOrEqual(52)
  })

  /** An image has no colour, so the colour of the text on it decides the theme. */
  const onImage = (colour: string, image: string) =>
    `<div style="color: ${colour}; background: linear-gradient(${image})">${ROOM}</div>`
  /** Only a pseudo-element has the background, so the colour of the text decides here too. */
  const BEHIND =
    'body { color: #eee } body::before { content: ""; position: fixed; inset: 0; z-index: -1; background: #111 }'

  it.each(schemes)("the bar has the page's theme, on a %s system", async (scheme) => {
    await stage.placard.publish(SAMPLES.post)
    for (const [body, head, colour] of [
      [ROOM, '<style>:root { color-scheme: dark }</style>', DARK],
      [ROOM, '<style>:root { color-scheme: light }</style>', LIGHT],
      [ROOM, '<meta name="color-scheme" content="light dark">', scheme === 'dark' ? DARK : LIGHT],
      [`<div class="dark">${ROOM}</div>`, '', DARK],
      [`<div class="dark"><p class="light">${ROOM}</div>`, '', LIGHT],
      [`<div class="light"><div data-theme="dark">${ROOM}</div></div>`, '', DARK],
      [`<div class="dark"><div data-theme="light">${ROOM}</div></div>`, '', LIGHT],
      [onImage('#eee', '#312e81, #0f0f12'), '<style>body { background: #fff }</style>', DARK],
      [
        onImage('#222', '#fff, #eee'),
        '<style>:root { color-scheme: dark } body { background: #111 }</style>',
        LIGHT,
      ],
      [ROOM, `<style>${BEHIND}</style>`, DARK],
      [ROOM, '<style>body { background: oklch(0.2 0.01 280) }</style>', DARK],
      [ROOM, '', LIGHT],
    ] as const) {
      const tab = await visit(body + tag(), { scheme }, head)
      expect((await part(tab, '.placard')).backgroundColor, head || body).toBe(colour)
    }
  })

  const mark = () => document.documentElement.setAttribute('data-bs-theme', 'dark')
  const darken = () => {
    const sheet = new Blob(['body { background: #111 }'], { type: 'text/css' })
    const href = URL.createObjectURL(sheet)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }))
  }

  it.each([
    ['an attribute that only the host knows', '', mark],
    ['a background that fades', 'body { background: #fff; transition: background 0.2s }', mark],
    ['a stylesheet that loads after the bar', '', darken],
  ])('the theme follows %s', async (_, more, change) => {
    await stage.placard.publish(SAMPLES.post)
    const head = `<style>[data-bs-theme=dark] body { background: #212529 } ${more}</style>`
    const tab = await visit(ROOM + tag(), {}, head)
    const surface = async () => (await part(tab, '.placard')).backgroundColor
    expect(await surface()).toBe(LIGHT)
    await tab.evaluate(change)
    await expect.poll(surface).toBe(DARK)
  })

  it('the bar floats at the bottom of the window, and hides at the end of the page', async () => {
    await stage.placard.publish({ ...SAMPLES.product, text: 'Wide words '.repeat(40) })
    const page = `<main>${'<p>With text.</p>'.repeat(60)}</main>`
    for (const width of all ? [1280, 500] : [500]) {
      const tab = await visit(page + tag(), { size: [width, 640] })
      await shows(tab)
      const bar = await part(tab, '.placard')
      const window = await tab.evaluate(() => document.documentElement.clientWidth)
      expect([640 - bar.y - bar.height, bar.height]).toEqual([16, 36])
      expect(bar.x + bar.width / 2).toBeCloseTo(window / 2, 0)
      expect(bar.x).toBeGreaterThanOrEqual(12)
      await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await shows(tab, false)
    }
  })

  it('display rule 8: in a window 320 px wide, the bar is a single line, cut off, with its arrow', async () => {
    await stage.placard.publish({ ...SAMPLES.product, text: 'Wide words '.repeat(40) })
    const inner = `<body style='margin:0'>${ROOM.replaceAll('"', "'")}<script src='${stage.origin}/embed.js'></script>`
    const tab = await engine.open()
    await tab.goto(stage.host(`<iframe width="320" height="300" srcdoc="${inner}"></iframe>`))
    const measure = () =>
      tab.evaluate(() => {
        const page = document.querySelector('iframe')?.contentDocument
        const root = page?.querySelector('placard-link')?.shadowRoot
        const rect = (part: string) => root?.querySelector(part)?.getBoundingClientRect()
        const text = root?.querySelector('.placard-text')
        const { left = 0, right = 0, height = 0 } = rect('.placard') ?? {}
        const arrow = rect('.placard-arrow')
        return {
          window: page?.documentElement.clientWidth,
          bar: [left, right, height],
          arrow: arrow && [arrow.width, arrow.right < right],
          cut: text && text.scrollWidth > text.clientWidth,
          sideways: (page?.documentElement.scrollWidth ?? 0) - 320,
        }
      })
    await expect.poll(measure).toEqual({
      window: 320,
      bar: [12, 308, 36],
      arrow: [14, true],
      cut: true,
      sideways: 0,
    })
  })

  // Placard has no texts of its own in Hebrew.
  it.each([
    ['ar', 'الإصدار 2 هنا'],
    ['he', 'גרסה 2 כאן'],
  ])(
    'contract A15: the bar has the text and the direction of the surrounding language: %s',
    async (lang, own) => {
      await stage.placard.publish({ ...SAMPLES.product, translations: { [lang]: own } })
      const tab = await visit(`<div lang="${lang}">${ROOM}</div>${tag()}`)
      const text = await part(tab, '.placard-text')
      expect([text.texts, text.direction]).toEqual([[own], 'rtl'])
      expect((await part(tab, '.placard-arrow')).x).toBeLessThan(text.x)
    },
  )

  it('a change fades the old bar into the new one, and nothing of the old one is left', async () => {
    await stage.placard.publish(SAMPLES.post)
    const tab = await visit(ROOM + tag())
    await shows(tab)
    await tab.evaluate(() => {
      const moved = new Promise<unknown>((resolve) => {
        const root = document.querySelector('placard-link')?.shadowRoot as ShadowRoot
        new MutationObserver(() => {
          const fades = document.getAnimations().concat(root.getAnimations())
          const effects = fades
            .map(({ effect }) => effect as KeyframeEffect)
            .filter((effect) => effect.getTiming().duration === 220)
          const names = effects.flatMap((effect) =>
            effect.getKeyframes().flatMap((frame) => Object.keys(frame)),
          )
          resolve([names.includes('opacity'), names.includes('clipPath')])
        }).observe(root, { childList: true, subtree: true })
      })
      Object.assign(window, { moved })
    })
    await stage.placard.publish(SAMPLES.product)
    const moved = tab.evaluate(() => (window as unknown as { moved: Promise<unknown> }).moved)
    expect(await moved).toEqual([true, true])
    await expect.poll(() => texts(tab)).toEqual([SAMPLES.product.text])
  })

  it('the bar stays paused when it changes, and dismissed after a reload', async () => {
    await stage.placard.publish(SAMPLES.post)
    const tab = await visit(ROOM + tag('data-dismissible'))
    const click = (selector: string) =>
      tab.evaluate((selector) => {
        const root = document.querySelector('placard-link')?.shadowRoot
        root?.querySelector<HTMLElement>(selector)?.click()
      }, selector)
    await click('.placard-pause')
    await stage.placard.publish(SAMPLES.coupon)
    await expect.poll(() => texts(tab)).toEqual([SAMPLES.coupon.text])
    expect((await part(tab, ':checked')).count).toBe(1)
    await click('.placard-close')
    await shows(tab, false)
    await tab.goto(stage.host(ROOM + tag('data-dismissible')))
    await expect.poll(async () => (await part(tab, '.placard')).count).toBeGreaterThan(0)
    await shows(tab, false)
  })

  it('contract R15: a bar in the page’s own HTML shows without a script, and the script keeps it', async () => {
    await stage.placard.publish({ ...SAMPLES.product, text: 'Emoji 🎉 & “quotes”' })
    const response = await fetch(`${stage.origin}/include.html?lang=en&theme=dark&dismissible`)
    const element = ROOM.replace('></', `>${await response.text()}</`)
    const flush = '<style>body { margin: 0; background: #111 }</style>'
    const plain = await visit(element, { scheme: 'light' }, flush)
    const shown = await part(plain, '.placard')
    expect(shown).toMatchObject({ y: 8, height: 36, backgroundColor: DARK, shown: true })
    const mark = `<script>mark = document.querySelector('placard-link').shadowRoot.querySelector('.placard')</script>`
    const tab = await visit(element + mark + tag(), { scheme: 'light' }, flush)
    const isKept = () =>
      tab.evaluate(() => {
        const root = document.querySelector('placard-link')?.shadowRoot
        const isDefined = customElements.get('placard-link') !== undefined
        return isDefined && root?.querySelector('.placard') === Reflect.get(window, 'mark')
      })
    await expect.poll(isKept).toBe(true)
    expect(await part(tab, '.placard')).toEqual(shown)
  })

  const resets = ['* { all: unset }', '*, ::before, ::after { all: revert }']
  it.each(all ? resets : resets.slice(1))(
    'the bar looks the same on a page with the CSS reset %s',
    async (reset) => {
      await stage.placard.publish(SAMPLES.product)
      // Under `unset`, a page would show its scripts and styles as text.
      const page = 'head, script { display: none !important } body { all: revert !important }'
      const looks: string[] = []
      for (const more of ['', reset]) {
        for (const body of [ROOM, '']) {
          const head = `<style>${page}${more}</style>`
          const tab = await visit(body + tag(), { motion: 'reduce' }, head)
          await shows(tab)
          looks.push((await tab.screenshot()).toString('base64'))
        }
      }
      expect(looks.slice(2)).toEqual(looks.slice(0, 2))
    },
  )
}
