/**
 * The noun: what an announcement is, the rules for its parts, and its form on the wire.
 *
 * No imports on purpose: servers, components and scripts in a browser share these rules.
 */

/** The types of announcement. At most one of each is stored (spec 2). */
export const ANNOUNCEMENT_TYPES = ['post', 'coupon', 'product'] as const

export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number]

/** What a caller decides; the store adds `id` and `timestamp`. */
export interface Draft {
  /** One line, 3 to 500 Unicode code points, trimmed (contract A6). */
  text: string
  type: AnnouncementType
  /** A link for which {@link linkProblem} finds nothing (contract A7). */
  slug: string
  /** A Lucide icon's name, or `null` for the sparkle (contract A8). */
  icon: string | null
  /** When it ends and is gone everywhere: milliseconds since 1970, or `null` (contract A9). */
  expiresAt: number | null
  /** The text in other languages, by BCP 47 tag, or `null` (contract A15). */
  translations: Readonly<Record<string, string>> | null
}

/** Who made a change (contract R8). */
export interface By {
  via: 'api' | 'cli' | 'admin' | 'code' | 'stripe'
  /** The name that a holder of the secret gave. */
  name?: string
  /** The id of the notification, where Stripe sent one. */
  notification?: string
  /** What an ignored notification told of, or one that a coupon is deleted: `coupon.updated`, say. */
  event?: string
  /** The id of the coupon that it is about. */
  coupon?: string
  /** The coupon's name, if it has one. */
  couponName?: string
  /** The history entry that was undone. */
  undoing?: number
}

/** A stored announcement: the record that spec.md calls an event. */
export interface Announcement extends Draft {
  /** A random UUID. */
  id: string
  /** Milliseconds since 1970, strictly increasing in the order of creation (contract R1). */
  timestamp: number
  /** The coupon that put it up, or `null` if none did. */
  coupon: string | null
  /** When that coupon itself ends, if it does: milliseconds since 1970. No edit may outlast it. */
  couponEndsAt?: number | undefined
  by: By
}

/** An announcement that waits for its start. From that instant on it is the event of its type (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the event keeps. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** The order of posting. Of several that start at one instant, the one with the lower number starts first. */
  order: number
  by: By
}

/** As many may wait as a person can keep in view (contract A14). */
export const MAX_SCHEDULED = 20

/** A text is one line (contract A6). Its field takes several, from the clipboard, or by Enter without script. */
export const toLine = (text: string): string => text.replace(/\s*[\r\n]\s*/g, ' ')

/** Whether there is no text yet, but at most its beginning: two letters are how every text begins (contract A6). */
export const isBlank = (text: string): boolean => Array.from(text.trim()).length < 3

/** Which announcements to take down: those of a type, or one by its id (spec 4.3). */
export type Selector = { type: AnnouncementType } | { id: string }

/** An announcement in a response: numbers as digits in strings, unset fields left out (spec 4.2, contract R1). */
export interface WireAnnouncement {
  id: string
  text: string
  type: AnnouncementType
  slug: string
  timestamp: string
  icon?: string
  expiresAt?: string
  translations?: Record<string, string>
  /** Stripe's id of the coupon that put it up. Only guarded answers tell it (contract R7, R8). */
  coupon?: string
  /** For `If-Match`, when it is edited. Only the lists of contract R7 have it. */
  etag?: string
}

/** A scheduled announcement in a response. It has no timestamp before it starts (contract R7). */
export type WireScheduled = Omit<WireAnnouncement, 'timestamp' | 'coupon'> & { startsAt: string }

/** The body of `GET /api/events` and of each stream message. */
export interface WireBody {
  event: WireAnnouncement | null
}

export function toWire(announcement: Omit<Announcement, 'coupon' | 'by'>): WireAnnouncement {
  const { id, text, type, slug, timestamp } = announcement
  return { id, text, type, slug, timestamp: String(timestamp), ...optionalParts(announcement) }
}

