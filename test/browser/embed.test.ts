import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { blockAfter } from '../printed.ts'
import { brokenPolicies, layoutShift, listen, SAMPLES, setHidden, stageForFile } from './stage.ts'

const stage = stageForFile()
beforeEach(() => stage.clear())

const CONTENT = `<main><h1>A site of its own</h1>${'<p>With text.</p>'.repeat(40)}</main>`

const tag = (attributes = '') =>
  `<script src="${stage.origin}/embed.js" async data-fallback-text="Your next bar" ${attributes}></script>`

async function visit(body: string, headers?: Record<string, string>, head?: string) {
  const url = stage.host(body, headers, head)
  const page = await stage.page()
  await page.goto(url)
  return page
}

/** Playwright's selectors look into open shadow roots. */
const shows = (page: Page, text: string) =>
  page.locator('placard-link .placard-text', { hasText: text }).waitFor({ timeout: 5_000 })

describe('the script tag', () => {
  it('contract A15: takes the language of its reader where no place names one', async () => {
    await stage.placard.publish({ ...SAMPLES.post, translations: { de: 'Wir über Caches' } })
    const page = await stage.page({ locale: 'de-AT' })
    const nameless = `<script>document.documentElement.removeAttribute('lang')</script>`
    await page.goto(stage.host(nameless + tag()))
    await shows(page, 'Wir über Caches')
    expect(await page.locator('placard-link .placard-text').getAttribute('lang')).toBe('de')
  })

  it.each([
    ['an image', '<img name="currentScript" src="ORIGIN/x.png">'],
    ['a form', '<form name="currentScript"><input name="src" value="ORIGIN/x"></form>'],
  ])('takes no service from %s that stands in for its script', async (_, content) => {
    const other = await listen(() => new Response('', { status: 404 }))
    const page = await stage.page()
    const asked: string[] = []
    const broken: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', ({ message }) => broken.push(message))
    const html = `${content.replace('ORIGIN', other.url)}<placard-link></placard-link>${tag()}`
    await page.goto(stage.host(html), { waitUntil: 'load' })
    other.close()
    expect(asked.filter((url) => url.startsWith(other.url) && !url.endsWith('x.png'))).toEqual([])
    expect(await page.evaluate(() => customElements.get('placard-link'))).toBeUndefined()
    expect(broken).toEqual([])
  })

  it('shows the bar in a shadow root, rendered by the service, in the language asked for', async () => {
    await stage.placard.publish(SAMPLES.product)
    const asked: string[] = []
    const page = await stage.page()
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(stage.host(`${CONTENT}${tag('data-lang="de" data-theme="dark"')}`))
    await shows(page, SAMPLES.product.text)
    const link = page.getByRole('link', { name: /wird in einem neuen Tab geöffnet/ })
    expect(await link.evaluate((a: HTMLAnchorElement) => [a.target, a.rel])).toEqual([
      '_blank',
      'noopener',
    ])
    const colour = page.locator('placard-link .placard-arrow')
    expect(await colour.evaluate((text) => getComputedStyle(text).color)).toBe('rgb(161, 161, 170)')
    expect(await page.locator('placard-link .placard-icon path').count()).toBeGreaterThan(0)
    const elsewhere = asked.filter(
      (url) => ![stage.origin, stage.hostOrigin].includes(new URL(url).origin),
    )
    expect(elsewhere).toEqual([])
  })

  it('points into the page that it is on, for a fragment or a path', async () => {
    await stage.placard.publish(SAMPLES.coupon)
    const page = await visit(CONTENT + tag())
    await shows(page, SAMPLES.coupon.text)
    const link = page.locator('placard-link a')
    expect(await link.evaluate((a: HTMLAnchorElement) => a.href)).toBe(
      `${stage.hostOrigin}/#coupon`,
    )
  })

  const PLACES = [
    ['floating', CONTENT, ''],
    ['in a place kept for it', `<div id="top" style="min-height:3rem"></div>${CONTENT}`, '#top'],
    ['in a place not kept for it', `<div id="top"></div>${CONTENT}`, '#top'],
    ['in a row', `<div id="top" style="display:flex;gap:2rem"><p>One</p></div>${CONTENT}`, '#top'],
  ] as const
  it.each(PLACES)('shifts nothing when it comes late, %s', async (_, body, target) => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    for (const asset of ['embed.js', 'placard.css', 'embed.html*']) {
      await page.route(`${stage.origin}/${asset}`, async (route) => {
        await held
        await route.continue()
      })
    }
    const url = stage.host(body + tag(target && `data-target="${target}"`))
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    release()
    await shows(page, SAMPLES.post.text)
    expect(await layoutShift(page)).toBe(0)
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height)
  })

  it('works under a strict policy that also asks for Trusted Types', async () => {
    await stage.placard.publish(SAMPLES.post)
    const only = stage.origin
    const page = await visit(CONTENT + tag('data-dismissible'), {
      'content-security-policy': `default-src 'none'; script-src ${only}; connect-src ${only}; require-trusted-types-for 'script'; trusted-types 'none'`,
      'cross-origin-embedder-policy': 'require-corp',
    })
    await shows(page, SAMPLES.post.text)
    await stage.placard.publish(SAMPLES.product)
    await shows(page, SAMPLES.product.text)
    expect(await brokenPolicies(page)).toEqual([])
  })
})

