import { listen } from './listen.ts'

/**
 * Hides a floating bar, by setting `data-aside`, while readers can't scroll content out from under the bar: at the end
 * of a scrolled area, and over a focused element (WCAG 2.4.11).
 */
export function stepAside(element: HTMLElement, bar: () => Element, signal: AbortSignal): void {
  const document = element.ownerDocument
  let atEnd = false
  let overFocus = false

  function look({ type, target }: Pick<Event, 'type' | 'target'>) {
    const other = ((target as Document).scrollingElement ?? target) as Element
    const a = bar().getBoundingClientRect()
    // When the document scrolls, the whole page moves beneath the bar, however tall its `html` element is.
    const b = target === document ? a : other.getBoundingClientRect()
    const isOver = a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right
    if (type !== 'scroll') overFocus = isOver && other !== element && type === 'focusin'
    else if (isOver) {
      const left = other.scrollHeight - other.clientHeight - other.scrollTop
      atEnd = other.scrollTop > 0 && left < innerHeight - a.top
    }
    element.toggleAttribute('data-aside', atEnd || overFocus)
  }

  listen(document, look, signal, 'scroll', 'focusin', 'focusout')
  look({ type: 'scroll', target: document })
}
