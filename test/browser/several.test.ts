import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import type { DraftInput } from '../../src/core/announcement.ts'
import { definePlacardLink } from '../../src/entries/element.ts'
import { bundled } from './bundle.ts'
import { barOf, holdBack, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

/** Which elements show the bar as script tags, elements and apps come and go. */

const stage = stageForFile()
const { post, coupon, product } = SAMPLES
const publish = (draft: DraftInput) => stage.placard.publish(draft)

beforeEach(() => publish(post))

/** Replaces the content of `main`. */
const fill = (page: Page, html: string) =>
  page.locator('main').evaluate((main, html) => {
    main.innerHTML = html
  }, html)

it("an element replaces only its own service's floating bar, even if its `src` ends in a slash", async () => {
  const other = stage.origin.replace('127.0.0.1', 'localhost')
  const page = await stage.site(
    `<main></main>${stage.tag()}<script src="${other}/embed.js"></script>`,
  )
  const floating = () =>
    page
      .locator('placard-link[data-float]')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.src))
  await expect.poll(async () => (await floating()).sort()).toEqual([stage.origin, other].sort())
  for (const [src, rest] of [
    [`${stage.origin}/`, other],
    [other, stage.origin],
  ]) {
    await fill(page, `<placard-link src="${src}"></placard-link>`)
    await page.locator('main .placard').waitFor()
    expect(await floating()).toEqual([rest])
  }
})

it("an element in the page's shadow root keeps the bar from floating, and dismissing one bar dismisses all", async () => {
  const part = `<div><template shadowrootmode="open">${ROOM}</template></div>`
  const page = await stage.site(part + ROOM + part + stage.tag('data-dismissible'))
  const visible = () => page.locator('placard-link .placard:visible').count()
  await expect.poll(visible).toBe(3)
  await page.locator('placard-link >> nth=0 >> .placard-close').click()
  await expect.poll(visible).toBe(0)
  await page.goto(stage.host(part + stage.tag()))
  await barOf(page)
  expect(await page.locator('placard-link').count()).toBe(1)
})

/** Replaces the page's body, as a router like Turbo does. */
const replaceBody = (page: Page, html: string) =>
  page.evaluate((html) => {
    const body = document.createElement('body')
    body.innerHTML = html
    document.body.replaceWith(body)
  }, html)

it('contract R14: an element in a body that a router swaps in shows the bar before any response', async () => {
  const page = await stage.site(ROOM, { head: stage.tag() })
  await shows(page, post.text)
  holdBack(/\/(embed\.json|stream)/)
  const text = () =>
    page.evaluate(() => {
      const { shadowRoot } = document.querySelector('placard-link') as Element
      return shadowRoot?.querySelector('.placard-text')?.textContent
    })
  await replaceBody(page, ROOM)
  expect(await text()).toBe(post.text)
  await replaceBody(page, `<main lang="de">${ROOM}</main>`)
  expect(await text()).toBe(post.text)
  // A body without the bar in between makes the script forget the announcement.
  await replaceBody(page, '')
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  await replaceBody(page, ROOM)
  expect(await text()).toBeUndefined()
})

it.each([
  ['a tag in the head, even if it is there twice,', 'in each new body', replaceBody],
  ["a tag outside an app's root", 'on each route', fill],
])('%s floats the bar %s without a `<placard-link>`', async (_, __, put) => {
  const [tag, inHead] = [stage.tag(), put === replaceBody]
  const body = `<main>${ROOM}</main>${inHead ? '' : tag}`
  const page = await stage.site(body, { head: inHead ? tag + tag : '' })
  await barOf(page)
  for (const [html, floating] of [
    ['<h1>Second</h1>', 1],
    ['<h1>Third</h1>', 1],
    [ROOM, 0],
    ['<h1>Fifth</h1>', 1],
  ] as const) {
    await put(page, html)
    await expect.poll(() => page.locator('placard-link[data-float]').count()).toBe(floating)
    await barOf(page)
    expect(await page.locator('placard-link').count()).toBe(1)
  }
})

