/** The noun: an announcement, in the store and in answers. Its fields are in fields.ts. */
import { z } from 'zod'
import {
  type AnnouncementType,
  column,
  ESSENTIAL,
  OPTIONAL,
  type posting,
  shownInstant,
  startsAt,
} from './fields.ts'

/** The input of a caller: as in the body of `POST /api/events`. */
export type DraftInput = z.input<typeof posting>

/** The fields that a caller decides. The store adds `id` and `timestamp`. */
export type Draft = Omit<z.output<typeof posting>, 'startsAt'>

/** Who made a change (contract R8). */
export interface By {
  via: 'api' | 'cli' | 'admin' | 'code' | 'stripe'
  /** The name that the person at the admin or the command line gave. */
  name?: string
  /** The id of Stripe's notification, if Stripe sent one. */
  notification?: string
  /** The type of a notification that was ignored, or that deleted a coupon: `coupon.updated`, for example. */
  event?: string
  /** The id of the coupon that the notification is about. */
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
  /** The coupon that published the announcement, or `null`. */
  coupon: string | null
  /** When that coupon itself ends, if it does: milliseconds since 1970. An edit can't end later. */
  couponEndsAt?: number | undefined
  /** Whether its notification was of live mode, if it said so. A key of the other mode can't retrieve the coupon. */
  couponLive?: boolean | undefined
  by: By
}

/** A scheduled announcement. At its start it becomes the event of its type (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the event keeps. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** The order of posting. Of several that start at one instant, the one with the lower number starts first. */
  order: number
  by: By
}

/** How many may be scheduled: as many as a person can keep track of (contract A14). */
export const MAX_SCHEDULED = 20

/** Which announcements to take down: those of a type, or one by its id (spec 4.3). */
export type Selector = { type: AnnouncementType } | { id: string }

const id = z.string().describe('Identifies the announcement among all, past ones included.')
const timestamp = shownInstant().describe(
  'When it was published: milliseconds since 1970. It increases strictly.',
)
const etag = z
  .string()
  .exactOptional()
  .describe('For `If-Match` of an edit. Absent in the history.')

/** An announcement in an answer: numbers as digits in strings, unset fields left out (spec 4.2, contract R1). */
export const shown = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  timestamp,
  ...column(OPTIONAL, 'shown'),
})

/** The same in guarded answers, which have more fields (contract R7, R8). */
export const owned = z.object({
  ...shown.shape,
  coupon: z
    .string()
    .exactOptional()
    .describe("Stripe's id of the coupon that published it; absent if none did."),
  pausedSince: shownInstant()
    .exactOptional()
    .describe(
      "Hidden, because Stripe hasn't answered about its coupon since then (contract T3). Only in the slots.",
    ),
  etag,
})

/** A scheduled announcement, which has no timestamp until it starts (contract R7). */
export const scheduled = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  startsAt: startsAt.shown,
  ...column(OPTIONAL, 'shown'),
  etag,
})

/** An announcement in an answer. Only guarded ones have `coupon`, `pausedSince` and `etag`. */
export type WireAnnouncement = z.infer<typeof owned>

/** A scheduled announcement in an answer. */
export type WireScheduled = z.infer<typeof scheduled>

/** The body of `GET /api/events` and of each stream message. */
export interface WireBody {
  event: WireAnnouncement | null
}

const wired =
  <Schema extends z.ZodObject>(schema: Schema) =>
  (one: object): z.infer<Schema> => {
    const values = one as Readonly<Record<string, unknown>>
    const fields = Object.keys(schema.shape).flatMap((name) => {
      const value = values[name] ?? null
      return value === null ? [] : [[name, typeof value === 'number' ? String(value) : value]]
    })
    return Object.fromEntries(fields)
  }

export const toWire: (one: Omit<Announcement, 'coupon' | 'by'>) => WireAnnouncement = wired(shown)

/** For holders of the secret: with the coupon that published it. */
export const toOwnersWire: (one: Omit<Announcement, 'by'>) => WireAnnouncement = wired(owned)

export const toWireScheduled: (one: Scheduled) => WireScheduled = wired(scheduled)

/** Whether it has ended at `now`. At `expiresAt` itself it has (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}