/** For those who have the secret: it tells where the announcement came from too. */
export function toOwnersWire(announcement: Omit<Announcement, 'by'>): WireAnnouncement {
  const { coupon } = announcement
  return { ...toWire(announcement), ...(coupon !== null && { coupon }) }
}

export function toWireScheduled(scheduled: Scheduled): WireScheduled {
  const { id, text, type, slug, startsAt } = scheduled
  return { id, text, type, slug, startsAt: String(startsAt), ...optionalParts(scheduled) }
}

function optionalParts({ icon, expiresAt, translations }: Draft) {
  return {
    ...(icon !== null && { icon }),
    ...(expiresAt !== null && { expiresAt: String(expiresAt) }),
    ...(translations !== null && { translations }),
  }
}

/** Whether it has ended at `now`. At `expiresAt` it is gone already (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}

/**
 * What the eye can't see, by Unicode property: white space, controls, format characters (bidirectional ones and U+FEFF
 * among them), fillers, code points that never are characters, and a few that are blank by design.
 *
 * None of these properties depends on whether a runtime knows a character yet. So every browser renders a link that a
 * server accepted, even one with next year's emoji in it.
 */
const UNSEEN = [
  String.raw`\p{White_Space}\p{Cc}\p{Cf}\p{Cs}`,
  String.raw`\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}`,
  // A Braille cell without dots, the object replacement character, blank hieroglyphs, a note without its head.
  String.raw`\u2800\ufffc\u{13441}\u{13442}\u{1d159}`,
].join('')
const FORBIDDEN_IN_TEXT = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/**
 * A mark needs a letter, and a private or unassigned code point has no glyph. What is unassigned does depend on the
 * runtime: a browser that knows no character of a text renders no bar, where it would render a row of boxes.
 */
const VISIBLE = new RegExp(String.raw`[^${UNSEEN}\p{M}\p{Co}\p{Cn}]`, 'u')

/** Says what is wrong with a trimmed display text, or `undefined` (contract A6). */
export function textProblem(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has half of a surrogate pair)'
  const length = codePoints(text)
  if (length < 3 || length > 500) return `must have 3 to 500 characters (it has ${length})`
  if (FORBIDDEN_IN_TEXT.test(text)) {
    return 'must be one line without control characters or bidirectional overrides'
  }
  if (!VISIBLE.test(text)) return 'must have at least one visible character'
  return undefined
}

const UNSEEN_IN_LINK = new RegExp(`[${UNSEEN}]`, 'u')
const ABSOLUTE = /^https?:\/\/[^/?#]/i
/** A first segment with a colon reads as a scheme: `javascript:`, `mailto:`, `HTTP:x` without its slashes. */
const SCHEME_LIKE = /^[^/?#]*:/

/**
 * Says what is wrong with a trimmed link, or `undefined` (contract A7).
 *
 * This rule guards writing and rendering alike, so neither a request, an old row nor a fallback file can put a script
 * or a stranger's host behind the bar. Anything that the URL standard would strip or fold (tab, newline, backslash, in
 * a host also a soft hyphen) is refused, not interpreted. So is whatever makes a link look like another one.
 */
export function linkProblem(slug: string): string | undefined {
  const length = codePoints(slug)
  if (length < 1 || length > 2048) return `must have 1 to 2048 characters (it has ${length})`
  if (UNSEEN_IN_LINK.test(slug)) {
    return 'must not contain white space, control or invisible characters (percent-encode them)'
  }
  if (slug.includes('\\')) return 'must not contain a backslash'
  if (ABSOLUTE.test(slug)) return URL.canParse(slug) ? undefined : 'must be a valid URL'
  if (slug.startsWith('//')) return 'must name its scheme: https://host/path'
  if (SCHEME_LIKE.test(slug)) {
    return 'must be a fragment (#coupon), a path (/blog/x) or an http: or https: URL'
  }
  return undefined
}

/** Whether a name has the form of an icon's. Whether there is such an icon shows when it is rendered (contract A8). */
export function isIconName(icon: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(icon)
}

/** Counts code points without building an array of them: a refused text may be long. */
function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
