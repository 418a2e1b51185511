import type { Stage } from '../browser/stage.ts'
import type { Engine, Look, Tab } from './engine.ts'

/** The bar in its place on the page at `/`. */
export const LINE = '[data-part=line] .placard'

/** Opens the page at `/` in a language. */
export const visiting =
  (stage: Stage, engine: Engine) =>
  async (look?: Look, lang = 'en'): Promise<Tab> => {
    const tab = await engine.open(look)
    await tab.goto(`${stage.origin}/?lang=${lang}`)
    return tab
  }

/** Where the first element that matches a selector is in the window. */
export function box(tab: Pick<Tab, 'evaluate'>, selector: string) {
  return tab.evaluate((selector: string) => {
    const { x, y, width, height } = (
      document.querySelector(selector) as Element
    ).getBoundingClientRect()
    return { x, y, width, height }
  }, selector)
}

/** A computed property of a part of the bar, or of the bar. */
export function style(tab: Pick<Tab, 'evaluate'>, part: string, name: string): Promise<string> {
  return tab.evaluate(
    ({ selector, name }: { selector: string; name: string }) =>
      getComputedStyle(document.querySelector(selector) as Element).getPropertyValue(name),
    { selector: `${LINE} ${part}`.trim(), name },
  )
}

/** Moves the pointer into the middle of an element. */
export async function hover(tab: Tab, selector: string): Promise<void> {
  // From somewhere else, because a pointer that is already there doesn't enter the element.
  await tab.hover(1, 1)
  const { x, y, width, height } = await box(tab, selector)
  await tab.hover(x + width / 2, y + height / 2)
}
