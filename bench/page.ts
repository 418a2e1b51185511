import { launchChromium } from '../test/browser/chromium.ts'
import { seeing } from '../test/browser/waits.ts'
import { publish, startPlacard } from './processes.ts'
import { atMost, percentile, type Row } from './report.ts'

/** Measures the time from the response to a write until an open page shows the change. */
export async function benchPage(changes: number, progress: (text: string) => void): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  const browser = await launchChromium()
  const waits: number[] = []
  try {
    const page = await browser.newPage()
    await page.goto(placard.url)
    for (let change = 0; change < changes; change++) {
      progress(`open page: change ${change + 1} of ${changes}`)
      const text = `Change number ${change}`
      const seen = page.evaluate(seeing, text)
      await publish(placard.url, text, `10.1.0.${change}`)
      const answered = performance.timeOrigin + performance.now()
      waits.push((await seen) - answered)
    }
  } finally {
    await browser.close()
    await placard.stop()
  }
  const p95 = percentile(waits, 0.95)
  return [atMost(100, 'write answered → open page changed in Chromium, p95', p95, 'ms', 0)]
}
