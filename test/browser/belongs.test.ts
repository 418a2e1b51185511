import { build } from 'esbuild'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()
beforeEach(() => stage.clear())

const BAR = '<placard-link style="display: block; min-height: 3.25rem"></placard-link>'
const tag = (attributes = '') =>
  `<script src="${stage.origin}/embed.js" async ${attributes}></script>`

async function visit(body: string, options: BrowserContextOptions = {}, head = '') {
  const page = await stage.page(options)
  await page.goto(stage.host(body, {}, head))
  return page
}

const shown = async (page: Page) => {
  const bar = page.locator('placard-link .placard').first()
  await bar.waitFor()
  return bar
}

describe('the theme is the page’s', () => {
  const DARK = 'rgb(15, 15, 18)'
  const LIGHT = 'rgb(255, 255, 255)'
  const surface = async (page: Page) =>
    (await shown(page)).evaluate((bar) => getComputedStyle(bar).backgroundColor)

  it.each([
    [
      'data-theme nearer than .dark',
      'dark',
      LIGHT,
      '',
      `<div class="dark"><div data-theme="light">${BAR}</div></div>`,
    ],
    ['a theme by another name', 'dark', LIGHT, '', `<div data-theme="cupcake">${BAR}</div>`],
    ['a light background', 'dark', LIGHT, '<style>body { background: #fafafa }</style>', BAR],
    [
      'light text on a gradient',
      'light',
      DARK,
      '<style>body { background: #fff }</style>',
      `<div style="color: #eee; background: linear-gradient(45deg, #312e81, #0f0f12)">${BAR}</div>`,
    ],
    [
      'dark text on a gradient, on a dark page',
      'dark',
      LIGHT,
      '<style>:root { color-scheme: dark } body { background: #111 }</style>',
      `<div style="color: #222; background: linear-gradient(#fff, #eee)">${BAR}</div>`,
    ],
    [
      'light text on what only lies behind the page',
      'light',
      DARK,
      '<style>body { color: #eee } body::before { content: ""; position: fixed; inset: 0; z-index: -1; background: #111 }</style>',
      BAR,
    ],
  ] as const)('%s, for a reader who prefers %s', async (_, colorScheme, colour, head, body) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(body + tag(), { colorScheme }, head)
    expect(await surface(page)).toBe(colour)
  })

  it.each([
    ['an attribute that only the host knows', '[data-bs-theme=dark] body { background: #212529 }'],
    [
      'a background that fades',
      '[data-bs-theme=dark] body { background: #212529 } body { background: #fff; transition: background 0.2s }',
    ],
  ])('follows %s', async (_, style) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(BAR + tag(), {}, `<style>${style}</style>`)
    expect(await surface(page)).toBe(LIGHT)
    await page.evaluate(() => document.documentElement.setAttribute('data-bs-theme', 'dark'))
    await expect.poll(() => surface(page)).toBe(DARK)
  })

  it('in a shadow root too it is that of the page, and so is the language', async () => {
    await stage.placard.publish({ ...SAMPLES.post, translations: { de: 'Neues vom Cache' } })
    const page = await visit(
      `<div id="page" lang="de"><div><template shadowrootmode="open"><p>${BAR}</p></template></div></div>${tag()}`,
      {},
      '<style>[data-theme=sepia] { background: #211 }</style>',
    )
    expect(await (await shown(page)).innerText()).toContain('Neues vom Cache')
    expect(await surface(page)).toBe(LIGHT)
    for (const [theme, colour] of [
      ['dark', DARK],
      ['light', LIGHT],
      ['sepia', DARK],
    ] as const) {
      await page.locator('#page').evaluate((one, theme) => {
        one.dataset.theme = theme
      }, theme)
      await expect.poll(() => surface(page)).toBe(colour)
    }
  })

  it('follows a stylesheet that comes later than the bar', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(BAR + tag())
    expect(await surface(page)).toBe(LIGHT)
    await page.evaluate(() => {
      const href = URL.createObjectURL(
        new Blob(['body { background: #111 }'], { type: 'text/css' }),
      )
      const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
      document.head.append(link)
    })
    await expect.poll(() => surface(page)).toBe(DARK)
  })
})

