/** Shows which texts a phone cuts off, and after what, and how much of a text fits. */
export function measure(): void {
  const list = document.querySelector<HTMLElement>('.cuts')
  const gauges = [...document.querySelectorAll<HTMLElement>('.gauges > .place')]
  const cut = gauges.flatMap(({ dataset }, i) => {
    const text = gauges[i]?.querySelector<HTMLElement>('.placard-text')
    return text && text.scrollWidth > text.clientWidth ? [{ text, name: dataset.name ?? '' }] : []
  })
  const visible = visibleParts(cut.map(({ text }) => text))
  const said = cut.flatMap(({ name, text }, i) => {
    const seen = visible[i] ?? ''
    // Widths are rounded, so a text that just fits may seem cut off.
    if (seen === text.textContent?.trimEnd()) return []
    const what = (list?.dataset.cut ?? '').replace('{text}', () => wordsOf(seen, text))
    return name ? `${name}: ${what}` : what
  })
  if (list && said.join() !== Array.from(list.children, (one) => one.textContent).join()) {
    list.replaceChildren(
      ...said.map((one) => {
        const item = document.createElement('li')
        item.textContent = one
        return item
      }),
    )
  }
  const length = document.querySelector<HTMLElement>('[data-fits]')
  if (!length) return
  const first = cut[0]?.name === '' ? Array.from(visible[0] ?? '').length : undefined
  const fits = first === undefined ? '' : (length.dataset.fits ?? '').replace('{count}', `${first}`)
  length.textContent = [length.dataset.count, fits].filter(Boolean).join(' · ')
}

/** The visible part of each text: the longest that ends before the ellipsis, which is at the end of the box. */
function visibleParts(texts: HTMLElement[]): string[] {
  // All writes come before all reads, so the page is laid out once. Nothing is painted meanwhile.
  const ellipses = texts.map((text) => {
    // WebKit doesn't measure beyond an ellipsis that it renders.
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

/** The part of a text for which there is room before an ellipsis at its end. */
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
    // As readers count letters: a flag is one, and so is a letter with its marks.
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

/** The visible part without an incomplete word, in languages with spaces between words. */
function wordsOf(visible: string, { textContent }: HTMLElement): string {
  const isWhole = /^\s|^$/.test((textContent ?? '').slice(visible.length))
  return isWhole ? visible : visible.replace(/\s+\S*$/, '')
}
