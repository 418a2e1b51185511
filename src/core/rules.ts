/**
 * The rules for an announcement's text, link and icon. The service checks these rules when it stores an announcement,
 * and the bar when it renders one. This module has no imports, because servers, components and browser scripts use it.
 */

/** A fault: the key of its sentence in the message catalogues, and the values of that sentence's placeholders. */
export interface Fault<Code extends string> {
  code: Code
  params?: Readonly<Record<string, string | number>>
}

/** Joins pasted lines into one, and replaces tabs, because an announcement is one line of text (contract A6). */
export const toLine = (text: string): string => {
  const [first = '', ...rest] = text.split(/[\t\r\n]+/)
  return rest.reduce((line, next) => `${line.trimEnd()} ${next.trimStart()}`, first)
}

/** The words of a text. Readers who dismissed a text have dismissed every text with the same words. */
export const singleSpaced = (text: string): string => text.trim().replace(/\s+/gu, ' ')

/** Whether text is too short (contract A6). The admin doesn't report short text until the form is submitted. */
export const isBlank = (text: string): boolean => Array.from(text.trim()).length < 3

/**
 * Invisible characters, by Unicode property: white space, controls, format characters (bidirectional ones and U+FEFF
 * among them), fillers, code points that are never characters, and a few that are blank by design.
 *
 * None of these properties depends on the runtime's version of Unicode, so every browser renders a link that a server
 * accepted, even a link with an emoji that is newer than the browser.
 */
const UNSEEN = [
  String.raw`\p{White_Space}\p{Cc}\p{Cf}\p{Cs}`,
  String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}`,
  // Blank by design: an empty Braille cell, the object replacement character, blank hieroglyphs, a null notehead.
  String.raw`\u2800\ufffc\u{13441}\u{13442}\u{1d159}`,
].join('')
const FORBIDDEN_IN_TEXT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/**
 * A visible character. A combining mark needs a letter, and a private or unassigned code point has no glyph. If a text
 * has only characters that are newer than the browser, they are unassigned there, so the bar hides instead of showing
 * boxes.
 */
const VISIBLE = new RegExp(String.raw`[^${UNSEEN}\p{M}\p{Co}\p{Cn}]`, 'u')

type TextFault = Fault<'not_unicode' | 'wrong_length' | 'not_one_line' | 'nothing_visible'>

/** Checks a trimmed display text (contract A6). @returns the fault, or `undefined` */
export function textFault(text: string): TextFault | undefined {
  if (!text.isWellFormed()) return { code: 'not_unicode' }
  const count = codePoints(text)
  if (count < 3 || count > 500) return { code: 'wrong_length', params: { min: 3, max: 500, count } }
  if (FORBIDDEN_IN_TEXT.test(text)) return { code: 'not_one_line' }
  return VISIBLE.test(text) ? undefined : { code: 'nothing_visible' }
}

const UNSEEN_IN_LINK = new RegExp(`[${UNSEEN}]`, 'u')
const ABSOLUTE = /^https?:\/\/[^/?#]/i
/** A first segment with a colon, which parses as a scheme: `javascript:`, `mailto:`, or `HTTP:x` without slashes. */
const SCHEME_LIKE = /^[^/?#]*:/

type LinkFault = Fault<
  'wrong_length' | 'unseen_in_link' | 'backslash_in_link' | 'not_a_url' | 'no_scheme' | 'not_a_link'
>

/**
 * Checks a trimmed link (contract A7). @returns the fault, or `undefined`
 *
 * Links are checked when they are stored and again when the bar renders them, so no request, old row or fallback file
 * can put a script or a disguised host into the bar's link. This rule rejects characters that disguise a link, and
 * those that the URL standard would strip or convert: tab, newline, backslash and, in a host, the soft hyphen.
 */
export function linkFault(slug: string): LinkFault | undefined {
  const count = codePoints(slug)
  if (count < 1 || count > 2048) {
    return { code: 'wrong_length', params: { min: 1, max: 2048, count } }
  }
  if (UNSEEN_IN_LINK.test(slug)) return { code: 'unseen_in_link' }
  if (slug.includes('\\')) return { code: 'backslash_in_link' }
  if (ABSOLUTE.test(slug)) return URL.canParse(slug) ? undefined : { code: 'not_a_url' }
  if (slug.startsWith('//')) return { code: 'no_scheme' }
  return SCHEME_LIKE.test(slug) ? { code: 'not_a_link' } : undefined
}

/** Checks only the form of an icon's name. An unknown icon isn't a fault, because the sparkle replaces it (A8). */
export function iconFault(icon: string): Fault<'not_an_icon'> | undefined {
  return /^[A-Za-z0-9-]{1,64}$/.test(icon) ? undefined : { code: 'not_an_icon' }
}

/** Counts code points without building an array of them, because a rejected text may be long. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
