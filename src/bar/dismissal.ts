/**
 * Closing a line, and remembering it: by what it says, until it ends.
 *
 * One entry in localStorage, `placard-closed`, holds the key of the closed line and its end. A different
 * line, or none, forgets it, so the entry never outlives the announcement for a returning reader.
 */

import { checksum } from '../checksum.ts'

/** The name under which surfaces on one origin remember. */
export const ENTRY = 'placard-closed'

/**
 * A short key for what is shown. An edit that a reader can see changes it; white space doesn't.
 * Two checksums with different seeds: 64 bits are plenty for "seen before".
 */
export function contentKey(shown: {
  text: string
  type: string
  slug: string
  icon?: string | null | undefined
  translations?: Readonly<Record<string, string>> | null | undefined
}): string {
  const texts = [shown.text, ...Object.entries(shown.translations ?? {}).flat()]
  const said = [...texts.map(plain), shown.slug, shown.type, shown.icon ?? '']
  return checksum(said.join('\n')) + checksum(said.join('\n'), 0x9dc5811c)
}

function plain(text: string): string {
  return String(text).trim().replace(/\s+/gu, ' ')
}

/**
 * Hides the bar if its reader has closed it, and lets them close it.
 *
 * Self-contained, since it is printed into pages (see `dismissScript`): it may refer to nothing outside.
 *
 * @param line the `.placard` element, or nothing if there is none
 * @param entry name of the entry in localStorage
 */
export function rememberClosing(line: Element | null | undefined, entry: string): void {
  const key = line?.getAttribute('data-key') ?? ''
  try {
    const [closed, until] = (localStorage.getItem(entry) ?? '').split(' ')
    if (closed && (closed !== key || Number(until) <= Date.now())) localStorage.removeItem(entry)
    else if (closed) line?.toggleAttribute('hidden', true)
  } catch {
    // Storage may be forbidden: then closing lasts as long as the page.
  }
  line?.querySelector('button')?.addEventListener('click', () => {
    line.toggleAttribute('hidden', true)
    try {
      localStorage.setItem(entry, `${key} ${line.getAttribute('data-until') ?? 'Infinity'}`)
    } catch {
      // As above.
    }
  })
}

/** For the embedded element: the same, called rather than printed. */
export function applyDismissal(line: Element | null | undefined): void {
  rememberClosing(line, ENTRY)
}
