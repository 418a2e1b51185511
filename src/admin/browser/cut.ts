/** Shows which texts a phone cuts off, and where, and how many characters of the main text fit. */
export function measure(): void {
  const list = document.querySelector('.cuts') as HTMLElement
  const length = document.querySelector('[data-fits]') as HTMLElement
  let fits: number | undefined
  const said: string[] = []
  for (const place of document.querySelectorAll<HTMLElement>('.gauges > .place')) {
    const text = place.querySelector<HTMLElement>('.placard-text')
    const seen = text && visiblePart(text)
    if (!text || seen === null) continue
    const { name } = place.dataset
    const what = (list.dataset.cut ?? '').replace('{text}', () => wordsOf(seen, text))
    said.push(name ? `${name}: ${what}` : what)
    if (!name) fits = Array.from(seen).length
  }
  list.replaceChildren(
    ...said.map((one) => Object.assign(document.createElement('li'), { textContent: one })),
  )
  const room = fits !== undefined && (length.dataset.fits ?? '').replace('{count}', `${fits}`)
  length.textContent = [length.dataset.count, room].filter(Boolean).join(' · ')
}

/** Returns the longest beginning of a text that fits before an ellipsis; `null` if the whole text fits. */
function visiblePart(text: HTMLElement): string | null {
  const overflows = () => text.scrollWidth > text.clientWidth
  if (!overflows()) return null
  const whole = text.textContent ?? ''
  const nodes = [...text.childNodes]
  // Splits the text into what readers count as letters: a flag counts as one, like a letter with its marks.
  const letters = Array.from(new Intl.Segmenter().segment(whole), ({ segment }) => segment)
  let [fits, over] = [0, letters.length]
  while (over - fits > 1) {
    const half = Math.floor((fits + over) / 2)
    text.textContent = `${letters.slice(0, half).join('')}…`
    if (overflows()) over = half
    else fits = half
  }
  text.replaceChildren(...nodes)
  return letters.slice(0, fits).join('').trimEnd()
}

/** The visible part without an incomplete word, in languages with spaces between words. */
function wordsOf(visible: string, { textContent }: HTMLElement): string {
  const isWhole = /^\s|^$/.test((textContent ?? '').slice(visible.length))
  return isWhole ? visible : visible.replace(/\s+\S*$/, '')
}