describe('floating', () => {
  const LINKS = ['Product', 'Pricing', 'Docs', 'Sign in'].map((name) => `<a href="#x">${name}</a>`)
  const HEAD = `<style>
    body { margin: 0 }
    header { position: sticky; top: 0; z-index: 50; display: flex; gap: 1rem; padding: 1rem }
    footer { padding: 0.5rem; text-align: center }
  </style>`
  const SITE = `<header>${LINKS.join('')}</header>${CONTENT}<footer>${LINKS.join('')}</footer>`
  const place = (page: Page) =>
    page.locator('placard-link .placard').evaluate((bar) => {
      // It may still be coming up.
      for (const animation of document.querySelector('placard-link')?.getAnimations() ?? []) {
        animation.finish()
      }
      const { x, right, bottom, height } = bar.getBoundingClientRect()
      return { left: x, right: innerWidth - right, below: innerHeight - bottom, height }
    })
  /** How many links of the host a click in their middle misses, even once they are scrolled into view. */
  const missed = (page: Page, links: string) =>
    page.locator(links).evaluateAll(
      (links) =>
        links.filter((link) => {
          link.scrollIntoView({ block: 'nearest' })
          const { x, y, width, height } = link.getBoundingClientRect()
          return document.elementFromPoint(x + width / 2, y + height / 2) !== link
        }).length,
    )

  it.each([
    '',
    // As Docusaurus, MkDocs Material and create-next-app have it: then the page is higher than `html`.
    'html { height: 100% }',
    'html, body { height: 100% }',
  ])(
    'steps aside at the end of the page, so that each link can be scrolled clear of it: %s',
    async (style) => {
      await stage.placard.publish(SAMPLES.post)
      const page = await visit(SITE + tag(), {}, `${HEAD}<style>${style}</style>`)
      await shows(page, SAMPLES.post.text)
      const bar = page.locator('placard-link .placard')
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await bar.waitFor({ state: 'hidden' })
      expect(await missed(page, 'footer a')).toBe(0)
      await page.evaluate(() => scrollTo(0, 0))
      await bar.waitFor({ state: 'visible' })
      expect(await layoutShift(page)).toBe(0)
    },
  )

  it('steps aside at the end of a scroller that lies beneath it', async () => {
    await stage.placard.publish(SAMPLES.post)
    const scroller = `<div style="height:100vh;overflow:auto">${CONTENT}</div>`
    const aside = '<div id="aside" style="position:fixed;top:0;height:4rem;overflow:auto">'
    const page = await visit(`${scroller}${aside}${CONTENT}</div>${tag()}`, {}, HEAD)
    await shows(page, SAMPLES.post.text)
    const bar = page.locator('placard-link .placard')
    for (const [at, state] of [
      ['#aside', 'visible'],
      ['div', 'hidden'],
    ] as const) {
      const scrolled = page.locator(at).first()
      await scrolled.evaluate(
        (box) =>
          new Promise((done) => {
            box.addEventListener('scroll', done, { once: true })
            box.scrollTo(0, box.scrollHeight)
          }),
      )
      await expect.poll(() => bar.isVisible(), { timeout: 5_000 }).toBe(state === 'visible')
    }
  })

  it('steps aside when something beneath it has the focus (WCAG 2.4.11)', async () => {
    await stage.placard.publish(SAMPLES.post)
    const under = '<a id="under" href="#x" style="position:fixed;bottom:1.5rem;left:50%">Under</a>'
    const page = await visit(`${SITE}${under}${tag()}`, {}, HEAD)
    await shows(page, SAMPLES.post.text)
    const bar = page.locator('placard-link .placard')
    await page.locator('#under').focus()
    await bar.waitFor({ state: 'hidden' })
    expect(await missed(page, '#under')).toBe(0)
    await page.locator('#under').blur()
    await bar.waitFor({ state: 'visible' })
  })

  it('takes no looks that the host gives to the last element of its page', async () => {
    await stage.placard.publish(SAMPLES.post)
    const last = 'background: red; margin: 3rem; padding: 2rem; border: 9px solid'
    const page = await visit(
      SITE + tag(),
      {},
      `${HEAD}<style>body > :last-child { ${last} }</style>`,
    )
    await shows(page, SAMPLES.post.text)
    expect((await place(page)).below).toBe(16)
    const background = await page
      .locator('placard-link')
      .evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(background).toBe('rgba(0, 0, 0, 0)')
  })

  it('keeps above what the host has at the bottom (`--placard-inset`), and below its dialogs', async () => {
    await stage.placard.publish(SAMPLES.post)
    const own = 'position:fixed;inset:auto 0 0;height:4rem;z-index:40'
    const tabs = `<nav style="${own}"><a href="#x">Home</a></nav>`
    const head = `${HEAD}<style>:root { --placard-inset: 4rem }</style>`
    const page = await visit(`${SITE}${tabs}${tag()}`, {}, head)
    await shows(page, SAMPLES.post.text)
    expect((await place(page)).below).toBe(80)
    const atBar = () =>
      page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight - 98)?.localName)
    expect(await atBar()).toBe('placard-link')
    await page.locator('nav').evaluate((nav) => nav.style.setProperty('height', '100vh'))
    expect(await atBar()).toBe('nav')
  })

  it.each([
    ['no-preference', '0.18s'],
    ['reduce', '0s'],
  ] as const)('comes up within 180 ms, or at once (motion: %s)', async (reducedMotion, longest) => {
    const page = await stage.page({ reducedMotion })
    await page.goto(stage.host(SITE + tag(), {}, HEAD))
    await shows(page, 'Your next')
    const element = page.locator('placard-link')
    const place = element.locator('.placard-place')
    const takes = await place.evaluate((one) => getComputedStyle(one).transitionDuration)
    expect([...new Set(takes.split(', '))]).toEqual([longest])
  })
})

