import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { type AdminStage, openAdminStage } from './admin-stage.ts'
import { forFile } from './stage.ts'

/** One admin stage for all tests of a file, cleared before each; each test fails if a page reports an error. */
export function stageForAll(): AdminStage {
  const stage = forFile(openAdminStage)
  afterEach(() => expect(stage.broken).toEqual([]))
  return stage
}

/** Opens the admin, signed in, with a text already typed. */
export async function drafting(
  stage: AdminStage,
  text: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await stage.signedIn(options)
  await page.fill('#text', text)
  return page
}

/** Whether the focused element matches. */
export const hasFocus = (page: Page, selector: string) =>
  page.evaluate((it) => document.activeElement?.matches(it), selector)

/** The text of an announcement in the list of published ones. */
export const inNow = (page: Page, text: string) =>
  page.locator('[data-part=now] .words', { hasText: text })

/** Waits until the notice says this. */
export const done = (page: Page, text: string) =>
  page.locator('.notice', { hasText: text }).waitFor()

/** Presses the draft's main button, and waits until the notice says this. */
export async function press(page: Page, text: string): Promise<void> {
  await page.click('[data-compose] .primary')
  await done(page, text)
}

/** Expands the section with the times or the translations. */
export const unfold = (page: Page, part: 'times' | 'translations') =>
  page
    .locator('.more summary')
    .nth(part === 'times' ? 0 : 1)
    .click()

/** Adds the first translation to a draft; the section must still be collapsed. */
export async function translate(page: Page, tag: string, text: string): Promise<void> {
  await unfold(page, 'translations')
  await page.fill('[name=tag]', tag)
  await page.fill('[name=translation]', text)
}
