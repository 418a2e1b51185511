/**
 * Dismissals of the bar. A dismissal applies to the text that the reader saw, and lasts until the announcement with
 * that text ends, but no longer than 90 days.
 *
 * The localStorage item `placard` maps a dismissed text's key to two times: the last known end of its announcement, and
 * the end of the 90 days. An announcement's end may be postponed while the reader is away, so the entry of the bar's
 * current text expires only after the 90 days. A bar with different text deletes the entries of ended announcements, so
 * their texts can show again.
 */

import { checksum } from '../core/checksum.ts'

/** The name of the localStorage item, which an origin's pages share, and of the event dispatched on a dismissal. */
export const ENTRY = 'placard'

/** Returns a short key for the bar's text, regardless of white space. 64 bits are enough to tell the texts apart. */
export function textKey(text: string): string {
  const plain = text.trim().replace(/\s+/gu, ' ')
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
  const key = bar.dataset.key ?? place
  let end = isClosed ? 1 : 0
  try {
    const now = Date.now()
    const before = localStorage[entry]
    const all: Record<string, [end: number, most: number]> = JSON.parse(before ?? '{}')
    // Deletes this text's entry if it has expired. A bar with a text also deletes the entries of ended announcements.
    for (const one in all) {
      const isOwn = one === key
      if ((isOwn || bar.dataset.key) && ((all[one] as number[])[+isOwn] as number) < now)
        delete all[one]
    }
    if (isClosed) all[key] ??= [0, now + 7776e6]
    const mine = all[key]
    if (mine)
      end = mine[0] = Math.min((bar.dataset.until ?? Number.POSITIVE_INFINITY) as number, mine[1])
    if (place) all[place] = [end, end]
    if (end || before) localStorage[entry] = JSON.stringify(all)
  } catch {
    // If storage is blocked, the bar stays dismissed until the reader leaves the page.
  }
  // Doesn't set `hidden` again on a hidden bar, because mutation observers would report that as a change.
  bar.hidden ||= !!end
  if (isClosed) document.dispatchEvent(new Event(entry))
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
