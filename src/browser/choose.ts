/**
 * Returns the canonical form of a tag: `he-IL` for the deprecated `iw_IL`, `en-US` for `en-US.UTF-8`; an empty string if
 * the tag is invalid. The service and {@link choose} agree only about canonical tags.
 */
export function canonical(tag: string): string {
  try {
    return new Intl.Locale(tag.replace(/_/g, '-').replace(/[^\w-].*/, '')).baseName
  } catch {
    return ''
  }
}

/**
 * Chooses the bar for a language as the service does (`lookUp` in core/language.ts): the exact tag, else the tag without
 * its last part, and so on, then the script that the tag implies, then the language alone.
 *
 * @param tag a canonical tag, or `''`
 * @param bars by canonical language tag; `''` is for all other languages
 * @returns `undefined` if there is no bar for the language, not even for all others
 */
export function choose<T>(tag: string, bars: Readonly<Record<string, T>>): T | undefined {
  const keys = []
  for (const parts = tag.split('-'); parts.length > 1; parts.pop()) keys.push(parts.join('-'))
  if (tag) {
    const { language, script } = new Intl.Locale(tag).maximize()
    keys.push(`${language}-${script}`, language)
  }
  keys.push('')
  return bars[keys.find((key) => bars[key]) as string]
}
