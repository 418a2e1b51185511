import type { Draft } from '../core/announcement.ts'
import { mayBeLanguage } from '../core/language.ts'

/** How many letters of usual width the bar shows at its widest. A wide East Asian character or an emoji counts twice. */
const DESKTOP_LETTERS = 88
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\p{Emoji_Presentation}]/gu

/**
 * What is accepted but will probably not work as meant, one sentence each (contract A16).
 *
 * @param knowsIcon whether there is such an icon
 */
export async function warningsOf(
  { text, slug, icon, translations }: Draft,
  knowsIcon: (name: string) => boolean | Promise<boolean>,
): Promise<string[]> {
  const warnings: string[] = []
  if (icon !== null && !(await knowsIcon(icon))) {
    warnings.push(`There is no icon "${icon}", so the sparkle is shown.`)
  }
  if (!leadsAlike(slug)) {
    warnings.push(
      'The link has no leading slash, so it leads elsewhere from each page: start it with / or https://.',
    )
  }
  if (hasCredentials(slug)) {
    warnings.push(
      'The link has a name or a password before its host, which every visitor can read.',
    )
  }
  if (!isDecodable(slug)) {
    warnings.push('The link has a % that many servers refuse: write a percent sign as %25.')
  }
  for (const tag of Object.keys(translations ?? {})) {
    if (mayBeLanguage(tag)) continue
    warnings.push(
      `No language has the tag "${tag}", so nobody gets its text: use a tag such as de or pt-BR.`,
    )
  }
  const texts = [['', text] as const, ...Object.entries(translations ?? {})]
  for (const [tag, one] of texts) {
    if (widthOf(one) <= DESKTOP_LETTERS) continue
    const which = tag === '' ? 'The text' : `The text for ${tag}`
    warnings.push(
      `${which} is longer than the bar is on a desktop (about ${DESKTOP_LETTERS} letters), so its end is cut off.`,
    )
  }
  return warnings
}

/** Whether a link leads to the same place from each page. */
export const leadsAlike = (slug: string): boolean => /^([#/?]|https?:)/i.test(slug)

const hasCredentials = (slug: string): boolean => /^https?:\/\/[^/?#]*@/i.test(slug)

/** Whether each percent-encoding in a link stands for text, and none for a NUL. */
function isDecodable(slug: string): boolean {
  try {
    return !decodeURIComponent(slug).includes('\0')
  } catch {
    return false
  }
}

function widthOf(text: string): number {
  return Array.from(text).length + (text.match(WIDE)?.length ?? 0)
}

/** A list of strings (RFC 9651), so that sentences with commas can be told apart. All of it is ASCII. */
export function warningHeader(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {}
  const quoted = warnings.map((warning) => `"${warning.replace(/["\\]/g, '\\$&')}"`)
  return { 'Placard-Warning': quoted.join(', ') }
}
