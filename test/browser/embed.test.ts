import type { ElementHandle, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { DraftInput } from '../../src/core/announcement.ts'
import { blockAfter } from '../printed.ts'
import { askedBy, barOf, layoutShift, listen, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

const stage = stageForFile()
const { post, coupon, product } = SAMPLES
const publish = (draft: DraftInput) => stage.placard.publish(draft)

const CONTENT = `<main><h1>A site of its own</h1>${'<p>With text.</p>'.repeat(40)}</main>`
const LONG = { ...post, text: 'A long story '.repeat(30).trim() }
const FALLBACK = 'data-fallback-text="Your next bar"'

const height = async (page: Page) => (await page.locator('placard-link').boundingBox())?.height

describe('the script tag', () => {
  it("contract A15: uses the reader's language if the page declares none", async () => {
    await publish({ ...post, translations: { de: 'Wir über Caches' } })
    const nameless = `<script>document.documentElement.removeAttribute('lang')</script>`
    const page = await stage.site(nameless + stage.tag(), { locale: 'de-AT' })
    await shows(page, 'Wir über Caches')
    expect(await page.locator('placard-link .placard-text').getAttribute('lang')).toBe('de')
  })

  it.each([
    ['an image', '<img name="currentScript" src="ORIGIN/x.png">'],
    ['a form', '<form name="currentScript"><input name="src" value="ORIGIN/x"></form>'],
  ])("doesn't take the service's address from %s named `currentScript`", async (_, content) => {
    await publish(post)
    const other = await listen(() => new Response('', { status: 404 }))
    const page = await stage.page()
    const asked = askedBy(page)
    const broken: string[] = []
    page.on('pageerror', ({ message }) => broken.push(message))
    await page.goto(stage.host(content.replace('ORIGIN', other.url) + ROOM + stage.tag()))
    other.close()
    expect(asked.filter((url) => url.startsWith(other.url) && !url.endsWith('x.png'))).toEqual([])
    await shows(page, post.text)
    expect(broken).toEqual([])
  })

  it("shows the service's bar in a shadow root, in the language of the tag", async () => {
    await publish(product)
    const page = await stage.page()
    const asked = askedBy(page)
    await page.goto(stage.host(CONTENT + stage.tag('data-lang="de" data-theme="dark"')))
    await shows(page, product.text)
    const link = page.getByRole('link', { name: /wird in einem neuen Tab geöffnet/ })
    const opens = await link.evaluate((a: HTMLAnchorElement) => [a.target, a.rel])
    expect(opens).toEqual(['_blank', 'noopener'])
    const arrow = page.locator('placard-link .placard-arrow')
    expect(await arrow.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(161, 161, 170)')
    expect(await page.locator('placard-link .placard-icon path').count()).toBeGreaterThan(0)
    const origins = asked.map((url) => new URL(url).origin)
    expect(new Set(origins)).toEqual(new Set([stage.origin, stage.hostOrigin]))
  })

  it.each([
    ['floating', '', ''],
    ['in a target with reserved space', '<div id="top" style="min-height:3rem"></div>', '#top'],
    ['in a target without reserved space', '<div id="top"></div>', '#top'],
    ['in a row', '<div id="top" style="display:flex;gap:2rem"><p>One</p></div>', '#top'],
  ])('shifts nothing when a late bar appears %s', async (_, place, target) => {
    await publish(post)
    const { page, release } = await stage.held()
    const url = stage.host(place + CONTENT + stage.tag(target && `data-target="${target}"`))
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    const whole = () => page.evaluate(() => document.documentElement.scrollHeight)
    const before = await whole()
    release()
    await shows(page, post.text)
    expect([await layoutShift(page), await whole()]).toEqual([0, before])
  })

  it('puts the bar in the middle of the first 52 px that its target reserves, or at the top if it reserves none', async () => {
    await publish(post)
    for (const [space, top] of [
      [52, 8],
      [0, 0],
      [500, 8],
    ]) {
      const page = await stage.site(
        `<div id="top" style="block-size:${space}px"></div>${stage.tag('data-target="#top"')}`,
      )
      await shows(page, post.text)
      const offset = (one: Element, bar: Element) =>
        bar.getBoundingClientRect().top - one.getBoundingClientRect().top
      const bar = await page.locator('placard-link .placard').elementHandle()
      expect(await page.locator('#top').evaluate(offset, bar as ElementHandle<Element>)).toBe(top)
    }
  })

  it.each([
    [
      'the name of its element is taken',
      `<script>customElements.define('placard-link', class extends HTMLElement {})</script>${ROOM}`,
      '',
      'Placard: placard-link is taken',
    ],
    ['the target is missing', '', 'data-target="#nowhere"', 'Placard: no #nowhere'],
  ])('warns once in the console, without an error, if %s', async (_, body, attributes, words) => {
    const said: string[] = []
    const page = await stage.page()
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    await page.goto(stage.host(body + stage.tag(attributes)))
    await expect.poll(() => said).toEqual([words])
  })
})

it("a bar in the page's own shadow root takes its theme and language from the page too", async () => {
  await publish({ ...post, translations: { de: 'Neues vom Cache' } })
  const page = await stage.site(
    `<div id="page" lang="de"><div><template shadowrootmode="open"><p>${ROOM}</p></template></div></div>${stage.tag()}`,
    { head: '<style>[data-theme=sepia] { background: #211 }</style>' },
  )
  await shows(page, 'Neues vom Cache')
  const surface = async () =>
    (await barOf(page)).evaluate((bar) => getComputedStyle(bar).backgroundColor)
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(15, 15, 18)']
  for (const [theme, colour] of Object.entries({ '': light, dark, light, sepia: dark })) {
    await page.locator('#page').evaluate((one, theme) => {
      one.dataset.theme = theme
    }, theme)
    await expect.poll(surface).toBe(colour)
  }
})

describe('while nothing is announced, the tag', () => {
  it('shows no bar, and keeps its space unless `data-collapse` is set', async () => {
    const page = await stage.site(ROOM + stage.tag())
    await page.locator('placard-link .placard').waitFor({ state: 'attached' })
    expect(await page.locator('placard-link .placard').isVisible()).toBe(false)
    expect(await height(page)).toBe(52)
    await page.goto(stage.host(ROOM + stage.tag('data-collapse')))
    await page.locator('placard-link').waitFor({ state: 'hidden' })
    await publish(post)
    await barOf(page)
    expect(await height(page)).toBe(52)
  })

  it("shows the fallback from its attributes or from the operator's own locale file", async () => {
    const fallback = 'data-fallback-text="Read <b>our</b> guide" data-fallback-href="/guide"'
    const page = await stage.site(ROOM + stage.tag(fallback))
    const bar = await barOf(page)
    expect(await bar.locator('.placard-text').textContent()).toBe('Read <b>our</b> guide')
    expect(await bar.locator('a').getAttribute('href')).toBe('/guide')
    stage.hold(undefined, { ...stage.shipped, shipped: false })
    await shows(await stage.site(ROOM + stage.tag()), 'The next')
  })
})

describe('a fragment link', () => {
  it.each([
    ['#coupon', coupon, '', ''],
    ['/pricing#coupon', coupon, 'data-base="/pricing"', ''],
    ['/offer', coupon, 'data-coupon-href="/offer" data-base="/pricing"', ''],
    ['#coupon', coupon, 'data-coupon-href="/offer"', '<i id="coupon"></i>'],
    ['/blog#news', { ...post, slug: '#news' }, 'data-coupon-href="/offer" data-base="/blog"', ''],
  ])(
    'leads to %s for %o, if the tag has "%s" and the page has "%s"',
    async (href, draft, attributes, body) => {
      await publish(draft)
      const page = await stage.site(ROOM + body + stage.tag(attributes))
      const leads = await (await barOf(page))
        .locator('a')
        .evaluate((link: HTMLAnchorElement) => link.href)
      expect(leads).toBe(new URL(href, page.url()).href)
    },
  )

  it('looks for its target when it is clicked, not when the bar is rendered', async () => {
    await publish(coupon)
    const page = await stage.site(`${ROOM}<main></main>${stage.tag('data-coupon-href="/offer"')}`)
    const link = (await barOf(page)).locator('a')
    const target = (html: string) =>
      page.locator('main').evaluate((main, html) => {
        main.innerHTML = html
      }, html)
    await target('<i id="coupon"></i>')
    await link.click()
    expect(new URL(page.url()).hash).toBe('#coupon')
    await target('')
    await link.click()
    await page.waitForURL('**/offer')
  })

  it('stays on the page, even with <base href> or after a script has changed the address', async () => {
    await publish(coupon)
    const head = '<base href="/elsewhere/">'
    const page = await stage.site(`${ROOM}<i id="coupon"></i>${stage.tag()}`, { head })
    const link = (await barOf(page)).locator('a')
    await link.click()
    expect(page.url()).toBe(`${stage.hostOrigin}/#coupon`)
    await page.evaluate(() => history.pushState(null, '', '/moved?to=here#top'))
    await link.click()
    expect(page.url()).toBe(`${stage.hostOrigin}/moved?to=here#coupon`)
  })
})

describe('the floating bar', () => {
  const LINKS = ['Product', 'Pricing', 'Docs', 'Sign in'].map((name) => `<a href="#x">${name}</a>`)
  const SITE = `<header>${LINKS.join('')}</header>${CONTENT}<footer>${LINKS.join('')}</footer>`
  /** Visits a site with a floating bar, and waits until the bar shows. */
  async function floating(style = '', more = '') {
    await publish(post)
    const page = await stage.site(SITE + more + stage.tag(), {
      head: `<style>
        body { margin: 0 }
        header { position: sticky; top: 0; z-index: 50; display: flex; gap: 1rem; padding: 1rem }
        footer { padding: 0.5rem; text-align: center }
        ${style}
      </style>`,
    })
    return { page, bar: await barOf(page) }
  }
  /** How far the bar is from the bottom of the window, once it has finished entering. */
  const below = (page: Page) =>
    page.locator('placard-link .placard').evaluate((bar) => {
      for (const animation of document.querySelector('placard-link')?.getAnimations() ?? []) {
        animation.finish()
      }
      return innerHeight - bar.getBoundingClientRect().bottom
    })
  /** How many of these links something still covers at their centre once they are scrolled into view. */
  const missed = (page: Page, links: string) =>
    page.locator(links).evaluateAll(
      (links) =>
        links.filter((link) => {
          link.scrollIntoView({ block: 'nearest' })
          const { x, y, width, height } = link.getBoundingClientRect()
          return document.elementFromPoint(x + width / 2, y + height / 2) !== link
        }).length,
    )

  // Docusaurus, MkDocs Material and create-next-app do this, which makes the page taller than `html`.
  const FULL = ['html { height: 100% }', 'html, body { height: 100% }']
  it.each(FULL)('hides at the end of the page, so it covers no link, with %s', async (style) => {
    const { page, bar } = await floating(style)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await bar.waitFor({ state: 'hidden' })
    expect(await missed(page, 'footer a')).toBe(0)
    await page.evaluate(() => scrollTo(0, 0))
    await bar.waitFor({ state: 'visible' })
    expect(await layoutShift(page)).toBe(0)
  })

  it('hides at the end of a scroll container beneath it, but not of one elsewhere', async () => {
    await publish(post)
    const scroller = `<div style="height:100vh;overflow:auto">${CONTENT}</div>`
    const aside = `<div id="aside" style="position:fixed;top:0;height:4rem;overflow:auto">${CONTENT}</div>`
    const page = await stage.site(scroller + aside + stage.tag())
    const bar = await barOf(page)
    for (const [at, isVisible] of [
      ['#aside', true],
      ['div', false],
    ] as const) {
      const scroll = (box: Element) =>
        new Promise((done) => {
          box.addEventListener('scroll', done, { once: true })
          box.scrollTo(0, box.scrollHeight)
        })
      await page.locator(at).first().evaluate(scroll)
      await expect.poll(() => bar.isVisible()).toBe(isVisible)
    }
  })

  it('hides while an element beneath it has the focus (WCAG 2.4.11)', async () => {
    const under = '<a id="under" href="#x" style="position:fixed;bottom:1.5rem;left:50%">Under</a>'
    const { page, bar } = await floating('', under)
    await page.locator('#under').focus()
    await bar.waitFor({ state: 'hidden' })
    expect(await missed(page, '#under')).toBe(0)
    await page.locator('#under').blur()
    await bar.waitFor({ state: 'visible' })
  })

  it("isn't affected by the site's styles for the last element of a page", async () => {
    const last = 'background: red; margin: 3rem; padding: 2rem; border: 9px solid'
    const { page } = await floating(`body > :last-child { ${last} }`)
    expect(await below(page)).toBe(16)
    const background = await page
      .locator('placard-link')
      .evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(background).toBe('rgba(0, 0, 0, 0)')
  })

  it("clears the site's bottom bar (--placard-inset), and is covered by its dialogs", async () => {
    const own = 'position:fixed;inset:auto 0 0;height:4rem;z-index:40'
    const tabs = `<nav style="${own}"><a href="#x">Home</a></nav>`
    const { page } = await floating(blockAfter('docs/embed.md', 'to its height'), tabs)
    expect(await below(page)).toBe(80)
    const atBar = () =>
      page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight - 98)?.localName)
    expect(await atBar()).toBe('placard-link')
    await page.locator('nav').evaluate((nav) => nav.style.setProperty('height', '100vh'))
    expect(await atBar()).toBe('nav')
  })
})

it('with the rule in docs/embed.md, the bar stays in view below a sticky header without covering it', async () => {
  await publish(post)
  const room = blockAfter('docs/embed.md', 'You can put the rule in your stylesheet')
  const sticky = blockAfter('docs/embed.md', 'make the element sticky')
  const own = 'body { margin: 0 } header { position: sticky; top: 0; height: 4rem; z-index: 20 }'
  const page = await stage.site(
    `<header>Head</header><placard-link></placard-link>${CONTENT}${CONTENT}${stage.tag()}`,
    { head: `<style>${own} ${room} ${sticky}</style>` },
  )
  await shows(page, post.text)
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const places = await page.evaluate((share) => {
      scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight))
      const { top, bottom } = document.querySelector('placard-link')?.getBoundingClientRect() ?? {}
      return [top, bottom, document.elementFromPoint(20, 90)?.localName]
    }, share)
    // The page's content scrolls beneath the bar.
    expect(places).toEqual([64, 116, 'placard-link'])
  }
})

