import { listen } from './listen.ts'

/**
 * A floating bar lies over the page. Readers can scroll what they want to see out from under it. Where they can't, the bar
 * steps aside: at the end of a scrolled area, and over an element that has the focus (WCAG 2.4.11).
 */

/** Marks the element with `data-aside` then. */
export function stepAside(
  element: HTMLElement,
  bar: () => Element | null,
  signal: AbortSignal,
): void {
  let atEnd = false
  let overFocus = false

  /** Where the bar is, if that is over another. */
  function over(other: Element): DOMRect | false | undefined {
    const a = bar()?.getBoundingClientRect()
    const b = other.getBoundingClientRect()
    return a && a.top < b.bottom && a.bottom > b.top && a.left < b.right && a.right > b.left && a
  }

  function look({ type, target }: Pick<Event, 'type' | 'target'>) {
    if (type === 'scroll') {
      const scroller = (target === document ? document.scrollingElement : target) as Element | null
      const covering = scroller && over(scroller)
      if (!covering) return
      const below = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop
      atEnd = scroller.scrollTop > 0 && below < innerHeight - covering.top
    } else {
      overFocus = !!(type === 'focusin' && target !== element && over(target as Element))
    }
    element.toggleAttribute('data-aside', atEnd || overFocus)
  }

  listen(document, look, signal, 'scroll', 'focusin', 'focusout')
  look({ type: 'scroll', target: document })
}
