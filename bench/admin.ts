import type { Page } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { noteKeystrokes, seeing } from '../test/browser/waits.ts'
import { SECRET, startPlacard } from './processes.ts'
import { atMost, percentile, type Row } from './report.ts'

/** Measures how soon the admin previews typed text, and how soon an open page shows what the admin publishes. */
export async function benchAdmin(
  { changes, keystrokes }: { changes: number; keystrokes: number },
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  const browser = await launchChromium()
  try {
    const [admin, elsewhere] = [await browser.newPage(), await browser.newPage()]
    await admin.goto(await link(placard.url))
    await admin.locator('[data-compose]').waitFor()
    progress(`admin: ${keystrokes} keystrokes`)
    const previews = await typing(admin, keystrokes)

    await elsewhere.goto(placard.url)
    const publications: number[] = []
    for (let change = 0; change < changes; change++) {
      progress(`admin: publication ${change + 1} of ${changes}`)
      // Each address may make ten writes in ten seconds.
      await admin.setExtraHTTPHeaders({ 'X-Forwarded-For': `10.2.0.${change}` })
      const text = `Change number ${change}`
      await admin.fill('#text', text)
      const seen = elsewhere.evaluate(seeing, text)
      const pressed = await admin.evaluate(() => {
        document.querySelector<HTMLButtonElement>('[data-compose] .primary')?.click()
        return performance.timeOrigin + performance.now()
      })
      publications.push((await seen) - pressed)
      await admin.waitForFunction(
        () => document.querySelector<HTMLTextAreaElement>('#text')?.value === '',
      )
      await admin.locator('[data-compose] .primary:not([aria-busy=true])').waitFor()
    }
    const [typed, seen] = [percentile(previews, 0.95), percentile(publications, 0.95)]
    return [
      atMost(50, 'keystroke → preview in the admin, p95', typed, 'ms', 0),
      atMost(100, 'published in the admin → open page changed, p95', seen, 'ms', 0),
    ]
  } finally {
    await browser.close()
    await placard.stop()
  }
}

export async function link(url: string): Promise<string> {
  const headers = { Authorization: `Bearer ${SECRET}`, 'X-Forwarded-For': '10.2.1.1' }
  const response = await fetch(`${url}/admin/links`, { method: 'POST', headers })
  const made = (await response.json()) as { url: string }
  return `${url}/admin${new URL(made.url).hash}`
}

async function typing(page: Page, keystrokes: number): Promise<number[]> {
  await page.focus('#text')
  await page.evaluate(noteKeystrokes)
  for (let key = 1; key <= keystrokes; key++) {
    await page.keyboard.press(String(key % 10))
    // The first preview appears at the third character.
    if (key > 2) await page.waitForFunction((count) => window.waits.length === count, key - 2)
  }
  return page.evaluate(() => window.waits)
}
