/**
 * Closing the bar, and remembering that until the announcement ends, for 90 days at most.
 *
 * One entry in localStorage, `placard-closed`, holds the keys of the last eight that were closed, each with its end:
 * `key end,key end`. A site may show the announcements of two services, and each keeps its own.
 */

import { checksum } from '../checksum.ts'

/** The name of that entry. All pages of one origin share it. */
export const ENTRY = 'placard-closed'

/**
 * A short key for what is shown. An edit that a reader can see changes it, and white space doesn't. It is two checksums
 * with different seeds, because 64 bits are plenty for "seen before".
 */
export function contentKey(content: {
  text: string
  type: string
  slug: string
  icon?: string | null | undefined
  translations?: Readonly<Record<string, string>> | null | undefined
}): string {
  const texts = [content.text, ...Object.entries(content.translations ?? {}).flat()]
  const parts = [...texts.map(plain), content.slug, content.type, content.icon ?? ''].join('\n')
  return checksum(parts) + checksum(parts, 0x9dc5811c)
}

function plain(text: string): string {
  return String(text).trim().replace(/\s+/gu, ' ')
}

/**
 * Hides the bar if its reader has closed it, and lets them close it.
 *
 * Its source is printed into pages (see `dismissScript`), so it may refer to nothing outside of itself.
 *
 * @param bar the `.placard` element, or nothing if there is none
 * @param entry the name of the entry in localStorage
 */
export function rememberClosing(bar: HTMLElement | null | undefined, entry: string): void {
  if (!bar) return
  const key = `${bar.dataset.key} `
  const read = () =>
    (localStorage.getItem(entry) ?? '')
      .split(',')
      .filter((one) => Number(one.split(' ')[1]) > Date.now())
  try {
    if (read().some((one) => one.startsWith(key))) bar.hidden = true
  } catch {
    // Storage may be forbidden. Then the bar stays closed as long as the page is open.
  }
  bar.querySelector('button')?.addEventListener('click', () => {
    bar.hidden = true
    try {
      const all = [
        ...read().filter((one) => !one.startsWith(key)),
        key + Math.min(Number(bar.dataset.until ?? Number.POSITIVE_INFINITY), Date.now() + 7776e6),
      ]
      localStorage.setItem(entry, all.slice(-8).join(','))
    } catch {
      // As above.
    }
  })
}

/**
 * Does so for the bar before the script that calls this, and for those that come later: a framework may put one there
 * without a load of the page, and then runs no script.
 *
 * Its source is printed into pages, as above.
 */
export function rememberClosingHere(remember: typeof rememberClosing, entry: string): void {
  const known = new WeakSet<Element>()
  const take = (element: Element | null | undefined) => {
    const bar = element?.closest?.<HTMLElement>('.placard')
    if (!bar || known.has(bar)) return
    known.add(bar)
    remember(bar, entry)
  }
  take(document.currentScript?.previousElementSibling)
  // On its way down to a button, a click has the button listen to it.
  document.addEventListener('click', ({ target }) => take(target as Element), true)
}

/** {@link rememberClosing} for scripts that call it: those of the page and of the embedded element. */
export function applyDismissal(bar: HTMLElement | null | undefined): void {
  rememberClosing(bar, ENTRY)
}
