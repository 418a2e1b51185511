import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { publish, startPlacard } from './processes.ts'
import { median, type Row } from './report.ts'

const TEXT = 'Everything is 25% off until Monday at noon'
/** A slow phone: 150 ms for a round trip, 1.6 Mbit/s down, 750 kbit/s up. */
const SLOW = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}

/** Measures how much later the bar shows than the same text in the page's own HTML, on a slow connection. */
export async function benchTimeToBar(
  rounds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  await publish(placard.url, TEXT, '10.1.0.1')
  const ghost = readFileSync(
    new URL(import.meta.resolve('@tryghost/announcement-bar/umd/announcement-bar.min.js')),
  )
  const ours = `<placard-link style="display: block; min-height: 3.25rem"></placard-link>
    <script src="${placard.url}/embed.js" async></script>`
  const template = async () => (await fetch(`${placard.url}/include.html?lang=en`)).text()
  const included = ours.replace('></placard-link>', `>${await template()}</placard-link>`)
  const pages: Record<string, string> = {
    html: page('en', `<p>${TEXT}</p>`),
    included: page('en', included),
    ours: page('en', ours),
    other: page('de', ours),
    ghost: page(
      'en',
      '<script src="/ghost.js" data-announcement-bar data-api-url="/ghost.json" defer></script>',
    ),
  }
  const site = createServer(({ url = '' }, response) => {
    if (url === '/ghost.js') {
      response.setHeader('Content-Type', 'text/javascript')
      response.setHeader('Content-Encoding', 'gzip')
      response.setHeader('Cache-Control', 'max-age=600')
      return response.end(gzipSync(ghost))
    }
    if (url === '/ghost.json') {
      const announcement = [{ announcement: `<p>${TEXT}</p>`, announcement_background: 'dark' }]
      response.setHeader('Content-Type', 'application/json')
      return response.end(JSON.stringify({ announcement }))
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    // Most sites compress their pages.
    response.setHeader('Content-Encoding', 'gzip')
    response.end(gzipSync(pages[url.split('/')[1] ?? ''] ?? ''))
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const browser = await launchChromium()
  const times: Record<string, number[]> = {}
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const name of Object.keys(pages)) {
        progress(`time to the bar: ${round} of ${rounds}, ${name}`)
        const reader = await browser.newContext({ locale: 'en-US' })
        for (const visit of ['cold', 'warm']) {
          const at = await timeOf(reader, `${url}/${name}/${visit}`)
          times[`${name} ${visit}`] = [...(times[`${name} ${visit}`] ?? []), at]
        }
        await reader.close()
      }
    }
  } finally {
    await browser.close()
    site.close()
    await placard.stop()
  }

  const at = (name: string) => median(times[name] ?? [])
  const row = (what: string, name: string, visit: 'cold' | 'warm', bound?: number): Row => {
    const plain = at(`html ${visit}`)
    const later = at(`${name} ${visit}`) - plain
    return {
      what: `${what}, ${visit} cache: delay after the page’s own text`,
      value: `${later.toFixed(0)} ms`,
      reference: `the same text in the page’s HTML, shown ${plain.toFixed(0)} ms after the navigation`,
      ...(bound !== undefined && { bound: `≤ ${bound} ms`, holds: later <= bound }),
    }
  }
  return [
    row('the bar in the page’s HTML', 'included', 'cold', 20),
    row('the bar in the page’s HTML', 'included', 'warm', 20),
    row('the script tag', 'ours', 'cold', 260),
    row('the script tag', 'ours', 'warm', 190),
    row('the script tag, the page not in the reader’s language', 'other', 'cold'),
    row('the script tag, the page not in the reader’s language', 'other', 'warm', 190),
    row('Ghost’s announcement bar', 'ghost', 'cold'),
    row('Ghost’s announcement bar', 'ghost', 'warm'),
  ]
}

const page = (lang: string, body: string) =>
  `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>A site</title><body>${body}<main>Text</main>`

/** The time from the navigation to the first frame in which the text is visible, in ms. */
async function timeOf(reader: BrowserContext, url: string): Promise<number> {
  const page = await reader.newPage()
  const session = await reader.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW)
  await page.addInitScript((text) => {
    const seen = new Promise<number>((resolve) => {
      const look = () => {
        const root = document.querySelector('placard-link')?.shadowRoot ?? document
        const all = [...root.querySelectorAll<HTMLElement>('p, .placard-text')]
        const shows = all.some(
          (one) => one.textContent === text && one.checkVisibility({ opacityProperty: true }),
        )
        if (shows) resolve(performance.now())
        else requestAnimationFrame(look)
      }
      look()
    })
    Object.assign(window, { seen })
  }, TEXT)
  await page.goto(url)
  const at = await page.evaluate(() => (window as unknown as { seen: Promise<number> }).seen)
  await page.close()
  return at
}