it('a tag in a replaced body floats no bar in the next body, and leaks no memory', async () => {
  const page = await stage.site(`<script>
    watching = new Set()
    const { observe, disconnect } = MutationObserver.prototype
    MutationObserver.prototype.observe = function (...it) { watching.add(this), observe.apply(this, it) }
    MutationObserver.prototype.disconnect = function () { watching.delete(this), disconnect.apply(this) }
  </script>`)
  for (let visits = 0; visits < 2; visits++) {
    await page.evaluate((src) => {
      document.body.append(Object.assign(document.createElement('script'), { src }))
    }, `${stage.origin}/embed.js`)
    await page.locator('placard-link .placard').waitFor({ state: 'attached' })
    await page.evaluate(() => {
      Object.assign(window, { gone: new WeakRef(document.body) })
      document.body.replaceWith(document.createElement('body'))
    })
    expect(await page.locator('placard-link').count()).toBe(0)
    expect(await page.evaluate('watching.size')).toBe(0)
    const isHeld = async () => {
      await page.requestGC()
      return page.evaluate('!!gone.deref()')
    }
    await expect.poll(isHeld).toBe(false)
  }
})

it('the bar floats even if a loader removes the script tag after it has run', async () => {
  const page = await stage.site(`<script>
    const tag = Object.assign(document.createElement('script'), { src: '${stage.origin}/embed.js' })
    tag.onload = () => tag.remove()
    document.head.append(tag)
  </script>`)
  await page.locator('placard-link').waitFor({ state: 'attached' })
  expect(await page.locator('script[src]').count()).toBe(0)
})

it('all elements share one stream, which stays open until the last element is removed', async () => {
  const page = await stage.page()
  const open = new Set<unknown>()
  let streams = 0
  page.on('request', (request) => {
    if (!request.url().includes('/stream?')) return
    streams++
    open.add(request)
  })
  page.on('requestfailed', (request) => open.delete(request))
  await page.goto(stage.host(`${ROOM + ROOM}<div>${stage.tag()}</div>`))
  const everywhere = async (count: number, text: string) => {
    const bars = page.locator('placard-link .placard-text', { hasText: text })
    await expect.poll(() => bars.count()).toBe(count)
  }
  const another = () =>
    page.evaluate((bar) => document.body.insertAdjacentHTML('beforeend', bar), ROOM)
  await everywhere(2, post.text)
  await expect.poll(() => streams).toBe(1)
  await another()
  await everywhere(3, post.text)
  await publish(product)
  await everywhere(3, product.text)

  await page.evaluate(() => document.querySelector('placard-link')?.remove())
  await publish(coupon)
  await everywhere(2, coupon.text)
  expect([streams, open.size]).toEqual([1, 1])
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('placard-link, div')) one.remove()
  })
  await expect.poll(() => open.size).toBe(0)

  // An element added later catches up.
  await publish({ ...post, text: 'Version 3 is here' })
  await another()
  await everywhere(1, 'Version 3')
  await publish(coupon)
  await everywhere(1, coupon.text)
  expect(streams).toBe(2)
})

it('elements in several languages all show the announcement and its changes', async () => {
  const page = await stage.page()
  const inLanguage = (tag: string) => `<placard-link data-lang="${tag}"></placard-link>`
  await page.goto(stage.host(ROOM + inLanguage('fr') + ROOM + inLanguage('de') + stage.tag()))
  const count = (text: string) =>
    page.locator('placard-link .placard-text', { hasText: text }).count()
  await expect.poll(() => count(post.text)).toBe(4)
  await publish(product)
  await expect.poll(() => count(product.text)).toBe(4)
})

it("contract R14, A15: an element never shows another language's bar, after a change or in a later body", async () => {
  const page = await stage.site(
    `<placard-link data-lang="sv"></placard-link><placard-link data-lang="de"></placard-link>${stage.tag()}`,
  )
  await expect.poll(() => page.locator('placard-link .placard').count()).toBe(2)
  await page.evaluate(() => {
    const texts = new Set<string>()
    Object.assign(window, { texts })
    const root = document.querySelector('[data-lang=de]')?.shadowRoot as ShadowRoot
    new MutationObserver(() => {
      texts.add(root.querySelector('.placard:not([inert]) .placard-text')?.textContent ?? '')
    }).observe(root, { subtree: true, childList: true })
  })
  await publish({ ...product, translations: { de: 'Version 2 ist da' } })
  await shows(page, 'Version 2 ist da')
  await shows(page, product.text)
  expect(await page.evaluate('[...texts]')).toEqual(['Version 2 ist da'])
  await replaceBody(page, '<placard-link data-lang="de-AT"></placard-link>')
  await shows(page, 'Version 2 ist da')
  await replaceBody(page, '<placard-link data-lang="nl"></placard-link>')
  await shows(page, product.text)
})

