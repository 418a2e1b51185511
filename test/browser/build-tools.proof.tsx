/** @jsxImportSource react */
import { readFileSync } from 'node:fs'
import esbuild from 'esbuild'
import { transform } from 'lightningcss'
import postcss from 'postcss'
import presetEnv from 'postcss-preset-env'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, it } from 'vitest'
import { PlacardBar } from '../../src/bar/placard-bar.tsx'
import { tabOf } from '../engines/chromium.ts'
import { BRANDS, coloured } from '../suites/own-colours.ts'
import { readability } from './pixels.ts'
import { stageForFile } from './stage.ts'

const stage = stageForFile()

const built = readFileSync('dist/placard.css', 'utf8')
const preflight = readFileSync(new URL(import.meta.resolve('tailwindcss/preflight.css')), 'utf8')

/** The browsers that Next.js builds for by default, and those that a cautious site may target. */
const TARGETS = {
  next: { chrome: 111, edge: 111, firefox: 111, safari: 16.4 },
  old: { chrome: 64, edge: 79, firefox: 67, safari: 12 },
}
type Browsers = (typeof TARGETS)[keyof typeof TARGETS]

const TOOLS: Record<string, (browsers: Browsers) => string | Promise<string>> = {
  'Lightning CSS': (browsers) => {
    const version = (wanted: number) => (Math.floor(wanted) << 16) | (((wanted % 1) * 10) << 8)
    const targets = Object.entries(browsers).map(([name, wanted]) => [name, version(wanted)])
    const settings = { filename: 'placard.css', minify: true, targets: Object.fromEntries(targets) }
    return transform({ ...settings, code: Buffer.from(built) }).code.toString()
  },
  'PostCSS preset-env': async (browsers) => {
    const wanted = Object.entries(browsers).map(([name, version]) => `${name} ${version}`)
    const plugins = [presetEnv({ browsers: wanted })]
    return (await postcss(plugins).process(built, { from: undefined })).css
  },
  esbuild: async (browsers) => {
    const target = Object.entries(browsers).map(([name, version]) => `${name}${version}`)
    return (await esbuild.transform(built, { loader: 'css', minify: true, target })).code
  },
}

const LINE = renderToStaticMarkup(
  <PlacardBar
    event={{ text: 'We wrote about caching', type: 'post', slug: '/x', icon: 'rocket' }}
  />,
)

/** A site like a new Tailwind app: dark when the system is, and without `color-scheme`. */
const site = (styles: string, body: string) =>
  stage.host(
    body,
    {},
    `<style>@layer base { ${preflight} }</style>
    <style>
      body { margin: 2rem; background: #ffffff }
      @media (prefers-color-scheme: dark) { body { background: #0a0a0a } }
    </style>
    <style>${styles}</style>`,
  )

const cases = Object.entries(TOOLS).flatMap(([tool, run]) => [
  { after: `after ${tool}, for Next’s browsers`, run: () => run(TARGETS.next) },
  { after: `after ${tool}, for old browsers`, run: () => run(TARGETS.old) },
])
cases.unshift({ after: 'as shipped', run: () => built })

describe.each(cases)('placard.css $after', ({ run }) => {
  let styles: string
  beforeAll(async () => {
    styles = await run()
  })

  it.each([
    ['light', '#ffffff', 'rgba(24, 24, 27, 0.14)'],
    ['dark', '#0f0f12', 'rgba(255, 255, 255, 0.16)'],
  ] as const)(
    'spec 2, rule 5: on a %s system, the pixels of the text have a contrast of at least 4.5:1',
    async (colorScheme, ...looks) => {
      const viewport = { width: 480, height: 640 }
      const page = await stage.page({ colorScheme, viewport, deviceScaleFactor: 2 })
      await page.goto(site(styles, LINE))
      const { contrast, surface } = await readability(tabOf(page), '.placard')
      expect(contrast).toBeGreaterThanOrEqual(4.5)
      const link = page.locator('.placard-link').first()
      const hairline = await link.evaluate((a) => getComputedStyle(a).borderTopColor)
      expect([surface, hairline]).toEqual(looks)
    },
  )

  it("keeps the contrast of the owner's own colours on a light page", async () => {
    const page = await stage.page({ viewport: { width: 480, height: 640 }, deviceScaleFactor: 2 })
    await page.goto(site(styles, coloured(BRANDS.blue) + LINE))
    const { contrast, surface } = await readability(tabOf(page), '.placard')
    expect(contrast).toBeGreaterThanOrEqual(4.5)
    expect(surface).toBe(BRANDS.blue[0])
  })

  it.each(['light', 'dark'] as const)(
    'follows the nearest theme, on a %s system',
    async (colorScheme) => {
      const [light, dark] = ['data-theme="light"', 'data-theme="dark"']
      const [isLight, isDark] = ['class="a light"', 'class="dark b"']
      const nested: [around: string[], theme: 'light' | 'dark'][] = [
        [[], colorScheme],
        [[light, dark], 'dark'],
        [[dark, light], 'light'],
        [[isLight, isDark], 'dark'],
        [[isDark, light], 'light'],
        [[light, isDark], 'dark'],
        [[`${isDark} ${light}`], 'light'],
        [[`${isLight} ${dark}`], 'dark'],
        [[`${isDark} data-theme="cupcake"`], 'dark'],
      ]
      const wrap = (inner: string, attributes: string) => `<div ${attributes}>${inner}</div>`
      const page = await stage.page({ colorScheme })
      const lines = nested.map(([around]) => around.reduceRight(wrap, LINE))
      await page.goto(site(styles, lines.join('')))
      const surfaces = await page
        .locator('.placard')
        .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).backgroundColor))
      const wanted = { light: 'rgb(255, 255, 255)', dark: 'rgb(15, 15, 18)' }
      expect(surfaces).toEqual(nested.map(([, theme]) => wanted[theme]))
    },
  )
})
