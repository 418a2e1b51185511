import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContextOptions } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { publish, startPlacard } from './processes.ts'
import { atMost, type Row } from './report.ts'

/** Measures the CPU time that the bar costs an open page. */
export async function benchIdlePage(
  seconds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><title>A site</title><body style="height:5000px">
      <div id="top" style="min-height:3.25rem"></div>
      <script src="${placard.url}/embed.js" data-target="#top" async></script>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`

  async function measure(options: BrowserContextOptions, scrolled = 0) {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage(options)
      await page.goto(url)
      await page.locator('.placard').waitFor()
      await page.evaluate((y) => scrollTo(0, y), scrolled)
      const session = await page.context().newCDPSession(page)
      await session.send('Performance.enable')
      const thread = async () => {
        const { metrics } = await session.send('Performance.getMetrics')
        return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
      }
      // Work left over from loading doesn't count.
      await pause(2_000)
      const [before, cpuBefore] = [await thread(), cpuSeconds(placard.pid)]
      await pause(seconds * 1000)
      const [after, cpuAfter] = [await thread(), cpuSeconds(placard.pid)]
      return {
        thread: (1000 * (after - before)) / seconds,
        cores: (100 * (cpuAfter - cpuBefore)) / seconds,
      }
    } finally {
      await browser.close()
    }
  }

  try {
    await publish(placard.url, 'Everything is 25% off until Monday at noon', '10.1.0.1')
    progress('idle page: the bar in view')
    const seen = await measure({})
    progress('idle page: the bar out of view')
    const away = await measure({}, 4_000)
    progress('idle page: with reduced motion')
    const still = await measure({ reducedMotion: 'reduce' })
    return [
      atMost(3, 'an open page with the bar: main thread time per second', seen.thread, 'ms'),
      atMost(15, 'an open page with the bar: all of Chromium, share of a core', seen.cores, '%', 1),
      atMost(1, 'the bar out of view: main thread time per second', away.thread, 'ms'),
      atMost(1, 'the bar out of view: all of Chromium, share of a core', away.cores, '%'),
      atMost(1, 'the bar with reduced motion: main thread time per second', still.thread, 'ms'),
    ]
  } finally {
    site.close()
    await placard.stop()
  }
}

/** The CPU time of all descendants of this process except the service. */
function cpuSeconds(service: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=\S )/)
        const fields = rest.split(' ')
        return [
          {
            pid: Number(pid),
            parent: Number(fields[1]),
            ticks: Number(fields[11]) + Number(fields[12]),
          },
        ]
      } catch {
        return []
      }
    })
  const ours = new Set([process.pid])
  let ticks = 0
  // Repeats until nothing is added, because a child's process id can be smaller than its parent's.
  for (let size = 0; size !== ours.size; ) {
    size = ours.size
    for (const { pid, parent } of stats) if (ours.has(parent)) ours.add(pid)
  }
  for (const one of stats)
    if (one.pid !== process.pid && one.pid !== service && ours.has(one.pid)) ticks += one.ticks
  return ticks / 100
}
