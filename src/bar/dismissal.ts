/**
 * Dismissing the bar. What is dismissed is the text that this reader saw, until its end, for 90 days at most.
 *
 * One item of localStorage, `placard`, holds for the key of each text when it ends, as far as was known, and when
 * the 90 days end. An end may be moved later while the reader is away, so a text that shows is held against the latter. What
 * has ended is forgotten once another text shows, and so may be announced again.
 */

import { checksum } from '../core/checksum.ts'

/** The name of that item, and of the event that tells the page of a change in it. All pages of one origin share it. */
export const ENTRY = 'placard'

/** A short key for a text. White space doesn't change it. 64 bits are plenty for "seen before". */
export function textKey(text: string): string {
  const plain = text.trim().replace(/\s+/gu, ' ')
  return checksum(plain) + checksum(plain, 0x9dc5811c)
}

/**
 * Hides a bar whose text its reader has dismissed.
 *
 * Its source is printed into pages (see `dismissScript`), so it may refer to nothing outside of itself.
 *
 * @param bar without a key, it stands for the last announcement in its place
 * @param entry the name of the item in localStorage
 * @param isClosed whether its reader dismisses it now
 * @param place what is noted for the next load
 * @returns until when it is dismissed, in ms since 1970; 0 if it isn't
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
    // An old end of another text is over for good only once something else shows.
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
    // Storage may be forbidden. Then the bar stays closed as long as the page is open.
  }
  // Not again: observers of the page would see that as a change.
  bar.hidden ||= !!(end || isClosed)
  if (isClosed) document.dispatchEvent(new Event(entry))
  return end
}

/**
 * Does so for each bar of the page before it is painted, also for those that a framework puts there without a load of the
 * page. What was dismissed in another tab goes as the page comes back into view.
 *
 * Its source is printed into pages, as above.
 */
export function recallClosings(recall: typeof recallClosing, entry: string): void {
  const bars = document.getElementsByClassName('placard') as HTMLCollectionOf<HTMLElement>
  const look = () => {
    for (const bar of bars) if (bar.dataset.key) recall(bar, entry)
  }
  look()
  // Routers that replace the body run its scripts at each visit.
  const page = document as unknown as Record<string, unknown>
  if (page[entry]) return
  page[entry] = true
  new MutationObserver(look).observe(document, {
    childList: true,
    subtree: true,
    // An end that is moved later, and a bar that came back with it.
    attributeFilter: ['data-until', 'hidden'],
  })
  document.addEventListener('visibilitychange', look)
  document.addEventListener(entry, look)
  document.addEventListener('click', ({ target }) => {
    const bar = (target as Element).closest('.placard-close')?.closest<HTMLElement>('.placard')
    if (bar) recall(bar, entry, true)
  })
}