describe('live', () => {
  it('follows each change, even an end, and announces only changes to screen readers', async () => {
    const page = await visit(CONTENT + tag())
    const status = page.locator('placard-link [role=status]')
    await shows(page, 'Your next')
    expect(await status.textContent()).toBe('')
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(await status.textContent()).toBe(SAMPLES.post.text)
    await stage.placard.publish({ ...SAMPLES.coupon, expiresAt: Date.now() + 700 })
    await shows(page, SAMPLES.coupon.text)
    // Not the sparkle, which only eyes are meant to see.
    expect(await status.textContent()).toBe(SAMPLES.coupon.text)
    await shows(page, SAMPLES.post.text)
    await stage.placard.withdraw({ type: 'post' })
    await shows(page, 'Your next')
    expect(await layoutShift(page)).toBe(0)
  })

  it.each([
    ['no-preference', ['0.22s', '0.22s']],
    ['reduce', ['0s', '0s']],
  ] as const)(
    'fades from one into the other, and leaves nothing of the old (motion: %s)',
    async (reducedMotion, expected) => {
      await stage.placard.publish(SAMPLES.post)
      const page = await stage.page({ reducedMotion })
      await page.goto(stage.host(CONTENT + tag()))
      await shows(page, SAMPLES.post.text)
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
      await stage.placard.publish(SAMPLES.product)
      const took = await page.evaluate(() => (window as unknown as { took: string[] }).took)
      expect(took).toEqual(expected)
      const texts = page.locator('placard-link .placard-text')
      await expect.poll(() => texts.allTextContents()).toEqual([SAMPLES.product.text])
    },
  )

  it('leaves the reader’s focus and pause where they were', async () => {
    const page = await visit(CONTENT + tag())
    await shows(page, 'Your next')
    await page.locator('placard-link .placard-pause').check()
    await page.locator('placard-link a').focus()
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(await page.locator('placard-link a:focus').count()).toBe(1)
    expect(await page.locator('placard-link .placard-pause').first().isChecked()).toBe(true)
  })

  it('contract N2: asks once more a minute after a first refusal, and then follows', async () => {
    const page = await stage.page()
    await page.clock.install()
    let asked = 0
    await page.route('**/api/events/stream', (route) => {
      if (asked++ === 0) return route.fulfill({ status: 503, body: '{}' })
      return route.continue()
    })
    const refused = page.waitForResponse('**/api/events/stream')
    await page.goto(stage.host(CONTENT + tag('data-lang="en"')))
    await shows(page, 'Your next')
    await refused
    await page.clock.runFor(59_000)
    expect(asked).toBe(1)
    const again = page.waitForResponse('**/api/events/stream')
    await page.clock.runFor(2_000)
    await again
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
  })

  it('while the service is away, tries after ever longer waits, a minute at most, and at once when it is looked at', async () => {
    const page = await stage.page()
    const failed: string[] = []
    page.on('console', (line) => line.type() === 'error' && failed.push(line.text()))
    await page.clock.install()
    let asked = 0
    const cut = 'id: "cut"\ndata: {"event":null}\n\n'
    await page.route('**/api/events/stream', (route) => {
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/event-stream' }
      return asked++ === 0 ? route.fulfill({ headers, body: cut }) : route.abort()
    })
    await page.goto(stage.host(CONTENT + tag('data-lang="en"')))
    await shows(page, 'Your next')
    await page.route('**/embed.html*', (route) => route.abort())
    const during = async (seconds: number) => {
      const before = asked
      for (let i = 0; i < seconds; i++) {
        await page.clock.runFor(1_000)
        await page.evaluate(() => {})
      }
      return asked - before
    }
    const first = await during(60)
    expect(first).toBeGreaterThanOrEqual(4)
    expect(first).toBeLessThanOrEqual(8)
    await during(120)
    expect(await during(300)).toBeLessThanOrEqual(6)
    expect(failed.length).toBeLessThanOrEqual(35)
    const before = asked
    await setHidden(page, true)
    await setHidden(page, false)
    await expect.poll(() => asked, { timeout: 5_000 }).toBeGreaterThan(before)
  })

  it('loads the bar once, however late it comes, and once for a change in the background', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    let asked = 0
    await page.route('**/embed.html*', async (route) => {
      asked++
      const stream = page.waitForResponse(/\/stream$/, { timeout: 300 })
      await stream.catch(() => {})
      await route.continue()
    })
    await page.goto(stage.host(CONTENT + tag('data-lang="de"')))
    await shows(page, SAMPLES.post.text)
    await stage.placard.publish(SAMPLES.product)
    await shows(page, SAMPLES.product.text)
    expect(asked).toBe(2)

    await setHidden(page, true)
    await stage.placard.publish(SAMPLES.coupon)
    await setHidden(page, false)
    await shows(page, SAMPLES.coupon.text)
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(asked).toBe(4)
  })

  it('gives a stream up that is not answered for a minute, and asks meanwhile', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    await page.clock.install()
    let streams = 0
    await page.route('**/api/events/stream', (route) => ++streams > 2 && route.continue())
    await page.goto(stage.host(CONTENT + tag()))
    await shows(page, SAMPLES.post.text)
    await expect.poll(() => streams).toBe(1)
    await page.clock.runFor(59_000)
    expect(streams).toBe(1)
    const givenUp = page.waitForEvent('requestfailed')
    await page.clock.runFor(2_000)
    await givenUp
    await expect.poll(() => streams).toBe(2)

    await stage.placard.publish(SAMPLES.product)
    await page.clock.runFor(60_000)
    await shows(page, SAMPLES.product.text)
    await expect.poll(() => streams).toBe(3)
    await stage.placard.publish(SAMPLES.coupon)
    await shows(page, SAMPLES.coupon.text)
    // One that says in time that it is alive stays.
    await page.clock.runFor(50_000)
    expect(streams).toBe(3)
  })

  it('gives up an answer that does not come, and asks again', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await stage.page()
    let asked = 0
    await page.route('**/embed.html*', (route) => ++asked > 1 && route.continue())
    await page.addInitScript(() => {
      // Chromium counts this time by itself, not by the page's clock.
      const { set } = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, 'timeout') ?? {}
      Object.defineProperty(XMLHttpRequest.prototype, 'timeout', {
        set(time: number) {
          set?.call(this, time / 100)
        },
      })
    })
    await page.goto(stage.host(CONTENT + tag('data-lang="de"')))
    await shows(page, SAMPLES.post.text)
    expect(asked).toBe(2)
  })

  it('asks again when a node does not know yet', async () => {
    const page = await visit(CONTENT + tag())
    await shows(page, 'Your next')
    const old = await (await fetch(`${stage.origin}/embed.html`)).text()
    let lagging = 2
    await page.route('**/embed.html*', (route) => {
      if (lagging-- <= 0) return route.continue()
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/html' }
      return route.fulfill({ body: old, headers })
    })
    await stage.placard.publish(SAMPLES.post)
    await shows(page, SAMPLES.post.text)
    expect(lagging).toBeLessThan(0)
  })

  it('takes the page of a proxy for no answer, leaves up what is up, and asks again', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(CONTENT + tag())
    await shows(page, SAMPLES.post.text)
    let others = 0
    await page.route('**/embed.html*', async (route) => {
      if (others++ > 0) return route.continue()
      const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/html' }
      return route.fulfill({ body: '<title>Sign in to this network</title>', headers })
    })
    await page.evaluate(() => {
      const gone = new Promise<boolean>((resolve) => {
        const root = document.querySelector('placard-link')?.shadowRoot as ShadowRoot
        new MutationObserver(() => {
          const text = root.querySelector('.placard-text')?.textContent
          if (!text || text.includes('Version')) resolve(!text)
        }).observe(root, { childList: true, subtree: true })
      })
      Object.assign(window, { gone })
    })
    await stage.placard.publish({ ...SAMPLES.post, text: 'Version 3 is here' })
    await shows(page, 'Version 3 is here')
    expect([others, await page.evaluate('gone')]).toEqual([2, false])
  })

  it('contract R4: a page that nobody looks at holds no connection, and is current once somebody does', async () => {
    const page = await stage.page()
    const stream = page.waitForRequest(/\/stream$/)
    await page.goto(stage.host(CONTENT + tag('')))
    await shows(page, 'Your next')
    const opened = await stream
    let others = 0
    page.on('request', (request) => (others += request.url().endsWith('/stream') ? 1 : 0))
    await Promise.all([
      page.waitForEvent('requestfailed', (request) => request === opened),
      setHidden(page, true),
    ])
    await stage.placard.publish(SAMPLES.post)
    expect(others).toBe(0)
    await Promise.all([page.waitForRequest(/\/stream$/), setHidden(page, false)])
    await shows(page, SAMPLES.post.text)
  })

  it.each([
    ['told to open none', 'data-live="off"'],
    ['that is kept from it', ''],
  ])('contract A9: hides what has ended without a stream, %s', async (_, attributes) => {
    const page = await stage.page()
    await page.clock.install()
    await page.route('**/api/events/stream', (route) => route.abort())
    await stage.placard.publish({ ...SAMPLES.post, expiresAt: Date.now() + 60_000 })
    await page.goto(stage.host(CONTENT + tag(attributes)))
    await shows(page, SAMPLES.post.text)
    const bar = page.locator('placard-link .placard')
    await page.clock.runFor(58_000)
    expect(await bar.isVisible()).toBe(true)
    await page.context().setOffline(true)
    await page.clock.runFor(5_000)
    await bar.waitFor({ state: 'hidden' })
  })

  it('opens no stream when told not to, and loads again when the page comes into view', async () => {
    const asked: string[] = []
    const page = await stage.page()
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(stage.host(CONTENT + tag('data-live="off"')))
    await shows(page, 'Your next')
    await stage.placard.publish(SAMPLES.post)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await shows(page, SAMPLES.post.text)
    expect(asked).not.toContain('/api/events/stream')
  })
})

