/**
 * `npm run screenshots`: takes the pictures in docs/images of a running service.
 *
 * They show the fonts of the machine that takes them; `fc-match system-ui` says which.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '../test/browser/chromium.ts'
import { HOSTS, styleOf } from '../test/browser/hosts.ts'
import { shootAdmin } from './screenshots-admin.mjs'
import { shootStory } from './screenshots-story.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const images = join(root, 'docs/images')
const secret = 'screenshots-only-secret'
const origin = 'http://localhost:4173'
const data = await mkdtemp(join(tmpdir(), 'placard-'))
await mkdir(images, { recursive: true })

const program = join(root, 'bin/placard.mjs')
const service = spawn(process.execPath, [program, 'serve'], {
  cwd: data,
  env: {
    ...process.env,
    PORT: new URL(origin).port,
    DATABASE_URL: `file:${join(data, 'placard.db')}`,
    EVENT_API_SECRET: secret,
    STRIPE_WEBHOOK_SECRET: secret,
  },
  stdio: ['ignore', 'ignore', 'inherit'],
})

/** The time in the animations, in ms: half-way through a sweep of the shine, the beams along the long sides. */
const MOMENT = 2_300

async function shoot(browser, name, path, context, part) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    reducedMotion: 'no-preference',
    ...context,
  })
  await page.goto(origin + path)
  await page.evaluate((moment) => {
    for (const animation of document.getAnimations()) {
      if (animation.timeline !== document.timeline) continue
      if (animation.playState !== 'running') continue
      animation.pause()
      animation.currentTime = moment
    }
  }, MOMENT)
  const file = join(images, `${name}.png`)
  if (part) {
    const box = await page.locator(part).boundingBox()
    // As wide as the space above the bar.
    const margin = 20
    const clip = {
      x: box.x - margin,
      y: box.y - margin,
      width: box.width + 2 * margin,
      height: box.height + 2 * margin,
    }
    await page.screenshot({ path: file, clip })
  } else await page.screenshot({ path: file })
  await page.close()
  console.log(`docs/images/${name}.png`)
}

/** Pages of other sites with the bar on them: in the flow, and floating on a phone. */
async function shootHosts(browser) {
  let document = ''
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(document)
  }).listen(0)
  await once(site, 'listening')
  const element =
    '<style>placard-link { display: block; min-height: 3.25rem }</style><placard-link></placard-link>'
  for (const [name, host] of Object.entries(HOSTS)) {
    for (const [kind, bar, viewport] of [
      ['flow', element, { width: 1280, height: 520 }],
      ['floating', '', { width: 360, height: 640 }],
    ]) {
      const page = await browser.newPage({ viewport, hasTouch: kind === 'floating' })
      document = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${name}</title>
        ${styleOf(host)}${host.body(bar)}<script src="${origin}/embed.js" async></script>`
      await page.goto(`http://localhost:${site.address().port}`)
      await page.locator('placard-link .placard').waitFor()
      // By then, its entrance animation is over.
      await page.waitForTimeout(600)
      const file = `${kind}-${name.split(' ').at(-1)}-${name.split(' ').at(1)}`
      await page.screenshot({ path: join(images, `${file}.png`) })
      await page.close()
      console.log(`docs/images/${file}.png`)
    }
  }
  site.close()
}

try {
  for (let tries = 100; ; tries--) {
    if ((await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) break
    if (tries === 0) throw new Error('The service does not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const answer = await fetch(`${origin}/api/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      text: 'Black Friday: 25% off every plan',
      type: 'coupon',
      slug: '#coupon',
      icon: 'ticket-percent',
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())

  const browser = await launchChromium()
  await shoot(browser, 'light', '/?lang=en', { colorScheme: 'light' })
  await shoot(browser, 'dark', '/?lang=en', { colorScheme: 'dark' })
  await shoot(browser, 'phone', '/?lang=en', {
    colorScheme: 'light',
    viewport: { width: 360, height: 780 },
    hasTouch: true,
  })
  await shoot(browser, 'rtl', '/?lang=ar', { colorScheme: 'light' })
  await shoot(browser, 'reduced-motion', '/?lang=en', {
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await shoot(browser, 'forced-colors', '/?lang=en', {
    colorScheme: 'dark',
    forcedColors: 'active',
  })
  for (const colorScheme of ['light', 'dark']) {
    const name = colorScheme === 'light' ? 'bar' : 'bar-dark'
    await shoot(
      browser,
      name,
      '/?lang=en',
      { colorScheme, deviceScaleFactor: 3 },
      '[data-part=line] .placard',
    )
  }
  await shootHosts(browser)
  const running = { origin, program, secret, images }
  await shootAdmin(browser, running)
  await shootStory(browser, running)
  await browser.close()
} finally {
  service.kill()
  await once(service, 'exit')
  await rm(data, { recursive: true })
}
