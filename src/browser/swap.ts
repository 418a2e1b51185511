/**
 * Replaces an old bar by a new one: one fades into the other while the width eases, by element.css. If either is missing,
 * the change is immediate. A wider one is clipped at first, because a changing width would shift the text in it.
 */
export function swap(place: Element, content: Iterable<Node>): void {
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const before = shown()
  const width = before?.offsetWidth ?? 0
  place.replaceChildren(...content)
  const after = shown()
  if (!before || !after) return
  after.style.cssText = `--_cut:${(after.offsetWidth - width) / 2}px`
  // Removes one that was still fading.
  before.querySelector('.placard')?.remove()
  before.inert = true
  before.style.cssText = `width:${width}px`
  before.onanimationend = () => before.remove()
  after.append(before)
}