describe("the bar's motion", () => {
  it.each([
    ['on a page that scrolls', 5_000, [true, false, true]],
    ['on a page shorter than the window', 300, [true, true, true]],
  ])('runs only while the bar is in view, %s', async (_, height, moves) => {
    await publish(post)
    const page = await stage.site(`<div style="height:${height}px">${ROOM}</div>${stage.tag()}`)
    await shows(page, post.text)
    const moving = () =>
      page.evaluate(async () => {
        for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
        const root = document.querySelector('placard-link')?.shadowRoot as ShadowRoot
        const endless = root.getAnimations().filter(({ effect }) => {
          return effect?.getTiming().iterations === Number.POSITIVE_INFINITY
        })
        return endless.map(({ playState }) => playState === 'running')
      })
    for (const [i, y] of [0, 4_000, 0].entries()) {
      await page.evaluate((y) => scrollTo(0, y), y)
      // Two beams and the shine.
      await expect.poll(moving).toEqual(Array(3).fill(moves[i]))
    }
  })

  it.each([
    ['no-preference', '0.18s', '0.22s'],
    ['reduce', '0s', '0s'],
  ] as const)(
    'takes 180 ms to enter or leave and 220 ms to cross-fade, or no time if reduced (prefers-reduced-motion: %s)',
    async (reducedMotion, enters, fades) => {
      await publish(post)
      const body = `<placard-link></placard-link>${stage.tag('data-dismissible')}`
      const pages = [await stage.site(body, { reducedMotion })]
      pages.push(await stage.site(stage.tag(), { reducedMotion }))
      for (const page of pages) {
        await shows(page, post.text)
        const durations = () =>
          page.locator('placard-link').evaluate((one) => {
            const place = one.shadowRoot?.querySelector('.placard-place') as Element
            return [one, place].flatMap((it) => getComputedStyle(it).transitionDuration.split(', '))
          })
        await expect.poll(durations).toContain(enters)
        expect((await durations()).filter((it) => it !== '0s' && it !== enters)).toEqual([])
        await page.locator('placard-link .placard-place').evaluate((place) => {
          const took = new Promise<string[]>((resolve) => {
            new MutationObserver(() => {
              const old = place.querySelector('.placard > .placard')
              const both = [old?.parentElement, old].filter((one) => one instanceof HTMLElement)
              resolve(both.map((one) => getComputedStyle(one).animationDuration))
            }).observe(place, { childList: true })
          })
          Object.assign(window, { took })
        })
      }
      await publish(product)
      for (const page of pages) {
        expect(await page.evaluate('took')).toEqual([fades, fades])
        const texts = page.locator('placard-link .placard-text')
        await expect.poll(() => texts.allTextContents()).toEqual([product.text])
      }
    },
  )
})