describe('nothing announced', () => {
  it('shows nothing of ours, and keeps the room', async () => {
    const page = await visit(`${BAR}<p id="next">Below</p>${tag()}`)
    await page.locator('placard-link .placard').waitFor({ state: 'attached' })
    expect(await page.locator('placard-link .placard').isVisible()).toBe(false)
    expect((await page.locator('placard-link').boundingBox())?.height).toBe(52)
  })

  it('gives up the room if asked to', async () => {
    const page = await visit(`${BAR}${tag('data-collapse')}`)
    await page.locator('placard-link').waitFor({ state: 'hidden' })
    await stage.placard.publish(SAMPLES.post)
    await shown(page)
    expect((await page.locator('placard-link').boundingBox())?.height).toBe(52)
  })

  it('shows the fallback of the tag', async () => {
    const page = await visit(
      BAR + tag('data-fallback-text="Read <b>our</b> guide" data-fallback-href="/guide"'),
    )
    const bar = await shown(page)
    expect(await bar.locator('.placard-text').textContent()).toBe('Read <b>our</b> guide')
    expect(await bar.locator('a').getAttribute('href')).toBe('/guide')
    await stage.placard.publish(SAMPLES.post)
    await bar.locator('.placard-text', { hasText: SAMPLES.post.text }).waitFor()
  })

  it('shows the fallback of a locale file of the operator’s own', async () => {
    stage.hold(undefined, { ...stage.shipped, shipped: false })
    const page = await visit(BAR + tag())
    expect(await (await shown(page)).innerText()).toContain('The next')
  })
})

describe('#coupon goes somewhere', () => {
  const target = async (page: Page) => (await shown(page)).locator('a').getAttribute('href')

  it.each([
    ['', '', '#coupon'],
    ['data-base="/pricing"', '', '/pricing#coupon'],
    ['data-coupon-href="/offer" data-base="/pricing"', '', '/offer'],
    ['data-coupon-href="/offer"', '<i id="coupon"></i>', '#coupon'],
  ])('%s %s', async (attributes, body, href) => {
    await stage.placard.publish(SAMPLES.coupon)
    const page = await visit(BAR + body + tag(attributes))
    expect(await target(page)).toBe(href)
  })

  it('is in the page, even with <base href> and any address that a script has given it', async () => {
    await stage.placard.publish(SAMPLES.coupon)
    const head = '<base href="/elsewhere/">'
    const page = await visit(`${BAR}<i id="coupon"></i>${tag()}`, {}, head)
    const link = (await shown(page)).locator('a')
    await link.click()
    expect(page.url()).toBe(`${stage.hostOrigin}/#coupon`)
    await page.evaluate(() => history.pushState(null, '', '/moved?to=here#top'))
    await link.click()
    expect(page.url()).toBe(`${stage.hostOrigin}/moved?to=here#coupon`)
  })

  it('leads only coupons to where coupons are', async () => {
    await stage.placard.publish({ ...SAMPLES.post, slug: '#news' })
    const page = await visit(BAR + tag('data-coupon-href="/offer" data-base="/blog"'))
    expect(await target(page)).toBe('/blog#news')
  })
})

