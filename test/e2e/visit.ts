import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { pageOf } from '../browser/chromium.ts'
import { httpMount, publish, SECRETS } from '../harness.ts'
import { environmentOf, type Served } from './serve.ts'

export const FALLBACK = 'Read our new guide'

export const mount = ({ url }: Served) => httpMount(url)

/** The bar's text on a page. */
export const textIn = (html: string) => /placard-text"[^>]*>([^<]*)</.exec(html)?.[1]

/** The bar on a page, as a visitor gets it. */
export async function seen({ url }: Served, path = '/') {
  const response = await fetch(url + path)
  return { status: response.status, text: textIn(await response.text()) }
}

/** Signs in to the admin with a link from the command line, and publishes. */
export async function publishInAdmin(url: string, text: string) {
  const env = environmentOf(SECRETS)
  const command = ['bin/placard.mjs', 'open', '--url', url]
  const link = execFileSync(process.execPath, command, { env, encoding: 'utf8' })
  await publishByLink(link.trim(), text)
}

/** Opens the admin with a link, and publishes. */
export async function publishByLink(link: string, text: string) {
  const page = await pageOf()
  await page.goto(link)
  await page.fill('#text', text)
  // Once the preview shows, the script and the session both work.
  await page.locator('.stage .placard-text', { hasText: text }).first().waitFor()
  await page.click('[data-compose] .primary')
  await page.locator('[data-part=now] .words', { hasText: text }).waitFor()
}

/** Checks that pages show the fallback, the API responds with 503, and one log line has these words. */
export async function expectFallback(served: Served, words: string) {
  for (let i = 0; i < 5; i++) {
    expect(await seen(served)).toEqual({ status: 200, text: FALLBACK })
    for (const answer of [await mount(served).fetch('/api/events'), await publish(mount(served))]) {
      expect([answer.status, await answer.json()]).toEqual([503, { error: expect.any(String) }])
    }
  }
  const lines = served.logged().split('\n')
  expect(lines.filter((line) => line.includes(words))).toHaveLength(1)
  expect(served.logged()).not.toMatch(/apiSecret|Error:/)
}

/** Stops an app, and fails unless it ends in time. Returns what its `stop` returned. */
export async function stopWithin(served: Served, ms: number) {
  const asked = performance.now()
  const code = await served.stop()
  expect(performance.now() - asked).toBeLessThan(ms)
  return code
}
