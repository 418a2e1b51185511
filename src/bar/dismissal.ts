/**
 * Dismissals of the bar. A dismissal applies to the announcement's own text, whatever the language in which the reader
 * saw it, and lasts until the announcement with that text ends, but no longer than 90 days. If the text is published
 * anew after that end, the bar shows again.
 *
 * The localStorage item `placard` maps a dismissed text's key to two times: the last known end of its announcement, and
 * the end of the 90 days. An announcement's end may be postponed while the reader is away, so the entry of the bar's
 * current text outlives the known end, unless the announcement was published after it. A bar with different text
 * deletes the entries of ended announcements.
 */

import { checksum } from '../core/checksum.ts'
import { singleSpaced } from '../core/rules.ts'

/** The name of the localStorage item, which an origin's pages share, and of the event dispatched on a dismissal. */
export const ENTRY = 'placard'

/** Returns a short key for the bar's text, regardless of white space. 64 bits are enough to tell the texts apart. */
export function textKey(text: string): string {
  const plain = singleSpaced(text)
  return checksum(plain) + checksum(plain, 0x9dc5811c)
}

/**
 * Hides a bar if the reader has dismissed its text.
 *
 * The function's source is printed into pages (see `dismissScript`), so it must not refer to anything outside itself.
 *
 * @param bar a bar without a key stands for the last announcement that was shown at `place`
 * @param entry the name of the item in localStorage
 * @param isClosed whether the reader is dismissing the bar now
 * @param place the key under which to remember whether the place's last announcement was dismissed, for the next load
 * @returns when the dismissal ends, in ms since 1970; 1 if storage is blocked; 0 if the bar isn't dismissed
 */
export function recallClosing(
  bar: HTMLElement,
  entry: string,
  isClosed?: boolean,
  place = '',
): number {
  const { key = place, since = 0, until = Number.POSITIVE_INFINITY } = bar.dataset
  let end = isClosed ? 1 : 0
  try {
    const now = Date.now()
    const before: string | undefined = localStorage[entry]
    let most = isClosed ? now + 7776e6 : 0
    const rest: string[] = []
    // `JSON` isn't used: old libraries make it write arrays as strings, and the item may be garbage, which this replaces.
    for (const [all, one, its, last] of `${before}`.matchAll(/"([^"]+)":\[(\d+),(\d+)\]/g)) {
      // If this text's entry has expired, or the text was published anew after its end, the bar shows again.
      if (one === key) {
        if (+(last as string) >= now && +(its as string) > +since) most = +(last as string)
      } else if (one !== place && (!bar.dataset.key || +(its as string) >= now)) rest.push(all)
    }
    if (most) {
      end = Math.min(+until, most)
      rest.push(`"${key}":[${end},${most}]`)
      if (place && place !== key) rest.push(`"${place}":[${end},${end}]`)
    }
    if (end || before) localStorage[entry] = `{${rest}}`
  } catch {
    // If storage is blocked, the bar stays dismissed until the reader leaves the page.
  }
  // Doesn't set `hidden` again on a hidden bar, because mutation observers would report that as a change.
  bar.hidden ||= !!end
  if (isClosed) {
    // Old libraries replace `Event`.
    document.dispatchEvent(new MessageEvent(entry))
  }
  return end
}

/**
 * Hides dismissed bars before they are painted, including bars that a framework adds later. A bar that was dismissed in
 * another tab is hidden when the page returns to view.
 *
 * The function's source is printed into pages too, so it must not refer to anything outside itself.
 */
export function recallClosings(recall: typeof recallClosing, entry: string): void {
  const bars = document.getElementsByClassName('placard') as HTMLCollectionOf<HTMLElement>
  const look = () => {
    for (const bar of bars) if (bar.dataset.key) recall(bar, entry)
  }
  look()
  // A router that replaces the body runs its scripts on each visit, but the page needs the listeners only once.
  const page = document as unknown as Record<string, unknown>
  if (page[entry]) return
  page[entry] = true
  new MutationObserver(look).observe(document, {
    childList: true,
    subtree: true,
    // `data-until`: a postponed end extends the dismissal. `hidden`: `endScript` may show the bar again.
    attributeFilter: ['data-until', 'hidden'],
  })
  document.addEventListener('visibilitychange', look)
  document.addEventListener(entry, look)
  document.addEventListener('click', ({ target }) => {
    // A page's script may dispatch a click on the document, which has no `closest`.
    const bar = (target as Element).closest?.('.placard-close')?.closest<HTMLElement>('.placard')
    if (bar) recall(bar, entry, true)
  })
}

/**
 * Hides the dismissed bar of an element whose shadow root came in the page's HTML, and lets readers dismiss it, until the
 * embed script defines the element and takes over. A script in a shadow root can't find itself.
 *
 * The function's source is printed into pages too, so it must not refer to anything outside itself.
 */
export function recallIncluded(recall: typeof recallClosing, entry: string): void {
  for (const host of document.querySelectorAll<HTMLElement>('placard-link:not(:defined)')) {
    const root = host.shadowRoot
    const place = root?.firstElementChild as HTMLElement | null | undefined
    const bar = place?.querySelector<HTMLElement>('.placard')
    if (!root || !place || !bar) continue
    const look = (isClosed?: boolean) => {
      if (!recall(bar, entry, isClosed) || 'keepSpace' in host.dataset) return
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(':host{display:none!important}')
      root.adoptedStyleSheets = [sheet]
    }
    look()
    // The element replaces this listener.
    place.onclick = ({ target }) => {
      if ((target as Element).closest('button')) look(true)
    }
  }
}
