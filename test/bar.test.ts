import { describe, expect, it } from 'vitest'
import { recallClosing } from '../src/bar/dismissal.ts'
import { iconBody } from '../src/bar/icon.ts'
import { placardHtml as html } from '../src/bar/markup.ts'
import { dismissScript, endScript } from '../src/bar/scripts.ts'
import { type BarContent, chooseView } from '../src/bar/view.ts'
import { textKey } from '../src/core/checksum.ts'

const post: BarContent = { text: 'We wrote about caching', type: 'post', slug: '/blog/caching' }
const spare: BarContent = { text: 'Nothing new today', type: 'post', slug: '#none', icon: null }

/** Links that break A7, which an old row or a fallback file might contain. */
const HOSTILE_LINKS = [
  'java\tscript:alert(1)',
  '//evil.example/x',
  '/blog/\u202egnihcac',
  undefined as unknown as string,
]

describe('chooseView (spec 2, display rules)', () => {
  it('rules 1 and 2: returns the event with a link to its slug, otherwise the fallback, otherwise nothing', () => {
    expect(chooseView(post, spare)).toMatchObject({ text: post.text, href: '/blog/caching' })
    expect(chooseView(null, spare)).toMatchObject({ text: spare.text })
    expect(chooseView(undefined, null)).toBeNull()
  })

  it.each(HOSTILE_LINKS)('never returns the link %j (contract A7)', (slug) => {
    expect(chooseView({ ...post, slug }, spare)?.text).toBe(spare.text)
    expect(chooseView(null, { ...spare, slug })).toBeNull()
  })

  it('never returns a text that breaks contract A6', () => {
    expect(chooseView({ ...post, text: 'a\u202eb\u202ec' }, spare)?.text).toBe(spare.text)
    expect(chooseView({ ...post, text: '  ' }, null)).toBeNull()
    expect(chooseView({ ...post, text: '\ufffe\u0378\ue000' }, null)).toBeNull()
    expect(chooseView({ ...post, text: 5 as unknown as string }, null)).toBeNull()
  })

  it('trims the text and the link of an old database row', () => {
    const old = { ...post, text: '\t We wrote \n', slug: ' /blog\n' }
    expect(chooseView(old, null)).toMatchObject({ text: 'We wrote', href: '/blog' })
  })
})

describe('iconBody (contract A8)', () => {
  it.each([
    ['newspaper', 'Newspaper'],
    ['arrow-down-0-1', 'ArrowDown01'],
    ['arrow-up-a-z', 'ArrowUpAZ'],
    ['grid-3x3', 'Grid3x3'],
    ['axis-3d', 'Axis3d'],
  ])('finds %s by its Pascal-case name %s too', (kebab, pascal) => {
    expect(iconBody(kebab)).toContain('<')
    expect(iconBody(pascal)).toBe(iconBody(kebab))
  })

  it('finds an icon by its former name', () => {
    expect(iconBody('alarm-check')).toBe(iconBody('alarm-clock-check'))
  })

  it.each(['constructor', '__proto__', 'no-such-icon', '-', ''])(
    "returns null for %j, which isn't the name of an icon",
    (name) => expect(iconBody(name)).toBeNull(),
  )
})

