import { type Announcement, type Draft, hasEnded, type Scheduled } from '../core/announcement.ts'
import type { Board } from '../core/board.ts'
import { isScheduled } from '../core/history.ts'
import { mayBeLanguage } from '../core/language.ts'
import type { Log } from '../core/log.ts'
import { issueAt, type MessageCode } from '../core/messages.ts'
import type { Issue } from '../core/problem.ts'
import { singleSpaced } from '../core/rules.ts'
import type { Store } from '../store/store.ts'
import type { ParsedNotification } from '../stripe/notification.ts'

/**
 * How many letters of average width the bar holds at its widest. A wide East Asian character or an emoji counts twice.
 */
const DESKTOP_LETTERS = 88
/** The same on a phone. */
const PHONE_LETTERS = 30
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\p{Emoji_Presentation}]/gu

/** The maximum number of languages that a warning names, which keeps the header short. */
const MAX_NAMED = 3

/**
 * Returns warnings about a draft that is accepted but will probably not work as intended: at most one for each code
 * (contract A16).
 *
 * @param knowsIcon returns whether there is an icon with this name
 */
export async function warningsOf(
  { text, slug, icon, translations, slugs, language }: Draft,
  knowsIcon: (name: string) => boolean | Promise<boolean>,
): Promise<Issue[]> {
  const texts = Object.entries(translations ?? {})
  const links = Object.entries(slugs ?? {})
  /** Warns of the first link with a fault. */
  const ofLink = (code: MessageCode, isFaulty: (link: string) => boolean) => {
    const named = links.map(([tag, link]) => [`slugs.${tag}`, link] as const)
    const [path] = [['slug', slug] as const, ...named].find(([, link]) => isFaulty(link)) ?? []
    return path !== undefined && issueAt(path, code)
  }
  const tags = {
    language: language === undefined ? [] : [[language]],
    translations: texts,
    slugs: links,
  }
  const unknown = Object.entries(tags).flatMap(([field, all]) =>
    all.flatMap(([tag = '']) => (mayBeLanguage(tag) ? [] : { field, tag })),
  )
  const width = widthOf(text)
  const cut = tagsOf(texts, DESKTOP_LETTERS)
  const cutOnPhone = tagsOf(texts, PHONE_LETTERS).filter((tag) => !cut.includes(tag))
  const [letters, few] = [DESKTOP_LETTERS, PHONE_LETTERS]
  return [
    icon !== null && !(await knowsIcon(icon)) && issueAt('icon', 'unknown_icon', { name: icon }),
    ofLink('relative_link', (link) => !leadsAlike(link)),
    ofLink('credentials_in_link', hasCredentials),
    ofLink('undecodable_link', (link) => !isDecodable(link)),
    unknown[0] !== undefined &&
      issueAt(unknown[0].field, 'unknown_language', {
        tags: named([...new Set(unknown.map(({ tag }) => tag))]),
      }),
    width > letters && issueAt('text', 'text_cut_off', { letters }),
    width > few && width <= letters && issueAt('text', 'text_cut_off_phone', { letters: few }),
    cut.length > 0 && issueAt('translations', 'translation_cut_off', { tags: named(cut), letters }),
    cutOnPhone.length > 0 &&
      issueAt('translations', 'translation_cut_off_phone', {
        tags: named(cutOnPhone),
        letters: few,
      }),
  ].filter((warning) => warning !== false)
}

/** How long a dismissal lasts (see `recallClosing` in bar/dismissal.ts). */
const DISMISSED_MS = 90 * 86_400_000

/**
 * Warns of a text that visitors may have dismissed when it showed before. A dismissal stays in effect after the
 * announcement is replaced or taken down, but not after it ends (contract A16). An edit that keeps the text gets no
 * warning.
 *
 * @param one the text, the instant from which it shows, and the announcement's id, empty before it is stored
 * @param edited the announcement before the edit
 * @param board the board before or after the write
 */
export async function dismissedOf(
  one: { text: string; from: number; id: string },
  edited: Announcement | Scheduled | undefined,
  board: Board | undefined,
  store: Pick<Store, 'historyOf'>,
): Promise<Issue[]> {
  const words = singleSpaced(one.text)
  const has = (it: Announcement | Scheduled | null) =>
    it !== null && !isScheduled(it) && singleSpaced(it.text) === words
  if (edited && has(edited)) return []
  const entries = await store.historyOf(words, one.from - DISMISSED_MS)
  const gone = entries.flatMap(({ before, after }) => {
    const isKept = before?.id === after?.id && has(after)
    return before && has(before) && !isKept ? before : []
  })
  const shown = board?.published.filter((it) => it.id !== one.id && has(it)) ?? []
  const isDismissed = [...gone, ...shown].some((it) => !hasEnded(it, one.from))
  return isDismissed ? [issueAt('text', 'dismissed_before')] : []
}

const tagsOf = (texts: readonly [tag: string, text: string][], letters: number): string[] =>
  texts.filter(([, text]) => widthOf(text) > letters).map(([tag]) => tag)

const named = (tags: readonly string[]): string =>
  tags.length > MAX_NAMED ? `${tags.slice(0, MAX_NAMED).join(', ')}, ...` : tags.join(', ')

/** Whether a link works the same on pages in every folder. A relative path doesn't. */
export const leadsAlike = (slug: string): boolean => /^([#/?]|https?:)/i.test(slug)

const hasCredentials = (slug: string): boolean => /^https?:\/\/[^/?#]*@/i.test(slug)

/** Whether all percent-encodings in a link decode to valid text without a NUL. */
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

/** Returns the warnings in the format of RFC 9651, such as `"There is no icon …";code=unknown_icon;path=icon`. */
export function warningHeader(warnings: readonly Issue[]): Record<string, string> {
  if (warnings.length === 0) return {}
  const items = warnings.map(({ message, code, path }) => {
    const quoted = message.replace(/["\\]/g, '\\$&')
    return `"${quoted}";code=${code};path=${path}`
  })
  return { 'Placard-Warning': items.join(', ') }
}

/** Logs the invalid metadata of a coupon, and warns of content that may not show as intended (contract T5, A16). */
export type WarnOfCoupon = ReturnType<typeof createCouponWarnings>

export function createCouponWarnings(log: Log, knowsIcon: (name: string) => Promise<boolean>) {
  return async ({ notification: { id, coupon, effect }, faults }: ParsedNotification) => {
    if (effect.kind !== 'publish') return
    const about = { notification: id, coupon }
    if (faults.length > 0) log.warn({ ...about, faults }, "ignored a coupon's invalid metadata")
    const found = await warningsOf(effect.draft, knowsIcon)
    // A path with a dot ends in the language.
    const warnings = found.map(({ path, message }) =>
      path.includes('.') ? `${path}: ${message}` : message,
    )
    if (warnings.length > 0) log.warn({ ...about, warnings }, 'a coupon may not show as intended')
  }
}