it('stays in view as docs/embed.md says, under a header that does, and covers none of it', async () => {
  await stage.placard.publish(SAMPLES.post)
  const room = blockAfter('docs/embed.md', 'The rule may stand in your stylesheet')
  const sticky = blockAfter('docs/embed.md', 'make the element sticky')
  const header =
    '<header style="position:sticky;top:0;height:4rem;z-index:20;background:#eee">Head</header>'
  const page = await visit(
    `${header}<placard-link></placard-link>${CONTENT}${CONTENT}${tag()}`,
    {},
    `<style>body { margin: 0 } ${room} ${sticky}</style>`,
  )
  await shows(page, SAMPLES.post.text)
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const places = await page.evaluate((share) => {
      scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight))
      const { top, bottom } = document.querySelector('placard-link')?.getBoundingClientRect() ?? {}
      return [top, bottom, document.elementFromPoint(20, 90)?.localName]
    }, share)
    // What is scrolled passes beneath it.
    expect(places).toEqual([64, 116, 'placard-link'])
  }
})

it.each([
  ['in a page that is scrolled', 5_000, [true, false, true]],
  ['in a page that is shorter than the window', 300, [true, true, true]],
])('moves only while it is in view, %s', async (_, height, moves) => {
  await stage.placard.publish(SAMPLES.post)
  const page = await visit(
    `<div style="height:${height}px"><placard-link></placard-link></div>${tag()}`,
  )
  await shows(page, SAMPLES.post.text)
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
    expect(await moving()).toEqual(Array(3).fill(moves[i]))
  }
})