// html.test.tsx checks that React renders the same.
describe('the markup', () => {
  it('rules 2 and 3: is a link to the slug, which opens in a new tab only for a product', () => {
    const link = '<a class="placard-link" href="/blog/caching"'
    for (const type of ['post', 'coupon']) {
      expect(html({ event: { ...post, type } }), type).toContain(`${link}>`)
    }
    const product = { ...post, type: 'product' }
    expect(html({ event: product })).toContain(`${link} target="_blank" rel="noopener">`)
  })

  it('rule 4: has the icon, or the sparkle if the icon is missing or unknown', () => {
    const withIcon = (icon: string | null) => html({ event: { ...post, icon } })
    for (const known of ['newspaper', 'Newspaper']) {
      expect(withIcon(known)).toMatch(/class="placard-icon".*<path/)
      expect(withIcon(known)).not.toContain('✦')
    }
    for (const other of ['no-such-icon', null, '"><script>']) {
      expect(withIcon(other)).toContain('✦')
      expect(withIcon(other)).not.toMatch(/placard-icon|<script/)
    }
  })

  it.each([
    ['en', '(opens in a new tab)'],
    ['de-AT', '(wird in einem neuen Tab geöffnet)'],
    ['ar', '(يُفتح في علامة تبويب جديدة)'],
  ])("says in %s that a product's link opens in a new tab", (locale, label) => {
    expect(html({ event: { ...post, type: 'product' }, locale })).toContain(label)
    expect(html({ event: post, locale })).not.toContain(label)
  })

  it('escapes HTML in the text and the link', () => {
    const event = { ...post, text: '<img src=x onerror=alert(1)>', slug: '/x"onclick="alert(1)' }
    const out = html({ event })
    expect(out).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(out).not.toContain('"onclick=')
  })

  it('marks emoji, so they keep their colours', () => {
    const out = html({ event: { ...post, text: 'Hi 👩‍👩‍👧🎉 you' } })
    expect(out).toContain('Hi <span class="placard-emoji">👩‍👩‍👧🎉</span> you')
    for (const emoji of ['1️⃣', '🇩🇪🇫🇷', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☝🏻', '👍🏻👍', '🏃‍♀️', '👩‍❤️‍👨', '™️']) {
      const text = `Hi ${emoji} you`
      expect(html({ event: { ...post, text } })).toContain(
        `Hi <span class="placard-emoji">${emoji}</span> you`,
      )
    }
    expect(html({ event: { ...post, text: '3 × 5 © ™ ❤ ★ #1' } })).not.toContain('placard-emoji')
  })

  it('has a title attribute if the text may be cut off', () => {
    const text = 'A long story '.repeat(4).trim()
    expect(html({ event: { ...post, text } })).toContain(` title="${text}"`)
    expect(html({ event: post })).not.toContain('title=')
  })

  it('can be dismissed only with `dismissible`, which also adds the script for dismissing', () => {
    expect(html({ event: post })).not.toMatch(/<button|<script|data-key/)
    const out = html({ event: { ...post, expiresAt: 5 }, dismissible: true, nonce: 'n' })
    expect(out).toContain(`data-key="${textKey(post.text)}" data-until="5"`)
    expect(out).toContain(`<script nonce="n">${dismissScript}</script>`)
  })
})

describe('contract N4: hiding at the end', () => {
  it('adds a script only with `hideAtEnd`, after the script for dismissing and before the bar', () => {
    const event = { ...post, expiresAt: 5 }
    expect(html({ event })).toMatch(/data-until="5"/)
    expect(html({ event })).not.toContain('<script')
    expect(html({ event, hideAtEnd: true, nonce: 'n' })).toMatch(
      /^<script nonce="n">[\s\S]*data-until="5">/,
    )
    const both = html({ event, hideAtEnd: true, dismissible: true })
    const scripts = `<script>${dismissScript}</script><script>${endScript}</script>`
    expect(both.startsWith(scripts)).toBe(true)
  })

  it.each([
    ['dismissing', recallClosing, dismissScript],
    ['hiding at the end', endScript.slice(0, -2), endScript],
  ])('the script for %s is self-contained', (_, source, script) => {
    expect(() => new Function(`return ${source}`)()).not.toThrow()
    expect(script).not.toMatch(/<\/|<!--/)
  })
})

it("scripts are rendered even without a bar, because scripts inserted with a later bar don't run", () => {
  expect(html({ event: null, dismissible: true, hideAtEnd: true, nonce: 'n' })).toBe(
    `<script nonce="n">${dismissScript}</script><script nonce="n">${endScript}</script>`,
  )
  expect(html({ event: null })).toBe('')
})

it('a dismissed text stays dismissed in every language, even if its white space changes', () => {
  const translations = { de: 'Neues vom Cache' }
  const keyOf = (event: BarContent, locale = 'en') =>
    /data-key="([^"]+)"/.exec(html({ event, locale, dismissible: true }))?.[1]
  const key = keyOf(post)
  for (const edit of [{ slug: '/b' }, { type: 'coupon' }, { icon: 'x' }, { translations }]) {
    expect(keyOf({ ...post, ...edit })).toBe(key)
  }
  expect(keyOf({ ...post, text: ` ${post.text.replace(' ', '  ')}` })).toBe(key)
  expect(keyOf({ ...post, text: 'We wrote' })).not.toBe(key)
  expect(keyOf({ ...post, translations }, 'de')).toBe(key)
})
