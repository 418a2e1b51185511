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

  const mark = () => element.toggleAttribute('data-aside', atEnd || overFocus)
  const covers = (other: Element) => {
    const a = bar()?.getBoundingClientRect()
    const b = other.getBoundingClientRect()
    return a && a.top < b.bottom && a.bottom > b.top && a.left < b.right && a.right > b.left
  }

  function scrolled({ target }: Pick<Event, 'target'>) {
    const scroller = (target === document ? document.scrollingElement : target) as Element | null
    if (!scroller || !covers(scroller)) return
    const { scrollTop, scrollHeight, clientHeight } = scroller
    const below = innerHeight - (bar() as Element).getBoundingClientRect().top
    atEnd = scrollTop > 0 && scrollHeight - clientHeight - scrollTop < below
    mark()
  }

  function focused({ type, target }: Event) {
    overFocus = !!(type === 'focusin' && target !== element && covers(target as Element))
    mark()
  }

  document.addEventListener('scroll', scrolled, { capture: true, signal })
  document.addEventListener('focusin', focused, { signal })
  document.addEventListener('focusout', focused, { signal })
  scrolled({ target: document })
}
