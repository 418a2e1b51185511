import type { BrowserContext, Page } from 'playwright-core'
import { visitor } from '../browser/chromium.ts'
import { type Engine, type Kind, type Look, SIZE, type Tab } from './engine.ts'

export const chromium: Kind = {
  name: 'Chromium',
  // npm installs it.
  lacking: undefined,
  launch(): Engine {
    let context: BrowserContext | undefined
    return {
      narrowest: 320,
      forcedColours: true,
      async open({ scheme, motion, forced, size = SIZE, scale = 1 }: Look = {}) {
        await context?.close()
        context = await visitor({
          viewport: { width: size[0], height: size[1] },
          deviceScaleFactor: scale,
          colorScheme: scheme ?? 'light',
          reducedMotion: motion ?? 'no-preference',
          forcedColors: forced ? 'active' : 'none',
        })
        return tabOf(await context.newPage())
      },
      // The browser belongs to the worker.
      close: async () => {},
    }
  },
}

/** Adapts a Playwright page to what the look tests need. */
export function tabOf(page: Page): Tab {
  return {
    async goto(url) {
      await page.goto(url)
    },
    evaluate: (run, arg) => page.evaluate(run as never, arg),
    screenshot: () => page.screenshot(),
    hover: (x, y) => page.mouse.move(x, y),
    press: (key) => page.keyboard.press(key),
  }
}
