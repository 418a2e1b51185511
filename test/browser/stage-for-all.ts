import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { type AdminStage, openAdminStage } from './admin-stage.ts'
import { forFile } from './stage.ts'

/** A stage for all tests of a file. It is cleared before each, and in none of them may anything break. */
export function stageForAll(): AdminStage {
  const stage = forFile(openAdminStage)
  afterEach(() => expect(stage.broken).toEqual([]))
  return stage
}

/** A page that is signed in, with a text typed. */
export async function drafting(
  stage: AdminStage,
  text: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await stage.signedIn(options)
  await page.fill('#text', text)
  return page
}

/** Whether what has the focus is one of these. */
export const hasFocus = (page: Page, selector: string) =>
  page.evaluate((it) => document.activeElement?.matches(it), selector)

/** The text of an announcement in the list of those that are up. */
export const inNow = (page: Page, text: string) =>
  page.locator('[data-part=now] .words', { hasText: text })

/** Waits for what the notice says. */
export const done = (page: Page, text: string) =>
  page.locator('.notice', { hasText: text }).waitFor()

/** Presses the button of the draft, and waits for what the notice says then. */
export async function press(page: Page, text: string): Promise<void> {
  await page.click('[data-compose] .primary')
  await done(page, text)
}

/** Unfolds the times, or the translations. */
export const unfold = (page: Page, part: 'times' | 'translations') =>
  page
    .locator('.more summary')
    .nth(part === 'times' ? 0 : 1)
    .click()

/** Writes the first translation of a draft, where nothing is unfolded. */
export async function translate(page: Page, tag: string, text: string): Promise<void> {
  await unfold(page, 'translations')
  await page.fill('[name=tag]', tag)
  await page.fill('[name=translation]', text)
}
