/** The pictures of the admin, for `npm run screenshots`: each view in use. */
import { execFileSync } from 'node:child_process'

const HOUR = 3_600_000
const SAMPLE = '25% off every plan until Monday'

/** @param {{ origin: string, program: string, secret: string, fileOf(name: string): string }} service */
export async function shootAdmin(browser, { origin, program, secret, fileOf }) {
  const placard = (...args) =>
    execFileSync(process.execPath, [program, ...args, '--url', origin], {
      env: { ...process.env, EVENT_API_SECRET: secret, STRIPE_WEBHOOK_SECRET: secret },
      encoding: 'utf8',
    }).trim()
  // Nine in the morning of a future day, a time that people would choose.
  const morning = (days) => {
    const today = new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10)
    return `${today}T09:00:00Z`
  }
  placard('publish', 'How we made search ten times faster', '--slug', '/blog/search')
  const from = ['--type', 'product', '--slug', '/v2', '--icon', 'rocket', '--from', morning(5)]
  placard('publish', 'Version 2 is here', ...from, '--until', morning(9))
  placard('simulate', 'coupon.created', '--name', 'Five for friends', '--not-featured')
  placard('simulate', 'coupon.created', '--name', 'Black Friday: 25% off', '--percent-off', '25')

  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    extraHTTPHeaders: { 'Accept-Language': 'en' },
  })
  const page = await context.newPage()
  const shoot = async (name, fullPage = true) => {
    await page.screenshot({ path: fileOf(`admin-${name}`), fullPage })
  }
  const write = async (text) => {
    await page.fill('#text', text)
    await page.locator('.stage .placard-text', { hasText: text }).first().waitFor()
  }

  await page.goto(`${origin}/admin`)
  await shoot('sign-in', false)
  await page.goto(placard('open', '--for', 'Anna'))
  await page.locator('[data-compose]').waitFor()
  await page.fill('#icon', 'gift')
  await page.locator('[data-icon=gift]').click()
  await write(SAMPLE)
  await page.locator('[value=coupon] + span').click()
  await page.locator('.outcome', { hasText: 'Replaces the current coupon' }).waitFor()
  await shoot('announcement')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot('dark')
  await page.setViewportSize({ width: 360, height: 780 })
  await shoot('phone')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${origin}/admin/site`)
  await shoot('site')
  await page.goto(`${origin}/admin/history`)
  await shoot('history', false)
  await context.addCookies([{ name: 'placard-lang', value: 'ar', url: origin }])
  await page.goto(`${origin}/admin`)
  await write('خصم 25% على كل الخطط حتى يوم الاثنين')
  await shoot('rtl')
  await context.close()
}
