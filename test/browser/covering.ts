import type { Page } from 'playwright-core'

/** Where a page is looked at while it is scrolled: shares of its whole length. */
export const SHARES = [0, 0.25, 0.5, 0.75, 1]

export const scrollTo = (page: Page, share: number) =>
  page.evaluate(async (share) => {
    const { scrollHeight, clientHeight } = document.documentElement
    window.scrollTo({ top: (scrollHeight - clientHeight) * share, behavior: 'instant' })
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
  }, share)

/** How far the page can be scrolled sideways. */
export const sideways = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))

/**
 * What a pointer would not reach because of the bar: any of these, or those alone that stay in view while one scrolls. By
 * default, the latter if the bar itself stays and the page isn't at its start.
 */
export const covered = (page: Page, selector: string, among?: 'all' | 'what stays') =>
  page.evaluate(
    ([selector, among]) => {
      const stays = (element: Element | null): boolean =>
        element !== null &&
        (/fixed|sticky/.test(getComputedStyle(element).position) || stays(element.parentElement))
      const isAside = stays(document.querySelector('placard-link')) && scrollY > 0
      const few = among === undefined ? isAside : among === 'what stays'
      return [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .filter((one) => {
          const { left, top, width, height } = one.getBoundingClientRect()
          const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20))
          // A link that skips what comes first is clipped until it has the focus.
          const isClipped = getComputedStyle(one).clip !== 'auto'
          const counts = !few || stays(one)
          return width > 0 && !isClipped && counts && hit?.localName === 'placard-link'
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 120))
    },
    [selector, among] as const,
  )