describe('the bar', () => {
  it.each(['grid; grid-template-columns: auto 1fr', 'flex'])(
    "doesn't widen its container for a long text, with display: %s",
    async (display) => {
      await publish(LONG)
      const page = await stage.site(
        `<div style="display: ${display}"><i>Side</i><div id="main">${ROOM}</div></div>${stage.tag()}`,
        { viewport: { width: 600, height: 400 } },
      )
      await page.locator('placard-link .placard').waitFor({ state: 'attached' })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(600)
    },
  )

  it("doesn't show in print", async () => {
    await publish(post)
    const page = await stage.site(ROOM + stage.tag())
    await barOf(page)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('placard-link').isHidden()).toBe(true)
  })

  it("keeps its size if the page makes `rem` smaller, and grows with the reader's font size", async () => {
    await publish(product)
    const sizeAt = async (root: string) => {
      const head = `<style>html { font-size: ${root} }</style>`
      const bar = await barOf(await stage.site(ROOM + stage.tag(), { head }))
      return bar.evaluate((one) => {
        const { width, height } = one.getBoundingClientRect()
        return { width, height, font: getComputedStyle(one).fontSize }
      })
    }
    const usual = await sizeAt('16px')
    expect(await sizeAt('62.5%')).toEqual(usual)
    expect([usual.font, (await sizeAt('20px')).font]).toEqual(['14px', '17.5px'])
  })
})

it.each([
  ['a floating bar has a dismiss button', '', 1],
  ['a bar in a target has no dismiss button', 'data-target=main', 0],
  ['data-dismissible gives a bar in a target a button', 'data-target=main data-dismissible', 1],
])('%s', async (_, attributes, buttons) => {
  const page = await stage.site(CONTENT + stage.tag(`${FALLBACK} ${attributes}`))
  await shows(page, 'Your next')
  expect(await page.locator('placard-link button').count()).toBe(buttons)
})
