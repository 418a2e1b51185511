/** The noun: an announcement, in the store and in responses. Its fields are in fields.ts. */
import { z } from 'zod'
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

/** A caller's input, as in the body of `POST /api/events`. */
export type DraftInput = z.input<typeof posting>

/** The fields that a caller decides. The store adds `id` and `timestamp`. */
export type Draft = Omit<z.output<typeof posting>, 'startsAt'>

const optional = () => z.string().exactOptional()

/** Who made a change, in a response. */
export const by = z.object({
  via: z.enum(['api', 'cli', 'admin', 'code', 'stripe']).describe('Where the change came from.'),
  name: optional().describe('The name that the person gave.'),
  notification: optional().describe("The id of Stripe's notification."),
  event: optional().describe(
    'The type of a notification that was ignored, or that took an announcement down.',
  ),
  coupon: optional().describe("Stripe's id of the coupon."),
  couponName: optional().describe("The coupon's name."),
  undoing: digits().exactOptional().describe('The id of the history entry that was undone.'),
})

/** Who made a change (contract R8). */
export interface By extends Omit<z.infer<typeof by>, 'undoing'> {
  /** The id of the history entry that was undone. */
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
  /** When that coupon itself ends, if it does: milliseconds since 1970. An edit can't set a later end. */
  couponEndsAt?: number | undefined
  /** Whether the coupon's notification was sent in live mode, if known. A key of the other mode can't retrieve it. */
  couponLive?: boolean | undefined
  by: By
}

/** A scheduled announcement. At its start it becomes the event of its type (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the event keeps. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** Its place in the order of posting. Of several that start at the same instant, the lowest starts first. */
  order: number
  by: By
}

/** How many may be scheduled: as many as a person can keep track of (contract A14). */
export const MAX_SCHEDULED = 20

/** Which announcement to take down: the published one of a type, or any one by its id (spec 4.3, contract A13). */
export type Selector = { type: AnnouncementType } | { id: string }

const id = z.string().describe('Identifies the announcement among all others, including past ones.')
const timestamp = shownInstant().describe(
  'When it was published: milliseconds since 1970, strictly increasing.',
)
const etag = z
  .string()
  .exactOptional()
  .describe('For the `If-Match` of an edit. Absent in the history.')

/** An announcement in a response: numbers as digits in strings, unset fields left out (spec 4.2, contract R1). */
export const shown = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  timestamp,
  ...column(OPTIONAL, 'shown'),
})

/** The same in responses that need the secret, which have more fields (contract R7, R8). */
export const owned = z.object({
  ...shown.shape,
  coupon: z
    .string()
    .exactOptional()
    .describe("Stripe's id of the coupon that published it; absent if no coupon did."),
  pausedSince: shownInstant()
    .exactOptional()
    .describe('When Stripe last confirmed the paused coupon (contract T3). Only in the slots.'),
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

/** An announcement in a response. Only responses that need the secret have `coupon`, `pausedSince` and `etag`. */
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

/** The same for responses that need the secret, which also name the coupon that published it. */
export const toOwnersWire = wire([...WIRE, 'coupon'])

/** Whether it has ended by `now`. It ends exactly at `expiresAt` (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}
