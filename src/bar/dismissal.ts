/**
 * Dismissing the bar. A dismissal belongs to the text that the reader saw. It lasts until that announcement ends, for 90
 * days at most.
 *
 * One item of localStorage, `placard`, maps the key of each text to the last known end of its announcement, and to the
 * end of the 90 days. The former may be postponed while the reader is away, so for a text that shows, only the 90 days
 * count. Once another text shows, an announcement that has ended is forgotten, so the same text may be announced again.
 */

import { checksum } from '../core/checksum.ts'

/** The name of that item, which all pages of an origin share, and of the event that tells a page of a dismissal. */
export const ENTRY = 'placard'

/** A short key for a text, regardless of its white space. 64 bits are plenty for "seen before". */
export function textKey(text: string): string {
  const plain = text.trim().replace(/\s+/gu, ' ')
  return checksum(plain) + checksum(plain, 0x9dc5811c)
}

/**
 * Hides a bar whose text its reader has dismissed.
 *
 * Its source is printed into pages (see `dismissScript`), so it must not refer to anything outside itself.
 *
 * @param bar if it has no key, it represents the last announcement in its place
 * @param entry the name of the item in localStorage
 * @param isClosed whether the reader dismisses it now
 * @param place the key under which to remember whether the place's last announcement was dismissed, for the next load
 * @returns when the dismissal ends, in ms since 1970; 0 if there is none
 */
export function recallClosing(
  bar: HTMLElement,
  entry: string,
  isClosed?: boolean,
  place = '',
): number {
  const { key = place, until = Number.POSITIVE_INFINITY } = bar.dataset
  let end = 0
  try {
    const now = Date.now()
    const before = localStorage[entry]
    const all: Record<string, [end: number, most: number]> = JSON.parse(before ?? '{}')
    // Entries of other texts are deleted after their end, but only if this bar shows a text.
    for (const one in all) {
      const isOwn = one === key
      if ((isOwn || bar.dataset.key) && ((all[one] as number[])[+isOwn] as number) < now)
        delete all[one]
    }
    if (isClosed) all[key] ??= [0, now + 7776e6]
    const mine = all[key]
    if (mine) end = mine[0] = Math.min(until as number, mine[1])
    all[place] = [end, end]
    if (end || before) localStorage[entry] = JSON.stringify(all)
  } catch {
    // Storage may be blocked. Then the bar stays closed until the page is left.
  }
  // Assigned only on a change, because the page's observers would see every assignment as one.
  bar.hidden ||= !!(end || isClosed)
  if (isClosed) document.dispatchEvent(new Event(entry))
  return end
}

/**
 * Hides dismissed bars before they are painted, including those that a framework adds later. A bar that was dismissed in
 * another tab is hidden when the page returns to view.
 *
 * Its source is printed into pages too.
 */
export function recallClosings(recall: typeof recallClosing, entry: string): void {
  const bars = document.getElementsByClassName('placard') as HTMLCollectionOf<HTMLElement>
  const look = () => {
    for (const bar of bars) if (bar.dataset.key) recall(bar, entry)
  }
  look()
  // Routers that replace the body run its scripts on each visit.
  const page = document as unknown as Record<string, unknown>
  if (page[entry]) return
  page[entry] = true
  new MutationObserver(look).observe(document, {
    childList: true,
    subtree: true,
    // `data-until`: the end may be postponed, which brings the bar back.
    attributeFilter: ['data-until', 'hidden'],
  })
  document.addEventListener('visibilitychange', look)
  document.addEventListener(entry, look)
  document.addEventListener('click', ({ target }) => {
    const bar = (target as Element).closest('.placard-close')?.closest<HTMLElement>('.placard')
    if (bar) recall(bar, entry, true)
  })
}