describe('several on a page', () => {
  it('the same tag twice is one bar', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(tag() + tag())
    await shown(page)
    expect(await page.locator('placard-link').count()).toBe(1)
  })

  it('an element that an app renders later takes the place of the floating bar', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(`<main></main>${tag()}`)
    await page.locator('placard-link[data-float] .placard').waitFor()
    await page.evaluate((bar) => {
      const main = document.querySelector('main') as HTMLElement
      main.innerHTML = bar
    }, BAR)
    await page.locator('main .placard').waitFor()
    expect(await page.locator('placard-link').count()).toBe(1)
  })

  it('an element takes the place of what floats for its own service alone, also with a slash after its `src`', async () => {
    await stage.placard.publish(SAMPLES.post)
    const other = stage.origin.replace('127.0.0.1', 'localhost')
    const page = await visit(`<main></main>${tag()}<script src="${other}/embed.js"></script>`)
    const floating = () =>
      page
        .locator('placard-link[data-float]')
        .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.src))
    await expect.poll(async () => (await floating()).sort()).toEqual([stage.origin, other].sort())
    for (const [src, rest] of [
      [`${stage.origin}/`, other],
      [other, stage.origin],
    ]) {
      await page.locator('main').evaluate((main, src) => {
        main.innerHTML = `<placard-link src="${src}"></placard-link>`
      }, src)
      await page.locator('main .placard').waitFor()
      expect(await floating()).toEqual([rest])
    }
  })

  it('in a shadow root, an element that was there before the tag is the page’s bar', async () => {
    await stage.placard.publish(SAMPLES.post)
    const part = `<div><template shadowrootmode="open">${BAR}</template></div>`
    const page = await visit(`${part}${BAR}${part}${tag('data-dismissible')}`)
    await expect.poll(() => page.locator('placard-link .placard:visible').count()).toBe(3)
    await page.locator('placard-link >> nth=0 >> .placard-close').click()
    await expect.poll(() => page.locator('placard-link .placard:visible').count()).toBe(0)
    await page.goto(stage.host(part + tag()))
    await shown(page)
    expect(await page.locator('placard-link').count()).toBe(1)
  })

  it('a tag in the head floats its bar once in each body that a router brings', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit('<h1>First</h1>', {}, tag())
    await shown(page)
    const bring = (html: string) =>
      page.evaluate((html) => {
        const body = document.createElement('body')
        body.innerHTML = html
        document.body.replaceWith(body)
      }, html)
    for (const [html, floating] of [
      ['<h1>Second</h1>', 1],
      [BAR, 0],
      ['<h1>Fourth</h1>', 1],
    ] as const) {
      await bring(html)
      await shown(page)
      expect(await page.locator('placard-link').count()).toBe(1)
      expect(await page.locator('placard-link[data-float]').count()).toBe(floating)
    }
  })

  it('a tag in a body that has gone floats no bar in the next, and leaves nothing of it in memory', async () => {
    const page = await visit(`<script>
      watching = new Set()
      const { observe, disconnect } = MutationObserver.prototype
      MutationObserver.prototype.observe = function (...it) { watching.add(this), observe.apply(this, it) }
      MutationObserver.prototype.disconnect = function () { watching.delete(this), disconnect.apply(this) }
    </script>`)
    for (let visits = 0; visits < 2; visits++) {
      await page.evaluate((src) => {
        const script = Object.assign(document.createElement('script'), { src })
        document.body.append(script)
      }, `${stage.origin}/embed.js`)
      await page.locator('placard-link .placard').waitFor({ state: 'attached' })
      await page.evaluate(() => {
        const gone = new WeakRef(document.body)
        Object.assign(window, { gone })
        document.body.replaceWith(document.createElement('body'))
      })
      expect(await page.locator('placard-link').count()).toBe(0)
      const watching = () =>
        page.evaluate(() => (window as unknown as { watching: Set<unknown> }).watching.size)
      expect(await watching()).toBe(0)
      const isHeld = async () => {
        await page.requestGC()
        return page.evaluate(() => !!(window as unknown as { gone: WeakRef<Node> }).gone.deref())
      }
      await expect.poll(isHeld).toBe(false)
    }
  })

  it('the tag alone floats its bar where an app leaves a route that had the element for one without', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(`<main>${BAR}</main>${tag()}`)
    for (const [html, floating] of [
      ['<h1>Second</h1>', 1],
      [BAR, 0],
    ] as const) {
      await page.locator('main').evaluate((main, html) => {
        main.innerHTML = html
      }, html)
      await expect.poll(() => page.locator('placard-link[data-float]').count()).toBe(floating)
      await shown(page)
      expect(await page.locator('placard-link').count()).toBe(1)
    }
  })

  it('a tag that its loader takes away once it has run floats its bar all the same', async () => {
    const page = await stage.page()
    const loader = `<script>
      const tag = Object.assign(document.createElement('script'), { src: '${stage.origin}/embed.js' })
      tag.onload = () => tag.remove()
      document.head.append(tag)
    </script>`
    await page.goto(stage.host(loader))
    await page.locator('placard-link').waitFor({ state: 'attached' })
    expect(await page.locator('script[src]').count()).toBe(0)
  })

  it('all share one stream, which is open as long as there is one of them', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    const open = new Set<unknown>()
    let streams = 0
    page.on('request', (request) => {
      if (!request.url().endsWith('/stream')) return
      streams++
      open.add(request)
    })
    page.on('requestfailed', (request) => open.delete(request))
    await page.goto(stage.host(`${BAR + BAR}<div>${tag()}</div>`))
    const everywhere = async (count: number, text: string) => {
      const bars = page.locator('placard-link .placard-text', { hasText: text })
      await expect.poll(() => bars.count()).toBe(count)
    }
    await everywhere(2, SAMPLES.post.text)
    await expect.poll(() => streams).toBe(1)
    await page.evaluate((bar) => document.body.insertAdjacentHTML('beforeend', bar), BAR)
    await everywhere(3, SAMPLES.post.text)
    await stage.placard.publish(SAMPLES.product)
    await everywhere(3, SAMPLES.product.text)

    await page.evaluate(() => document.querySelector('placard-link')?.remove())
    await stage.placard.publish(SAMPLES.coupon)
    await everywhere(2, SAMPLES.coupon.text)
    expect([streams, open.size]).toEqual([1, 1])
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('placard-link, div')) one.remove()
    })
    await expect.poll(() => open.size).toBe(0)

    // One that comes back has what has changed meanwhile.
    await stage.placard.publish({ ...SAMPLES.post, text: 'Version 3 is here' })
    await page.evaluate((bar) => document.body.insertAdjacentHTML('beforeend', bar), BAR)
    await everywhere(1, 'Version 3')
    await stage.placard.publish(SAMPLES.coupon)
    await everywhere(1, SAMPLES.coupon.text)
    expect(streams).toBe(2)
  })

  it('those of two languages each show what is up', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    const other = '<placard-link data-lang="de"></placard-link>'
    await page.goto(stage.host(BAR + BAR + other + BAR + tag()))
    const everywhere = (text: string) =>
      expect
        .poll(() => page.locator('placard-link .placard-text', { hasText: text }).count())
        .toBe(4)
    await everywhere(SAMPLES.post.text)
    await stage.placard.publish(SAMPLES.product)
    await everywhere(SAMPLES.product.text)
  })

  it('one that gets no answer keeps the others from nothing', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    await page.route('**/embed.html?lang=de', (route) => route.abort())
    await page.goto(stage.host(`${BAR}<placard-link data-lang="de"></placard-link>${tag()}`))
    await shown(page)
    await stage.placard.publish(SAMPLES.product)
    const text = page.locator('placard-link .placard-text').first()
    await expect.poll(() => text.textContent()).toBe(SAMPLES.product.text)
  })

  it('where something else has the name of the element, the console says so, and nothing breaks', async () => {
    const said: string[] = []
    const page = await stage.page()
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    const own =
      "<script>customElements.define('placard-link', class extends HTMLElement {})</script>"
    await page.goto(stage.host(own + BAR + tag()))
    await expect.poll(() => said).toEqual(['Placard: placard-link is taken'])
  })

  it('nothing floats before an app that comes late has rendered its element', async () => {
    await stage.placard.publish(SAMPLES.post)
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createElement as h } from 'react'
          import { createRoot } from 'react-dom/client'
          const root = createRoot(document.querySelector('#app'))
          root.render(h('main', {}, h('placard-link', { style: { minHeight: '3.25rem' } })))`,
        resolveDir: import.meta.dirname,
      },
      define: { 'process.env.NODE_ENV': '"production"' },
      bundle: true,
      write: false,
    })
    const page = await stage.page()
    const floated = page.waitForResponse(/embed\.html/, { timeout: 500 })
    await page.route('**/app.js', async (route) => {
      // As long as a bar would need to float.
      await floated.catch(() => {})
      await route.fulfill({ body: outputFiles[0]?.text ?? '', contentType: 'text/javascript' })
    })
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      new MutationObserver(() => {
        const one = document.querySelector('placard-link:not([hidden])')
        if (one) seen.push(one.hasAttribute('data-float') ? 'floating' : 'in its place')
      }).observe(document, { subtree: true, childList: true, attributes: true })
    })
    await page.goto(stage.host(`<div id="app"></div>${tag()}<script src="/app.js" async></script>`))
    await shown(page)
    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
    expect([...new Set(seen)]).toEqual(['in its place'])
  })

  it.each([
    ['the element', '<placard-link></placard-link>', '', '', 0],
    [
      'a target that it leaves alone',
      '<p id="top"></p>',
      "id: 'top', suppressHydrationWarning: true, dangerouslySetInnerHTML: { __html: '' }",
      'data-target="#top"',
      0,
    ],
    ['a target that it renders anew', '<p id="top"></p>', "id: 'top'", 'data-target="#top"', 1],
  ] as const)('React hydrates %s', async (_, html, properties, attributes, faults) => {
    await stage.placard.publish(SAMPLES.post)
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createElement as h } from 'react'
          import { hydrateRoot } from 'react-dom/client'
          addEventListener('click', () => {
            window.faults = []
            const one = h('${html.slice(1, html.search(/[ >]/))}', { ${properties} })
            const bar = document.querySelector('placard-link')
            hydrateRoot(document.querySelector('main'), h('div', { ref: () => { window.isKept = bar.isConnected } }, one), {
              onRecoverableError: ({ message }) => window.faults.push(message),
            })
          })`,
        resolveDir: import.meta.dirname,
      },
      define: { 'process.env.NODE_ENV': '"production"' },
      bundle: true,
      write: false,
    })
    const page = await visit(`<main><div>${html}</div></main>${tag(attributes)}`)
    await shown(page)
    await page.evaluate(outputFiles[0]?.text ?? '')
    await page.evaluate(() => dispatchEvent(new Event('click')))
    const state = () =>
      page.evaluate(() => {
        const { faults, isKept } = window as unknown as { faults: string[]; isKept?: boolean }
        return [isKept, faults.length]
      })
    await expect.poll(state).toEqual([faults === 0, faults])
    await page.locator('main placard-link .placard').waitFor()
    expect(await page.locator('placard-link').count()).toBe(1)
  })

  it('what is closed in one place is closed in the others', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(BAR + BAR + tag('data-dismissible'))
    await page.locator('placard-link >> nth=1 >> .placard').waitFor()
    await page.locator('placard-link >> nth=0 >> .placard-close').click()
    await expect.poll(() => page.locator('placard-link .placard:visible').count()).toBe(0)
  })

  it('waits for a target that an app renders later, and comes again where it is rendered anew', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(`<main></main>${tag('data-target="#top"')}`)
    for (let time = 0; time < 2; time++) {
      await page.locator('main').evaluate((main) => {
        main.innerHTML = '<div id="top"></div>'
      })
      await page.locator('#top .placard').waitFor()
      expect(await page.locator('placard-link').count()).toBe(1)
    }
  })

  it('says which target is missing, once', async () => {
    const said: string[] = []
    const page = await stage.page()
    page.on('console', (message) => said.push(message.text()))
    await page.goto(stage.host(tag('data-target="#nowhere"')))
    await expect.poll(() => said).toEqual(['Placard: no #nowhere'])
  })
})

