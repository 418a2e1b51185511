const TIMING = { duration: 220, easing: 'ease-out' }

/**
 * Puts a new bar where the old one is: one fades into the other while the width eases. Where there is no old or no new
 * one, or readers want less motion, it is replaced at once. A wider one is cut at first, because a width that changes
 * would shift the text in it.
 */
export function swap(place: Element, content: Iterable<Node>): void {
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const before = shown()
  const width = before?.offsetWidth ?? 0
  place.replaceChildren(...content)
  const after = shown()
  if (!before || !after || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  // Its shadow needs some room.
  const cut = `inset(-3rem ${(after.offsetWidth - width) / 2}px)`
  after.animate({ clipPath: [cut, 'inset(-3rem)'] }, TIMING)
  // In element.css it lies over the new one.
  before.inert = true
  before.style.width = `${width}px`
  after.append(before)
  before.animate({ opacity: [1, 0] }, TIMING).onfinish = () => before.remove()
}

/** Gives a text that is cut off a `title` with all of it, as soon as a pointer comes. */
export function titleWhenCut(place: HTMLElement): void {
  place.addEventListener('pointerover', () => {
    const text = place.querySelector<HTMLElement>('.placard-text')
    if (!text) return
    const whole = new Range()
    whole.selectNodeContents(text)
    text.title = whole.getBoundingClientRect().width > text.clientWidth + 1 ? text.innerText : ''
  })
}
