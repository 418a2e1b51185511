/** What does not fit on a page of the admin. Nothing here may find anything. */
import type { Tab } from '../engines/engine.ts'

type Evaluating = Pick<Tab, 'evaluate'>

/** What the window has no room for, or has beside it. What lies before its start can't even be scrolled to. */
export function overflow(tab: Evaluating): Promise<string[]> {
  return tab.evaluate(() => {
    const { clientWidth } = document.documentElement
    return [...document.querySelectorAll('body *')]
      .filter(
        (element) => element.checkVisibility() && !element.closest('.stage, .gauges, .placard'),
      )
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect()
        return right > clientWidth + 1 || left < -1
      })
      .slice(0, 5)
      .map((element) => element.outerHTML.slice(0, 80))
  })
}

/** WCAG 2.2, 2.5.8: 24 px, but for links within a text. What does something has 36. */
export function smallTargets(tab: Evaluating): Promise<string[]> {
  return tab.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, summary, .actions a, nav a, label:has(:checked)',
      ),
    ]
      .filter((element) => element.checkVisibility() && !element.closest('.placard, .said'))
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect()
        const acts = element.matches('button, summary, .actions a') && !element.closest('nav')
        return width < 24 || height < (acts ? 36 : 24)
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  )
}

/** Labels that their box has no room for. */
export function cutOff(tab: Evaluating): Promise<string[]> {
  return tab.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button, summary, label, legend, h1, h2, nav a, time, [type=datetime-local]',
      ),
    ]
      .filter((element) => element.checkVisibility() && !element.closest('.icons, .placard'))
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 80)),
  )
}
