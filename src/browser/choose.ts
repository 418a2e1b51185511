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
 * Chooses the bar's tag for a language as the service does (`lookUp` in core/language.ts): the exact tag, else the tag without
 * its last part, and so on, then the script that the tag implies, then the language alone.
 *
 * @param tag a canonical tag, or `''`
 * @param langs the tags of all bars; `''` is for all other languages
 */
export function choose(tag: string, langs: readonly string[]): string {
  const keys = []
  for (const parts = tag.split('-'); parts.length > 1; parts.pop()) keys.push(parts.join('-'))
  if (tag) {
    const { language, script } = new Intl.Locale(tag).maximize()
    keys.push(`${language}-${script}`, language)
  }
  return keys.find((key) => langs.includes(key)) ?? ''
}