it('no bar floats while a slow app has yet to render its element', async () => {
  const app = await bundled(`import { createElement as h } from 'react'
    import { flushSync } from 'react-dom'
    import { createRoot } from 'react-dom/client'
    const root = createRoot(document.querySelector('#app'))
    const bar = h('placard-link', { style: { minHeight: '3.25rem' } })
    // Otherwise, React would render in a new task, and the page may have loaded by then.
    flushSync(() => root.render(h('main', {}, bar)))`)
  const page = await stage.page()
  const embedded = page.waitForResponse(/embed\.js/)
  await page.route('**/app.js', async (route) => {
    // A floating bar would have appeared by now.
    await (await embedded).finished()
    await page.evaluate(async (origin) => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
      await fetch(`${origin}/api/events`)
    }, stage.origin)
    await route.fulfill({ body: app, contentType: 'text/javascript' })
  })
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const one = document.querySelector('placard-link:not([hidden])')
      if (one) seen.push(one.hasAttribute('data-float') ? 'floating' : 'in its place')
    }).observe(document, { subtree: true, childList: true, attributes: true })
  })
  const script = '<script src="/app.js" async></script>'
  await page.goto(stage.host(`<div id="app"></div>${stage.tag()}${script}`))
  await barOf(page)
  const seen = await page.evaluate<string[]>('seen')
  expect([...new Set(seen)]).toEqual(['in its place'])
})

it.each([
  ['the element, without an error', '<placard-link></placard-link>', '', '', 0],
  [
    'a target whose content it is told to keep, without an error',
    '<p id="top"></p>',
    "id: 'top', suppressHydrationWarning: true, dangerouslySetInnerHTML: { __html: '' }",
    'data-target="#top"',
    0,
  ],
  [
    'a target whose content it replaces, with an error, and the bar returns',
    '<p id="top"></p>',
    "id: 'top'",
    'data-target="#top"',
    1,
  ],
] as const)('React hydrates %s', async (_, html, properties, attributes, faults) => {
  const app = await bundled(`import { createElement as h } from 'react'
    import { hydrateRoot } from 'react-dom/client'
    addEventListener('click', () => {
      window.faults = []
      const one = h('${html.slice(1, html.search(/[ >]/))}', { ${properties} })
      const bar = document.querySelector('placard-link')
      hydrateRoot(document.querySelector('main'), h('div', { ref: () => { window.isKept = bar.isConnected } }, one), {
        onRecoverableError: ({ message }) => window.faults.push(message),
      })
    })`)
  const page = await stage.site(`<main><div>${html}</div></main>${stage.tag(attributes)}`)
  await barOf(page)
  await page.evaluate(app)
  await page.evaluate(() => dispatchEvent(new Event('click')))
  const state = () => page.evaluate('[window.isKept, window.faults?.length]')
  await expect.poll(state).toEqual([faults === 0, faults])
  await page.locator('main placard-link .placard').waitFor()
  expect(await page.locator('placard-link').count()).toBe(1)
})

it('the bar waits for a target that an app renders late, and returns when the app renders the target again', async () => {
  const page = await stage.site(`<main></main>${stage.tag('data-target="#top"')}`)
  for (let time = 0; time < 2; time++) {
    await fill(page, '<div id="top"></div>')
    await page.locator('#top .placard').waitFor()
    expect(await page.locator('placard-link').count()).toBe(1)
  }
})

it('contract R14: an element that an app renders after the page has loaded shows the latest change', async () => {
  const page = await stage.page()
  await page.route('**/stream?*', (route) => route.abort())
  await page.goto(stage.host(`<main>${ROOM}</main>${stage.tag()}`))
  await shows(page, post.text)
  await publish(product)
  await fill(page, ROOM)
  await shows(page, product.text)
  await expect.poll(() => page.locator('placard-link .placard').count()).toBe(1)
})

it('definePlacardLink() is safe on a server, beside the script tag, and again after a hot reload', async () => {
  expect(definePlacardLink).not.toThrow()
  const broken: unknown[] = []
  const page = await stage.page()
  page.on('pageerror', (error) => broken.push(error))
  const define = `import { definePlacardLink } from './src/entries/element.ts'; definePlacardLink()`
  const [tag, content] = [stage.tag(), await bundled(define)]
  await page.goto(stage.host(`<placard-link src="${stage.origin}"></placard-link>`))
  for (const _ of ['first', 'hot reload']) await page.addScriptTag({ content })
  await shows(page, post.text)
  await page.goto(stage.host(ROOM + tag))
  await barOf(page)
  await page.addScriptTag({ content })
  await shows(page, post.text)
  expect(broken).toEqual([])
})
