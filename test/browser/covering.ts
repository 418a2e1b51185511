import type { Page } from 'playwright-core'

/** The scroll positions to check, as fractions of the whole scroll length. */
export const SHARES = [0, 0.25, 0.5, 0.75, 1]

export const scrollTo = (page: Page, share: number) =>
  page.evaluate(async (share) => {
    const { scrollHeight, clientHeight } = document.documentElement
    window.scrollTo({ top: (scrollHeight - clientHeight) * share, behavior: 'instant' })
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)
  }, share)

/** How far the page scrolls horizontally, in CSS pixels. */
export const sideways = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))

/**
 * The elements that a pointer can't reach because the bar covers them.
 *
 * @param among all elements, or only those that stay in view on scrolling; default: the latter if the bar itself stays
 * in view and the page isn't at its top
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
          // A skip link is clipped until it is focused.
          const isClipped = getComputedStyle(one).clip !== 'auto'
          const counts = !few || stays(one)
          return width > 0 && !isClipped && counts && hit?.localName === 'placard-link'
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 120))
    },
    [selector, among] as const,
  )