describe('closing', () => {
  const line = (page: Page) => page.locator('placard-link .placard')

  it.each([
    ['floating', '', 1],
    ['in a place of the page’s', 'data-target=main', 0],
    ['there, when asked for', 'data-target=main data-dismissible', 1],
  ])('is offered %s: %j', async (_, attributes, buttons) => {
    const page = await visit(CONTENT + tag(attributes))
    await shows(page, 'Your next')
    expect(await page.locator('placard-link button').count()).toBe(buttons)
  })

  it('lasts for what was closed, also after others, and not for an edit', async () => {
    await stage.placard.publish(SAMPLES.post)
    const page = await visit(CONTENT + tag('data-dismissible'))
    await page.getByRole('button', { name: 'Dismiss announcement' }).click()
    await line(page).waitFor({ state: 'hidden' })

    await page.reload()
    await line(page).waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)

    // White space is not an edit.
    await stage.placard.publish({ ...SAMPLES.post, text: 'We wrote  about caching' })
    await page
      .locator('placard-link .placard-text', { hasText: '  ' })
      .waitFor({ state: 'attached' })
    expect(await line(page).isHidden()).toBe(true)

    await stage.placard.publish({ ...SAMPLES.post, text: 'We wrote about queues' })
    await shows(page, 'queues')
    await stage.placard.publish(SAMPLES.post)
    await expect.poll(() => line(page).isHidden()).toBe(true)
    expect(await line(page).textContent()).toContain(SAMPLES.post.text)
  })
})
