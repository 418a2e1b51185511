/**
 * The tags to try for a language, best first, as the service tries them (`choicesFor` in core/language.ts): the tag itself,
 * then without its last part, and so on, then the script that the tag implies, then the language alone. All are
 * canonical: `he-IL` for the deprecated `iw_IL`, `en-US` for `en-US.UTF-8`. An invalid tag has one choice, `''`.
 */
export function choicesFor(tag: string): string[] {
  try {
    const locale = new Intl.Locale(tag.replace(/[^\w-].*/, '').replace(/_/g, '-'))
    const { baseName } = locale
    const { language, script } = locale.maximize()
    const choices = [baseName]
    for (let one = baseName; one.includes('-'); one = one.replace(/-\w+$/, '')) choices.push(one)
    return [...choices, `${language}-${script}`, language, '']
  } catch {
    return ['']
  }
}
