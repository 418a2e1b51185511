import { execFileSync } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { API_SECRET, clear, httpMount, nextAddress, STRIPE_SECRET } from '../harness.ts'

const FALLBACK = 'Vesper ships from Bergen in three days'

describe('the admin in Next.js', () => {
  const url = inject('url')
  const mount = httpMount(url, API_SECRET, STRIPE_SECRET)
  /** Violations of the policy, script errors, and files that could not be loaded. */
  const broken: string[] = []
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
    await clear(mount)
  })
  afterAll(async () => {
    await browser.close()
    await clear(mount)
  })

  async function open(address: string): Promise<Page> {
    // Of an address of its own, because what has none shares the allowance of the socket.
    const extraHTTPHeaders = { 'x-forwarded-for': nextAddress() }
    const page = await (await browser.newContext({ locale: 'en-US', extraHTTPHeaders })).newPage()
    page.setDefaultTimeout(10_000)
    page.on('pageerror', ({ message }) => broken.push(message))
    page.on('console', (line) => {
      // Without a session, the page asks once whether there is one.
      if (line.type() === 'error' && !line.text().includes('401')) broken.push(line.text())
    })
    await page.goto(address)
    return page
  }
  const bar = async (path = '/en') =>
    /placard-text"[^>]*>([^<]*)</.exec(await (await fetch(url + path)).text())?.[1]

  it('contract O1 to O4: link and secret sign in, each change is on the next page, and pages are live', async () => {
    const env = { ...process.env, EVENT_API_SECRET: API_SECRET }
    const command = ['bin/placard.mjs', 'open', '--for', 'Anna', '--url', url]
    const link = execFileSync(process.execPath, command, { env, encoding: 'utf8' }).trim()
    const anna = await open(link)
    await anna.locator('[data-compose]').waitFor()
    expect(anna.url()).toBe(`${url}/admin`)
    const other = await open(`${url}/admin`)
    await other.fill('#secret', API_SECRET)
    await other.click('.sign-in .primary')
    await other.locator('[data-compose]').waitFor()

    await anna.fill('#text', 'From the admin')
    // The admin's own script and styles show it.
    await anna.locator('.stage .placard-text', { hasText: 'From the admin' }).first().waitFor()
    await anna.click('[data-compose] .primary')
    await anna.locator('.notice', { hasText: 'Published' }).waitFor()
    expect(await bar()).toBe('From the admin')
    await other.locator('[data-part=now] .words', { hasText: 'From the admin' }).waitFor()

    await other.goto(`${url}/admin/history`)
    await other.getByText('Anna').first().waitFor()
    await other.locator('.entries [action$=undo] button').first().click()
    await other.locator('.notice', { hasText: 'Undone' }).waitFor()
    expect(await bar()).toBe(FALLBACK)
    await anna.locator('[data-part=now] .empty').waitFor()
    expect(broken).toEqual([])
  })
})
