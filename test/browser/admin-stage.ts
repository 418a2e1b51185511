import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Admin, createAdmin } from '../../src/entries/admin.ts'
import { internalsOf } from '../../src/internals.ts'
import { createSite } from '../../src/page/create-site.ts'
import { loadLocales } from '../../src/page/locales.ts'
import { createPlacard } from '../../src/placard.ts'
import { isForAdmin } from '../../src/server/router.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { API_SECRET, nextAddress } from '../harness.ts'
import { visitor } from './chromium.ts'
import { listen } from './stage.ts'

/** Starts a service with its admin, and a browser. Each request has its own client address, so no limit applies. */
export async function openAdminStage() {
  const placard = createPlacard({
    store: sqliteStore(':memory:'),
    apiSecret: API_SECRET,
    site: createSite(await loadLocales(), true),
  })
  let admin: Admin | undefined
  const server = await listen((request) => {
    const service = admin && isForAdmin(request.url) ? admin : placard
    return service.fetch(request, { address: nextAddress() })
  })
  const origin = server.url.replace('127.0.0.1', 'localhost')
  admin = createAdmin(placard, { url: origin })
  const link = (name?: string) => (admin as Admin).createLink(name)

  /** Violations of the Content-Security-Policy, script errors and dialogs on any page. */
  const broken: string[] = []

  return {
    placard,
    origin,
    link,
    broken,
    async page(options: BrowserContextOptions = {}): Promise<Page> {
      const timezoneId = options.timezoneId ?? 'Europe/Berlin'
      const context = await visitor({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        locale: 'en-US',
        ...options,
        timezoneId,
      })
      // The sign-in page sets this cookie, but tests may skip that page.
      await context.addCookies([
        { name: 'placard-zone', value: encodeURIComponent(timezoneId), url: origin },
      ])
      const page = await context.newPage()
      page.on('pageerror', (error) => broken.push(error.message))
      page.on('dialog', (dialog) => {
        // A test that leaves a draft does so on purpose.
        if (dialog.type() === 'beforeunload') return dialog.accept()
        broken.push(`dialog: ${dialog.message()}`)
        return dialog.dismiss()
      })
      page.on('console', (line) => {
        if (/Content Security Policy|Refused to/.test(line.text())) broken.push(line.text())
      })
      return page
    },
    /** A page signed in by a link's code, without the sign-in page, which takes as long to load as the admin. */
    async signedIn(options: BrowserContextOptions = {}, name = 'Anna'): Promise<Page> {
      const page = await this.page(options)
      const { hash } = new URL(await link(name))
      const form = { code: hash.slice(1) }
      const sent = { form, headers: { Origin: origin }, maxRedirects: 0 }
      await page.request.post(`${origin}/admin/session`, sent)
      await page.goto(`${origin}/admin`)
      await page.locator('[data-compose]').waitFor()
      return page
    },
    async clear() {
      broken.length = 0
      const { published, scheduled } = await internalsOf(placard).service.store.load()
      for (const { id } of [...published, ...scheduled]) await placard.withdraw({ id })
    },
    async close() {
      await placard.close()
      server.close()
    },
  }
}

export type AdminStage = Awaited<ReturnType<typeof openAdminStage>>
