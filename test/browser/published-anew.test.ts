import { expect, it } from 'vitest'
import { placardHtml } from '../../src/bar/markup.ts'
import type { Announcement } from '../../src/core/announcement.ts'
import { ROOM, SAMPLES, stageForFile } from './stage.ts'

/** A dismissal lasts until the announcement's end as the reader's browser last knew it. */

const stage = stageForFile()
const { post } = SAMPLES
const HOUR = 3_600_000
const end = Date.now() + HOUR
/** The announcement an hour after that end, with the same text: `timestamp`, `expiresAt`, and whether it shows again. */
const LATER = [
  ['an end that was postponed', [end - HOUR, end + 9 * HOUR], false],
  ['an end that was removed', [end - HOUR, null], false],
  ['an announcement that replaced the first before its end', [end - 1, end + 9 * HOUR], false],
  ['an announcement that was published at its end', [end, end + 9 * HOUR], true],
  ['an announcement that was published later, without an end', [end + 1, null], true],
] as const
const FORMS = [
  ['the element', () => ROOM + stage.tag('data-dismissible')],
  ["an app's own HTML", (event: Announcement) => placardHtml({ event, dismissible: true })],
] as const

it.each(FORMS.flatMap(([form, body]) => LATER.map((later) => [form, ...later, body] as const)))(
  'a dismissed text shows again in %s only if it is published again after its end: %s',
  async (_, __, [timestamp, expiresAt], isShown, body) => {
    const event = {
      ...post,
      id: 'a',
      coupon: null,
      translations: null,
      by: { via: 'api' as const },
    }
    const first = { ...event, timestamp: end - HOUR, expiresAt: end }
    stage.hold(first)
    const page = await stage.site(body(first))
    await page.getByRole('button', { name: 'Dismiss announcement' }).first().click()
    await expect.poll(() => page.locator('.placard').first().isVisible()).toBe(false)
    const second = { ...event, timestamp, expiresAt }
    stage.hold(second)
    await page.clock.install({ time: end + HOUR })
    await page.goto(stage.host(body(second)))
    const bar = page.locator('.placard').first()
    await bar.waitFor({ state: 'attached' })
    expect(await bar.isVisible()).toBe(isShown)
  },
)