describe('the finish', () => {
  it('has a title where the text may be cut off', async () => {
    const long = 'A long story '.repeat(30).trim()
    await stage.placard.publish({ ...SAMPLES.post, text: long })
    const page = await visit(BAR + tag())
    const text = (await shown(page)).locator('.placard-text')
    expect(await text.getAttribute('title')).toBe(long)
    await stage.placard.publish(SAMPLES.post)
    const fresh = page.locator('placard-link .placard-text', { hasText: SAMPLES.post.text })
    expect(await fresh.getAttribute('title')).toBeNull()
  })

  it('a long text widens neither a grid nor a flex box that it stands in', async () => {
    await stage.placard.publish({ ...SAMPLES.post, text: 'A long story '.repeat(30).trim() })
    for (const display of ['grid; grid-template-columns: auto 1fr', 'flex']) {
      const page = await visit(
        `<div style="display: ${display}"><i>Side</i><div id="main">${BAR}</div></div>${tag()}`,
        { viewport: { width: 600, height: 400 } },
      )
      await page.locator('placard-link .placard').waitFor({ state: 'attached' })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide).toBe(600)
    }
  })

  it('the controls come for those who hover or use the keyboard, and the bar stays as wide', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(BAR + tag('data-dismissible'))
    const bar = await shown(page)
    const controls = bar.locator('.placard-controls')
    const opacity = () => controls.evaluate((one) => getComputedStyle(one).opacity)
    const width = async () => (await bar.boundingBox())?.width
    const atRest = await width()
    await expect.poll(opacity).toBe('0')
    await bar.hover()
    await expect.poll(opacity).toBe('1')
    expect(await width()).toBe(atRest)
    await page.mouse.move(0, 300)
    await expect.poll(opacity).toBe('0')
    await page.keyboard.press('Tab')
    await expect.poll(opacity).toBe('1')
  })

  it('is not printed', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(BAR + tag())
    await shown(page)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('placard-link').isHidden()).toBe(true)
  })

  it('is as large where the page makes `rem` smaller, and grows with a reader who makes it larger', async () => {
    await stage.placard.publish(SAMPLES.product)
    const sizes: unknown[] = []
    for (const root of ['16px', '62.5%', '20px']) {
      const page = await visit(BAR + tag(), {}, `<style>html { font-size: ${root} }</style>`)
      const bar = await shown(page)
      sizes.push(
        await bar.evaluate((one) => {
          const { width, height } = one.getBoundingClientRect()
          return { width, height, font: Number.parseFloat(getComputedStyle(one).fontSize) }
        }),
      )
    }
    const [usual, small, large] = sizes as { font: number }[]
    expect(small).toEqual(usual)
    expect([usual?.font, large?.font]).toEqual([14, 17.5])
  })

  it.each(['* { all: unset }', '*, ::before, ::after { all: revert }'])(
    'looks the same under a reset: %s',
    async (reset) => {
      await stage.placard.publish(SAMPLES.product)
      const looks = []
      for (const head of ['', `<style>${reset}</style>`]) {
        for (const body of [BAR, '']) {
          const page = await visit(body + tag(), { reducedMotion: 'reduce' }, head)
          const bar = await shown(page)
          await bar.evaluate((one) => Promise.all(one.getAnimations().map((it) => it.finished)))
          await expect
            .poll(() =>
              bar.evaluate(
                (one) => getComputedStyle(one.closest('.placard-place') as Element).opacity,
              ),
            )
            .toBe('1')
          looks.push((await bar.screenshot()).toString('base64'))
        }
      }
      expect(looks.slice(2)).toEqual(looks.slice(0, 2))
    },
  )
})
