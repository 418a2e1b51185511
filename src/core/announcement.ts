/** The noun: what an announcement is, and its form on the wire. */

/** The types of announcement. At most one of each is stored (spec 2). */
export const ANNOUNCEMENT_TYPES = ['post', 'coupon', 'product'] as const

export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number]

/** What a caller decides; the store adds `id` and `timestamp`. */
export interface Draft {
  /** One line, 3 to 500 Unicode code points, trimmed (contract A6). */
  text: string
  type: AnnouncementType
  /** A link by its rule (contract A7). */
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
