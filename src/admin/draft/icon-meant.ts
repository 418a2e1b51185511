import { iconsLike, knowsIcon } from '../../bar/icon.ts'
import type { Words } from '../words.ts'

/**
 * Returns the icon that somebody means by a word in the icon field: the icon of that name, or else the first one that
 * the list below the field suggests. Anything with a hyphen is the name of an icon, not a word: a mistyped name stays
 * as it is, and gets a warning.
 */
export function iconMeant(written: string, { icons }: Pick<Words, 'icons'>): string {
  if (/^$|-/.test(written) || knowsIcon(written)) return written
  return iconsLike(written, icons)[0] ?? written
}
