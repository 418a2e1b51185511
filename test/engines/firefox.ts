import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core'
import { type Engine, type Kind, type Look, SIZE } from './engine.ts'

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox']
const executablePath = PLACES.find((path) => existsSync(path)) ?? ''

/** Driven over WebDriver BiDi, which Firefox supports natively. */
export const firefox: Kind = {
  name: 'Firefox',
  lacking: executablePath === '' ? 'Firefox' : undefined,
  launch(): Engine {
    // A browser takes seconds to start, and its preferences can't be changed later.
    const browsers = new Map<string, Promise<Browser>>()
    let context: BrowserContext | undefined
    return {
      narrowest: 320,
      forcedColours: true,
      async open(look: Look = {}) {
        const extraPrefsFirefox = preferences(look)
        const key = JSON.stringify(extraPrefsFirefox)
        const browser =
          browsers.get(key) ??
          puppeteer.launch({ browser: 'firefox', executablePath, extraPrefsFirefox })
        browsers.set(key, browser)
        await context?.close()
        context = await (await browser).createBrowserContext()
        const page = await context.newPage()
        const { size: [width, height] = SIZE, scale: deviceScaleFactor = 1 } = look
        // Firefox 140 ESR sets the size, but lacks the command for the orientation, which Puppeteer sends too.
        await page.setViewport({ width, height, deviceScaleFactor }).catch((error) => {
          if (!String(error).includes('unknown command')) throw error
        })
        await page.waitForFunction((to) => innerWidth === to, {}, width)
        await page.bringToFront()
        return {
          async goto(url) {
            await page.goto(url, { waitUntil: 'load' })
            // Under automation, Firefox styles a page before its stylesheets have loaded, so the bar would still be widening.
            await page.evaluate(() => {
              for (const one of document.getAnimations()) {
                if (one instanceof CSSTransition) one.finish()
              }
            })
          },
          evaluate: (run, arg) => page.evaluate(run as never, arg),
          screenshot: async () => Buffer.from(await page.screenshot()),
          hover: (x, y) => page.mouse.move(x, y),
          press: (key) => page.keyboard.press(key),
        }
      },
      async close() {
        for (const browser of browsers.values()) await (await browser).close()
      },
    }
  },
}

/** BiDi has no command for the system's preferences, so they are set in the profile. */
function preferences({ scheme, motion, forced }: Look): Record<string, number> {
  return {
    'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
    'ui.prefersReducedMotion': motion === 'reduce' ? 1 : 0,
    'browser.display.document_color_use': forced ? 2 : 1,
    // A mouse: precise, and able to hover.
    'ui.primaryPointerCapabilities': 6,
    'ui.allPointerCapabilities': 6,
  }
}
