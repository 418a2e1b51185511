/** Announcements, as the store keeps them and as responses show them. fields.ts defines the fields. */
import * as z from 'zod'
import { checksum } from './checksum.ts'
import {
  type AnnouncementType,
  column,
  digits,
  ESSENTIAL,
  OPTIONAL,
  type posting,
  shownInstant,
  startsAt,
} from './fields.ts'

/**
 * A caller's input, as in the body of `POST /api/events`. It is an interface, so that the package's type declarations
 * contain these comments.
 */
export interface DraftInput {
  /** One line of 3 to 500 Unicode code points. White space at both ends is trimmed (contract A6). */
  text: string
  /** Publishing replaces the announcement of the same type (spec 2). */
  type: AnnouncementType
  /** The link: a fragment (`#coupon`), a path (`/blog/x`), or an `http:` or `https:` URL (contract A7). */
  slug: string
  /** The name of a Lucide icon (contract A8). Default: a sparkle. */
  icon?: string | null | undefined
  /** When it ends: RFC 3339 with an offset, or milliseconds since 1970 (contract A9). Default: never. */
  expiresAt?: string | number | undefined
  /** When it starts, in the same forms (contract A14). Default: at once. */
  startsAt?: string | number | undefined
  /** The text in up to 20 other languages, by BCP 47 tag (contract A15). */
  translations?: Record<string, string> | null | undefined
  /** The links for readers of up to 20 other languages, by BCP 47 tag (contract A19). Default: `slug`. */
  slugs?: Record<string, string> | null | undefined
  /** The language of `text` and `slug`, as a BCP 47 tag (contract A15). Default: unknown. */
  language?: string | undefined
}

/** The fields of an announcement that a caller sets, except `startsAt`. The store adds the id and the timestamp. */
export type Draft = Omit<z.output<typeof posting>, 'startsAt'>

/** The schema of an optional string in a response. */
export const optional = () => z.string().exactOptional()

/** The author of a change, in a response. */
export const by = z.object({
  via: z.enum(['api', 'cli', 'admin', 'code', 'stripe']).describe('Where the change came from.'),
  name: optional().describe('The name of the person who made the change.'),
  notification: optional().describe("The id of Stripe's notification."),
  event: optional().describe(
    'The type of a notification that was ignored, or that took an announcement down.',
  ),
  coupon: optional().describe("The coupon's id at Stripe."),
  couponName: optional().describe("The coupon's name."),
  undoing: digits().exactOptional().describe('For an undo, the id of the entry that it undid.'),
})

/** The author of a change (contract R8). */
export interface By {
  /** Where the change came from. */
  via: z.infer<typeof by>['via']
  /** The name of the person who made the change, if known. */
  name?: string
  /** The id of Stripe's notification. */
  notification?: string
  /** The type of a notification that was ignored, or that took an announcement down. */
  event?: string
  /** The coupon's id at Stripe. */
  coupon?: string
  /** The coupon's name. */
  couponName?: string
  /** For an undo, the id of the history entry that it undid. */
  undoing?: number
}

/** A stored announcement: the record that spec.md calls an event. */
export interface Announcement extends Draft {
  /** A random UUID. */
  id: string
  /** Milliseconds since 1970, strictly increasing in the order of creation (contract R1). */
  timestamp: number
  /** The id of the coupon that published the announcement, or `null`. */
  coupon: string | null
  /**
   * When the offer ends: the earlier of the coupon's end time and its promotion code's, in ms since 1970. No edit can
   * set a later `expiresAt`.
   */
  couponEndsAt?: number | undefined
  /** Whether the coupon belongs to Stripe's live mode, if known. A key of the other mode can't retrieve the coupon. */
  couponLive?: boolean | undefined
  /** Who published the announcement. */
  by: By
}

/** A scheduled announcement, which becomes the event of its type when it starts (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the announcement keeps when it starts. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** Higher for announcements that were scheduled later. Those with the same `startsAt` start in this order. */
  order: number
  by: By
}

/** How many announcements may be scheduled: as many as a person can keep track of (contract A14). */
export const MAX_SCHEDULED = 20

/** Selects the announcement to take down: by type, if published; by id, even if scheduled (spec 4.3, contract A13). */
export type Selector = { type: AnnouncementType } | { id: string }

const id = z.string().describe('Unique among all announcements, including past ones.')
const timestamp = shownInstant().describe(
  'The time of publication: milliseconds since 1970, strictly increasing in the order of creation.',
)
const etag = optional().describe(
  'Send this as `If-Match` to edit only this version. Absent in the history.',
)

/** An announcement in a response. Numbers are strings of digits; unset fields are absent (spec 4.2, contract R1). */
export const shown = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  timestamp,
  ...column(OPTIONAL, 'shown'),
})

/** An announcement in a response to a caller with the secret, who gets more fields (contract R7, R8). */
export const owned = z.object({
  ...shown.shape,
  coupon: optional().describe(
    'The id of the coupon that published the announcement; absent if no coupon did.',
  ),
  pausedSince: shownInstant()
    .exactOptional()
    .describe('When Stripe last confirmed the paused coupon (T3). Only in `/api/events/slots`.'),
  etag,
})

/** A scheduled announcement in a response. It gets its timestamp only when it starts (contract R7). */
export const scheduled = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  startsAt: startsAt.shown,
  ...column(OPTIONAL, 'shown'),
  etag,
})

/** An announcement in a response. Only callers with the secret get `coupon`, `pausedSince` and `etag`. */
export type WireAnnouncement = z.infer<typeof owned>

/** A scheduled announcement in a response. */
export type WireScheduled = z.infer<typeof scheduled>

/** The body of `GET /api/events` and of each stream message. */
export interface WireBody {
  event: WireAnnouncement | null
}

type Wire<One> = One extends Scheduled ? WireScheduled : WireAnnouncement

const wire =
  (names: readonly string[]) =>
  <One extends Announcement | Scheduled>(one: One): Wire<One> => {
    const values: { [name: string]: unknown } = { ...one }
    const fields = names.flatMap((name) => {
      const value = values[name] ?? null
      return value === null ? [] : [[name, typeof value === 'number' ? String(value) : value]]
    })
    return Object.fromEntries(fields)
  }

const WIRE = ['id', ...Object.keys(ESSENTIAL), 'timestamp', 'startsAt', ...Object.keys(OPTIONAL)]

export const toWire = wire(WIRE)

/** Like {@link toWire}, for callers with the secret, who also learn which coupon published the announcement. */
export const toOwnersWire = wire([...WIRE, 'coupon'])

/** The body of the response that shows an announcement (contract R1). */
export const bodyOf = (event: Announcement | Scheduled | null): string =>
  JSON.stringify({ event: event && toWire(event) })

/** The strong ETag of an announcement, in quotes. For `null`, the ETag of a response without an announcement. */
export function etagOf(event: Announcement | Scheduled | null, body = bodyOf(event)): string {
  // An edit keeps the announcement's id, so the checksum tells the versions apart.
  return `"${event?.id ?? 'none'}.${checksum(body)}"`
}

/** Whether an announcement has ended by `now`. An announcement ends exactly at `expiresAt` (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}
