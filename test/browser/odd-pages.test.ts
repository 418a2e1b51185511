import { describe, expect, it } from 'vitest'
import { blockAfter } from '../printed.ts'
import { bundled } from './bundle.ts'
import { barOf, layoutShift, ROOM, SAMPLES, shows, stageForFile } from './stage.ts'

/** The bar works on pages that do something unusual. */

const stage = stageForFile()
const { post, coupon, product } = SAMPLES

describe('a fragment link', () => {
  it.each([
    ['#rabatte-f%C3%BCr-alle', '<i id="rabatte-für-alle"></i>'],
    ['#my%20offer', '<i id="my offer"></i>'],
    ['#50%25', '<i id="50%"></i>'],
    ['#a%20b', '<i id="a%20b"></i>'],
    ['#offer', '<a name="offer"></a>'],
    ['#f%C3%BCr', '<a name="für"></a>'],
    ['#top', ''],
    ['#Top', ''],
    ['#', ''],
  ])('leads to its target on the page, as an ordinary link does: %s', async (slug, target) => {
    await stage.placard.publish({ ...coupon, slug })
    const page = await stage.site(ROOM + target + stage.tag('data-coupon-href="/offer"'))
    const link = (await barOf(page)).locator('a')
    await link.click()
    expect([new URL(page.url()).pathname, new URL(page.url()).hash || '#']).toEqual(['/', slug])
  })

  it.each(['#offer', '#a%', '#%FF', '#top-offers'])(
    "leads to the page's data-coupon-href if %s isn't there",
    async (slug) => {
      await stage.placard.publish({ ...coupon, slug })
      const page = await stage.site(
        `${ROOM}<b name="offer"></b>${stage.tag('data-coupon-href="/offer"')}`,
      )
      expect(await (await barOf(page)).locator('a').getAttribute('href')).toBe('/offer')
    },
  )
})

it.each([
  ['_blank', post, '_self'],
  ['_BLANK', coupon, '_self'],
  ['reader', post, '_self'],
  ['_top', post, '_self'],
  ['_blank', product, '_blank'],
] as const)(
  'display rule 3: on a page with <base target="%s">, the link of %o has the target %s',
  async (target, draft, opens) => {
    await stage.placard.publish(draft)
    const page = await stage.site(ROOM + stage.tag(), { head: `<base target="${target}">` })
    expect(await (await barOf(page)).locator('a').getAttribute('target')).toBe(opens)
  },
)

it.each(['', 'data-collapse', 'data-float'])(
  "<placard-link %s />, which HTML doesn't close, hides nothing of the page",
  async (attributes) => {
    const page = await stage.page()
    await page.goto(stage.host(`<placard-link ${attributes} /><h1>The rest</h1>${stage.tag()}`))
    await page.locator('placard-link .placard').waitFor({ state: 'attached' })
    expect(await page.locator('h1').isVisible()).toBe(true)
  },
)

it.each([
  ['a frame', `document.body.appendChild(document.createElement('iframe')).contentDocument`],
  ['another window', `window.open('about:blank').document`],
])('a bar moved into %s shows and follows changes there', async (_, place) => {
  await stage.placard.publish(post)
  const page = await stage.site(ROOM + stage.tag('data-dismissible'))
  await barOf(page)
  await page.evaluate(
    `moved = document.querySelector('placard-link'); there = ${place}; there.body.append(moved)`,
  )
  const look = () =>
    page.evaluate(() => {
      const { moved } = window as unknown as { moved: Element }
      const bar = moved.shadowRoot?.querySelector('.placard') as HTMLElement | null
      const radius = bar && moved.ownerDocument.defaultView?.getComputedStyle(bar).borderRadius
      return [bar?.querySelector('.placard-text')?.textContent, radius]
    })
  await expect.poll(look).toEqual([post.text, '1000px'])
  await stage.placard.publish(product)
  await expect.poll(look).toEqual([product.text, '1000px'])
})

it.each(['', 'data-target="#top"'])(
  'a Turbo page refresh that morphs the page leaves the bar alone if its tag has "%s"',
  async (attributes) => {
    await stage.placard.publish(post)
    const page = await stage.site(
      `<main><p id="top" style="height: 3.25rem"></p></main>${stage.tag(attributes)}`,
    )
    const bar = await barOf(page)
    await bar.locator('.placard-pause').check({ force: true })
    await bar.evaluate((bar) => Object.assign(window, { bar }))
    const top = async () => (await bar.boundingBox())?.y
    const before = await top()
    // This is how Turbo 8 morphs a page.
    const refresh = await bundled(`import { Idiomorph } from 'idiomorph'
    const stays = (node) => !(node instanceof Element && node.hasAttribute('data-turbo-permanent'))
    const next = document.createElement('body')
    next.innerHTML = '<main><p id="top" style="height: 3.25rem"></p><h1>New</h1></main>'
    Idiomorph.morph(document.body, next, { callbacks: { beforeNodeMorphed: stays, beforeNodeRemoved: stays } })`)
    await page.evaluate(refresh)
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('placard-link').count()).toBe(1)
    expect(await bar.evaluate((bar) => bar === (window as unknown as { bar: Element }).bar)).toBe(
      true,
    )
    expect(await page.locator('placard-link :checked').count()).toBe(1)
    expect(await top()).toBe(before)
  },
)

it('with the rule in docs/embed.md, the bar shifts nothing on a page that hides undefined elements', async () => {
  await stage.placard.publish(post)
  const rule = blockAfter('docs/embed.md', 'You can put the rule in your stylesheet')
  const { page, release } = await stage.held()
  const head = `<style>:not(:defined) { display: none } ${rule}</style>`
  await page.goto(
    stage.host(`<placard-link></placard-link><h1>Below</h1>${stage.tag()}`, {}, head),
    {
      waitUntil: 'commit',
    },
  )
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
  release()
  await shows(page, post.text)
  expect(await layoutShift(page)).toBe(0)
})
