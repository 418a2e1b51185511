/**
 * Dismissals of the bar. A dismissal applies to the announcement's own text, whatever the language in which the reader
 * saw it, and lasts until the announcement with that text ends, but no longer than 90 days. If the text is published
 * anew after that end, the bar shows again.
 *
 * The localStorage item `placard` maps a dismissed text's key to two times: the known end of its announcement, and the
 * end of the 90 days. An announcement's end may be postponed, so an entry still applies after the known end, unless the
 * text was published anew after that end.
 */

/** The `detail` of the bar's events: `placard:show`, `placard:click` and `placard:dismiss`. */
export interface PlacardDetail {
  /** The announcement's id; `undefined` for a fallback. */
  id: string | undefined
  type: string | undefined
  /** The text in the language that the reader sees. */
  text: string
  /** The absolute address that the link leads to. */
  href: string
  /** The text's language, as a BCP 47 tag; `''` if it isn't known. */
  language: string
}

/**
 * Hides a bar if the reader has dismissed its text.
 *
 * The function's source is printed into pages (see `dismissScript`), so it must not refer to anything outside itself.
 *
 * @param isClosed whether the reader is dismissing the bar now
 * @returns whether the bar is dismissed
 */
export function recallClosing(bar: HTMLElement, isClosed?: boolean): boolean {
  let isGone = !!isClosed
  try {
    const now = Date.now()
    const last = now + 7776e6
    const { key, since, until = last } = bar.dataset as unknown as Record<string, number>
    const rest = isClosed ? [`"${key}":[${until},${last}]`] : []
    // `JSON` isn't used: old libraries make `JSON.stringify` write arrays as strings, and `JSON.parse` throws on
    // garbage.
    for (const [all, one, its, last] of `${localStorage.placard}`.matchAll(
      /"(.+?)":\[(\d+),(\d+)\]/gs,
    )) {
      if (+(last as string) < now) continue
      // If the text was published anew after its end, the bar shows again.
      if (one === (key as unknown)) isGone ||= !(+(its as string) <= (since as number))
      else rest.push(all)
    }
    if (isClosed) localStorage.placard = `{${rest}}`
  } catch {
    // If storage is blocked, the bar stays dismissed until the reader leaves the page.
  }
  // Doesn't set `hidden` again on a hidden bar, because mutation observers would report that as a change.
  bar.hidden ||= isGone
  return isGone
}

/**
 * Dispatches an event that tells the page what happens to a bar, so that the site's own analytics can count it. The
 * event leaves shadow roots.
 *
 * The function's source is printed into pages too, so it must not refer to anything outside itself.
 *
 * @returns `false` if the page has called `preventDefault()`
 */
export function tell(bar: HTMLElement, type: `placard:${'show' | 'click' | 'dismiss'}`): boolean {
  const link = bar.firstChild as HTMLAnchorElement
  const text = link.children[1] as HTMLElement
  const detail = { ...bar.dataset, text: text.textContent, href: link.href, language: text.lang }
  // Old libraries replace `Event` and `CustomEvent`.
  const event = new MessageEvent(type, { bubbles: true, composed: true, cancelable: true })
  return bar.dispatchEvent(Object.assign(event, { detail }))
}

/**
 * Hides dismissed bars before they are painted, including bars that a framework adds later. A bar that was dismissed in
 * another tab is hidden when the page returns to view.
 *
 * The function's source is printed into pages too, so it must not refer to anything outside itself.
 */
export function recallClosings(recall: typeof recallClosing, report: typeof tell): void {
  const bars = document.getElementsByClassName('placard') as HTMLCollectionOf<HTMLElement>
  const look = () => {
    for (const bar of bars) if (bar.dataset.key) recall(bar)
  }
  look()
  // A router that replaces the body runs its scripts on each visit, but the page needs the listeners only once.
  const page = document as unknown as Record<string, unknown>
  if (page.placard) return
  page.placard = true
  new MutationObserver(look).observe(document, {
    childList: true,
    subtree: true,
    // If the end of a bar that has ended is postponed, `endScript` shows the bar again, even a dismissed one. Some
    // scripts put another announcement into the same element.
    attributeFilter: ['data-key', 'hidden'],
  })
  document.addEventListener('visibilitychange', look)
  document.addEventListener('placard:dismiss', look)
  document.addEventListener('click', ({ target }) => {
    // A page's script may dispatch a click on the document, which has no `closest`.
    const bar = (target as Element).closest?.('.placard-close')?.closest<HTMLElement>('.placard')
    if (!bar) return
    recall(bar, true)
    report(bar, 'placard:dismiss')
  })
}

/**
 * Hides the dismissed bar of an element whose shadow root came in the page's HTML, and lets readers dismiss it, until
 * the embed script defines the element and takes over. This script searches the page for the element, because a script
 * in a shadow root has no `document.currentScript`.
 *
 * The function's source is printed into pages too, so it must not refer to anything outside itself.
 */
export function recallIncluded(recall: typeof recallClosing, report: typeof tell): void {
  for (const host of document.querySelectorAll<HTMLElement>('placard-link:not(:defined)')) {
    const root = host.shadowRoot
    const place = root?.firstElementChild as HTMLElement | null | undefined
    // Another bar on the page may not be dismissible.
    const bar = root?.querySelector<HTMLElement>('[data-dismissible] .placard')
    if (!root || !place || !bar) continue
    const look = (isClosed?: boolean) => {
      if (!recall(bar, isClosed) || 'keepSpace' in host.dataset) return
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(':host{display:none!important}')
      root.adoptedStyleSheets = [sheet]
    }
    look()
    // The element replaces this listener.
    place.onclick = ({ target }) => {
      if (!(target as Element).closest('button')) return
      look(true)
      report(bar, 'placard:dismiss')
    }
  }
}
