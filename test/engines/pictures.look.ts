import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AdminStage, openAdminStage } from '../browser/admin-stage.ts'
import { HOSTS, styleOf } from '../browser/hosts.ts'
import { openStage, ROOM, type Stage } from '../browser/stage.ts'
import { chromium } from './chromium.ts'
import type { Look } from './engine.ts'
import { firefox } from './firefox.ts'
import { webkit } from './webkit.ts'

/** Pictures of the same moment in every installed engine, side by side, for a person to compare. */
const FOLDER = join(tmpdir(), 'placard-engines')
/** Halfway through a sweep of the shine, with the beams along the long sides. */
const MOMENT = 2_300

let stage: Stage
let admin: AdminStage
const kinds = [chromium, firefox, webkit].filter(({ lacking }) => !lacking)
const engines = new Map(kinds.map((kind) => [kind, kind.launch()]))
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  stage = await openStage()
  admin = await openAdminStage()
  const draft = { text: 'Black Friday: 25% off 🎉', type: 'coupon', slug: '#coupon' } as const
  for (const { placard } of [stage, admin]) {
    await placard.publish({
      ...draft,
      icon: 'ticket-percent',
      translations: { ar: 'الجمعة البيضاء: خصم 25% 🎉' },
    })
  }
})
afterAll(async () => {
  for (const engine of engines.values()) await engine.close()
  const rows = VIEWS.map(([name]) => {
    const pictures = kinds.map((kind) => `<img width="640" src="${name}-${kind.name}.png">`)
    return `<h2>${name}</h2><div style="display: flex; align-items: start">${pictures.join('')}</div>`
  })
  writeFileSync(join(FOLDER, 'index.html'), rows.join(''))
  await Promise.all([stage.close(), admin.close()])
  process.stderr.write(`\nPictures to compare are in ${FOLDER}\n`)
})

const host = (name: string, bar: string) => async () => {
  const site = HOSTS[name] ?? expect.fail()
  return stage.host(site.body(bar) + stage.tag(), {}, styleOf(site))
}
const page = (path: string) => async () => stage.origin + path
const owner = (path: string) => async () =>
  (await admin.link('Anna')).replace('/admin#', `${path}#`)

const VIEWS: [name: string, url: () => Promise<string>, look: Look][] = [
  ['page-light', page('/?lang=en'), {}],
  ['page-dark', page('/?lang=en'), { scheme: 'dark' }],
  ['page-rtl', page('/?lang=ar'), {}],
  ['page-still', page('/?lang=en'), { motion: 'reduce' }],
  ['in-flow', host('a static header', ROOM), {}],
  ['floating', host('a sticky header', ''), { size: [500, 700] }],
  ['admin-light', owner('/admin'), { size: [1280, 1000] }],
  ['admin-dark', owner('/admin'), { size: [1280, 1000], scheme: 'dark' }],
]

it.each(VIEWS)('the picture %s can be taken in every engine', async (name, url, look) => {
  for (const [kind, engine] of engines) {
    const tab = await engine.open({ ...look, scale: 2 })
    await tab.goto(await url())
    await expect
      .poll(() =>
        tab.evaluate(() => {
          const root = document.querySelector('placard-link')?.shadowRoot ?? document
          const place = root.querySelector('.placard-place')
          const come = !place || getComputedStyle(place).opacity === '1'
          return come && root.querySelector('.placard') !== null
        }),
      )
      .toBe(true)
    await tab.evaluate((moment) => {
      const root = document.querySelector('placard-link')?.shadowRoot ?? document
      for (const animation of root.getAnimations()) {
        if (animation.timeline !== document.timeline) continue
        animation.pause()
        animation.currentTime = moment
      }
    }, MOMENT)
    writeFileSync(join(FOLDER, `${name}-${kind.name}.png`), await tab.screenshot())
  }
})
