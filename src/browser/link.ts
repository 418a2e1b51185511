/**
 * Whether a browser would scroll to this fragment's target (HTML, "find a potential indicated element"). Decodes what it
 * can: the fragment may have a percent sign of its own.
 */
export function hasTarget(document: Document, fragment: string): boolean {
  return [fragment, new URLSearchParams(`=${fragment}`).get('') as string].some(
    (one) =>
      /^(top)?$/i.test(one) || document.getElementById(one) || document.anchors.namedItem(one),
  )
}

/**
 * Clicks a copy of the link outside the element's shadow root, because a page's routers and analytics see no link inside
 * it.
 */
export function clickOutside(element: HTMLElement, link: HTMLAnchorElement): void {
  const copy = link.cloneNode(true) as HTMLAnchorElement
  element.append(copy)
  copy.click()
  copy.remove()
}
