import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { AdminStage } from '../browser/admin-stage.ts'
import { violations } from '../browser/axe.ts'
import { cutOff, overflow, smallTargets } from '../browser/fits.ts'
import { tabOf } from '../engines/chromium.ts'

const HOUR = 3_600_000

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller'

/** Publishes and schedules announcements that are hard to fit on a page. @returns the id of the coupon */
export async function fill(stage: AdminStage): Promise<string> {
  // Hostile as well as long: nothing in it may run.
  const text =
    '<img src=x onerror=alert(1)> until Monday, and a long text that no phone has the room for'
  const translations = { de: '25 % bis Montag <script>alert(2)</script>' }
  const coupon = { text, type: 'coupon', slug: '#coupon', icon: 'gift', translations } as const
  const { id } = await stage.placard.publish(coupon)
  await stage.placard.publish({ text: LONG_WORD, type: 'post', slug: '/search' })
  // This post will replace the other for good; the page says so in one sentence with both texts.
  const startsAt = Date.now() + 48 * HOUR
  await stage.placard.publish({ text: `Later: ${text}`, type: 'post', slug: '/', startsAt })
  await stage.placard.publish({
    text: 'Version 2 is here',
    type: 'product',
    slug: `/a/very/long/path/that/has/to/break/somewhere/or/the/page/would/be/wider/than/a/phone?"'><svg/onload=alert(3)>`,
    translations: { de: 'Version 2 ist da', ar: 'الإصدار 2 متاح الآن' },
    startsAt: Date.now() + 24 * HOUR,
    expiresAt: Date.now() + 72 * HOUR,
  })
  return id
}

/** Each view in each of its states, which `act` creates. */
const VIEWS: [string, string, (page: Page, stage: AdminStage) => Promise<unknown>][] = [
  ['announcement', '/admin', async () => {}],
  [
    'announcement with a draft',
    '/admin?edit=coupon',
    async (page, stage) => {
      for (const summary of await page.locator('.more summary').all()) {
        const open = await summary.evaluate((it) => (it.parentElement as HTMLDetailsElement).open)
        if (!open) await summary.click()
      }
      await page.fill('#slug', 'javascript:x')
      await page.fill('#from', '2027-10-31T02:30')
      // The preview with both faults.
      await page.locator('#from[aria-invalid=true]').waitFor()
      await stage.placard.withdraw({ type: 'coupon' })
      await page.locator('.conflict a').waitFor()
      await page.focus('#icon')
      await page.locator('#icons button').first().waitFor()
    },
  ],
  ['history', '/admin/history', async () => {}],
  ['on your site', '/admin/site', async () => {}],
]

/** `npm run engines` tests all of them, other runs only the first two. */
const LOOKS = [
  ['light', { colorScheme: 'light' }, 'en'],
  [
    '360 px, dark, right to left',
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
    'ar',
  ],
  ['dark', { colorScheme: 'dark' }, 'en'],
  ['right to left', { colorScheme: 'light' }, 'ar'],
  ['360 px', { viewport: { width: 360, height: 740 } }, 'de'],
  // The narrowest window in which the buttons are beside the text; German has the longest ones.
  ['834 px', { viewport: { width: 834, height: 900 } }, 'de'],
  ['1280 px at 400 %', { viewport: { width: 320, height: 225 } }, 'de'],
] as const

/**
 * The admin's views in Chromium: what axe finds, and what doesn't fit.
 *
 * @param all whether to test each width, theme and direction, as `npm run engines` does, or two of them
 */
export function adminViews(stage: AdminStage, all: boolean): void {
  it.each(all ? LOOKS : LOOKS.slice(0, 2))(
    '%s: axe finds no fault, everything fits, and no text runs as code',
    async (_, options, lang) => {
      const coupon = await fill(stage)
      const signIn = await stage.page({ ...options, locale: lang })
      await signIn.goto(`${stage.origin}/admin`)
      expect(await violations(signIn), 'sign in').toEqual([])
      if (lang === 'en') expect(await underThePointer(signIn), 'sign in').toEqual([])
      expect(await overflow(tabOf(signIn)), 'sign in').toEqual([])
      await signIn.goto(await stage.link('<b onclick=alert(4)>Anna'))
      await signIn.locator('[data-compose]').waitFor()
      for (const [name, path, act] of VIEWS) {
        await signIn.goto(stage.origin + path.replace('=coupon', `=${coupon}`))
        await act(signIn, stage)
        expect(await signIn.locator('main img, main script, .who b').count(), name).toBe(0)
        expect(await violations(signIn), name).toEqual([])
        // Neither the width nor the direction changes a colour.
        if (lang === 'en') expect(await underThePointer(signIn), name).toEqual([])
        expect(await overflow(tabOf(signIn)), name).toEqual([])
        expect(await smallTargets(tabOf(signIn)), name).toEqual([])
        expect(await cutOff(tabOf(signIn)), name).toEqual([])
        const texts = signIn.locator(':is(.rows, .entries) .content')
        const widths = await texts.evaluateAll((all) => all.map((one) => one.clientWidth))
        expect(Math.min(...widths), name).toBeGreaterThan(240)
      }
    },
  )
}

/** Everything whose contrast is too low while the pointer is on it. */
async function underThePointer(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const { root } = await session.send('DOM.getDocument')
  const selector = 'a, button, summary, label, label span'
  const { nodeIds } = await session.send('DOM.querySelectorAll', { ...root, selector })
  const forcedPseudoClasses = ['hover']
  await Promise.all(
    nodeIds.map((nodeId) => session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses })),
  )
  const found = await violations(page, selector, ['color-contrast'])
  await session.detach()
  return found
}
