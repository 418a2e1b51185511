/** Says for each width where the text is cut off. */
export function measure(): void {
  const stages = [...document.querySelectorAll('.stage')].flatMap((stage) => {
    const note = stage.querySelector<HTMLElement>('.cut')
    const text = stage.querySelector<HTMLElement>('.placard-text')
    return note ? { note, text, isCut: text !== null && text.scrollWidth > text.clientWidth } : []
  })
  const visible = visibleParts(stages.flatMap(({ text, isCut }) => (isCut && text) || []))
  for (const { note, isCut } of stages) {
    const part = isCut ? (visible.shift() ?? '') : ''
    note.textContent = part && (note.dataset.cut ?? '').replace('{text}', () => part)
  }
}

/** The part of each text that can be seen: the longest that ends before the ellipsis, which ends where the box does. */
function visibleParts(texts: HTMLElement[]): string[] {
  // All is written before any of it is read, so the page is laid out once. Nothing is painted meanwhile.
  const ellipses = texts.map((text) => {
    // WebKit measures no further than to an ellipsis that it renders.
    text.style.textOverflow = 'clip'
    const ellipsis = document.createElement('span')
    ellipsis.textContent = '…'
    text.append(ellipsis)
    return ellipsis
  })
  const parts = ellipses.map(visiblePart)
  for (const ellipsis of ellipses) ellipsis.remove()
  for (const text of texts) text.style.textOverflow = ''
  return parts
}

/** What there is room for before an ellipsis that stands at the end of a text. */
function visiblePart(ellipsis: HTMLElement): string {
  const text = ellipsis.parentElement as HTMLElement
  const { width } = ellipsis.getBoundingClientRect()
  const { left, right } = text.getBoundingClientRect()
  const rtl = getComputedStyle(text).direction === 'rtl'
  const range = document.createRange()
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  let visible = ''
  for (let node = nodes.nextNode(); node && node.parentNode !== ellipsis; node = nodes.nextNode()) {
    let offset = 0
    // As a reader counts letters: a flag is one, and so is a letter with its marks.
    for (const { segment: letter } of new Intl.Segmenter().segment(node.textContent ?? '')) {
      offset += letter.length
      range.setStart(node, 0)
      range.setEnd(node, offset)
      const box = range.getBoundingClientRect()
      if (rtl ? box.left < left + width : box.right > right - width) return visible.trimEnd()
      visible += letter
    }
  }
  return visible
}
