import type { Tree } from '../core/tree.ts'

/** Builds an element from a tree without parsing HTML, which `require-trusted-types-for` would forbid. */
export function build([tag, attributes, ...children]: Tree, namespace = '1999/xhtml'): HTMLElement {
  const own = tag === 'svg' ? '2000/svg' : namespace
  const element = document.createElementNS(`http://www.w3.org/${own}`, tag)
  // Old libraries add members to all objects, which `for … in` would list.
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(
    ...children.map((child) => (typeof child === 'string' ? child : build(child, own))),
  )
  return element as HTMLElement
}

/**
 * Replaces an old bar with a new one, unless they are the same: element.css fades one into the other while the width
 * eases. If either bar is missing, the change is immediate. If the new bar is wider than the old one, it is clipped and
 * gradually revealed, because a changing width would shift its text. The focus stays, and so does a paused motion.
 *
 * @returns what the new bar has replaced, if anything
 */
export function swap(place: HTMLElement, content: HTMLElement): Element | null | undefined {
  const old = place.firstElementChild
  if (old?.isEqualNode(content)) return
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const focused = place.querySelector(':focus')?.className
  // Any element counts as true.
  ;(content.querySelector('input') as { checked: unknown }).checked =
    place.querySelector(':checked')
  const before = shown()
  const width = before?.offsetWidth as number
  place.replaceChildren(content)
  const after = shown()
  if (before && after) {
    // Set on the place, because a style on the bar would make it differ from an identical new bar.
    place.style.cssText = `--_cut:${after.offsetWidth - width}px`
    // Removes an older bar that was still fading.
    before.querySelector('.placard')?.remove()
    before.inert = true
    before.style.width = `${width}px`
    before.onanimationend = () => before.remove()
    after.append(before)
  }
  place.querySelector<HTMLElement>(`.${focused}`)?.focus({ preventScroll: true })
  return old
}
