/**
 * `npm run screenshots`: takes pictures of a running service. The pictures for the documents go to docs/images; the
 * others, for review, go to a temporary directory.
 *
 * The pictures show the fonts of the machine that takes them; `fc-match system-ui` says which.
 */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publish, SECRET, startPlacard } from '../bench/processes.ts'
import { launchChromium } from '../test/browser/chromium.ts'
import { HOSTS, styleOf } from '../test/browser/hosts.ts'
import { shootAdmin } from './screenshots-admin.mjs'
import { shootStory } from './screenshots-story.mjs'

const images = join(import.meta.dirname, '../docs/images')
const others = mkdtempSync(join(tmpdir(), 'placard-pictures-'))
const IN_DOCUMENTS = ['admin-announcement', 'story', 'story-dark']

/** @returns the file for a picture, whose path is printed */
function fileOf(name) {
  const file = join(IN_DOCUMENTS.includes(name) ? images : others, `${name}.png`)
  console.log(file)
  return file
}

const program = join(import.meta.dirname, '../bin/placard.mjs')
/** The address that the pictures show. */
const origin = 'http://localhost:4173'
const service = await startPlacard({ STRIPE_WEBHOOK_SECRET: SECRET }, 4173)

/** The time in the animations, in ms: the shine is halfway through a sweep, and the beams are along the long sides. */
const MOMENT = 2_300

async function shoot(browser, name, context, lang = 'en', part) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    reducedMotion: 'no-preference',
    ...context,
  })
  await page.goto(`${origin}/?lang=${lang}`)
  await page.evaluate((moment) => {
    for (const animation of document.getAnimations()) {
      if (animation.timeline !== document.timeline) continue
      if (animation.playState !== 'running') continue
      animation.pause()
      animation.currentTime = moment
    }
  }, MOMENT)
  const file = fileOf(name)
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
}

/** Pages of other sites with the bar on them: in the flow, and floating on a phone. */
async function shootHosts(browser) {
  let document = ''
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(document)
  }).listen(0)
  await once(site, 'listening')
  const element =
    '<style>placard-link:not([hidden]) { display: block; min-height: 3.25rem }</style><placard-link></placard-link>'
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
      // Waits for the end of the bar's entrance animation.
      await page.waitForTimeout(600)
      const file = `${kind}-${name.split(' ').at(-1)}-${name.split(' ').at(1)}`
      await page.screenshot({ path: fileOf(file) })
      await page.close()
    }
  }
  site.close()
}

try {
  const fields = { type: 'coupon', slug: '#coupon', icon: 'ticket-percent' }
  await publish(origin, 'Black Friday: 25% off every plan', '10.0.0.1', fields)
  const browser = await launchChromium()
  const light = { colorScheme: 'light' }
  const dark = { colorScheme: 'dark' }
  const bar = '[data-part=line] .placard'
  for (const [name, context, lang, part] of [
    ['light', light],
    ['dark', dark],
    ['phone', { ...light, viewport: { width: 360, height: 780 }, hasTouch: true }],
    ['rtl', light, 'ar'],
    ['reduced-motion', { ...light, reducedMotion: 'reduce' }],
    ['forced-colors', { ...dark, forcedColors: 'active' }],
    ['bar', { ...light, deviceScaleFactor: 3 }, 'en', bar],
    ['bar-dark', { ...dark, deviceScaleFactor: 3 }, 'en', bar],
  ]) {
    await shoot(browser, name, context, lang, part)
  }
  await shootHosts(browser)
  const running = { origin, program, secret: SECRET, fileOf }
  await shootAdmin(browser, running)
  await shootStory(browser, running)
  await browser.close()
} finally {
  await service.stop()
}
