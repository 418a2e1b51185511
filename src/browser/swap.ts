/**
 * Puts a new bar where the old one is: one fades into the other while the width eases, by element.css. Where there is no
 * old or no new one, it is replaced at once. A wider one is cut at first, because a width that changes would shift the
 * text in it.
 */
export function swap(place: Element, content: Iterable<Node>): void {
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const before = shown()
  const width = before?.offsetWidth ?? 0
  place.replaceChildren(...content)
  const after = shown()
  if (!before || !after) return
  after.style.cssText = `--_cut:${(after.offsetWidth - width) / 2}px`
  // One that was still going is gone.
  before.querySelector('.placard')?.remove()
  before.inert = true
  before.style.cssText = `width:${width}px`
  before.onanimationend = () => before.remove()
  after.append(before)
}
