/** Layout faults on a page of the admin: each function returns the elements at fault. */
import type { Tab } from '../engines/engine.ts'

type Evaluating = Pick<Tab, 'evaluate'>

/** Elements that reach past the window's left or right edge. */
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

/** Targets under 24 px (WCAG 2.2, 2.5.8; links within text are exempt), and buttons lower than our 36 px. */
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

/** Labels that are wider than their box. */
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
