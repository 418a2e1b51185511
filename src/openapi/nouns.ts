import { z } from 'zod'
import {
  ANNOUNCEMENT_TYPES,
  type WireAnnouncement,
  type WireScheduled,
} from '../core/announcement.ts'
import type { HistoryAction, WireHistoryEntry } from '../core/history.ts'
import { described } from './component.ts'

// Each is made anew, because a description belongs to one schema.
export const digits = () => z.string().regex(/^\d{1,16}$/)
const text = () => z.string().min(3).max(500)

const parts = () => ({
  id: z.string(),
  text: text(),
  type: z.enum(ANNOUNCEMENT_TYPES),
  slug: z.string(),
  icon: z.string().exactOptional(),
  expiresAt: digits().exactOptional(),
  translations: z.record(z.string(), text()).exactOptional(),
})
const PARTS = {
  id: 'Identifies it among all announcements, past ones included.',
  text: 'One line for people to read.',
  type: 'At most one of each type stands. A product opens in a new tab.',
  slug: 'Where it links: a fragment, a path or an http: or https: URL.',
  icon: 'The name of a Lucide icon; absent if unset.',
  expiresAt: 'From then on it is gone: milliseconds since 1970. Absent if it has no end.',
  translations: 'The text in other languages, by BCP 47 tag; absent if there are none.',
}
const timestamp = 'When it was published: milliseconds since 1970. It increases strictly.'

export const announcement = described(z.object({ ...parts(), timestamp: digits() }), {
  ...PARTS,
  timestamp,
}) satisfies z.ZodType<WireAnnouncement>

const etag = 'For `If-Match`, when it is edited. Absent in the history.'

export const owned = described(
  z.object({
    ...parts(),
    timestamp: digits(),
    coupon: z.string().exactOptional(),
    etag: z.string().exactOptional(),
  }),
  {
    ...PARTS,
    timestamp,
    coupon: "Stripe's id of the coupon that put it up; absent if none did.",
    etag,
  },
) satisfies z.ZodType<WireAnnouncement>

export const scheduled = described(
  z.object({ ...parts(), startsAt: digits(), etag: z.string().exactOptional() }),
  { ...PARTS, startsAt: 'When it starts: milliseconds since 1970.', etag },
) satisfies z.ZodType<WireScheduled>

const by = described(
  z.object({
    via: z.enum(['api', 'cli', 'admin', 'code', 'stripe']),
    name: z.string().exactOptional(),
    notification: z.string().exactOptional(),
    event: z.string().exactOptional(),
    coupon: z.string().exactOptional(),
    couponName: z.string().exactOptional(),
    undoing: digits().exactOptional(),
  }),
  {
    via: 'The way that it came.',
    name: 'The name that a holder of the secret gave.',
    notification: "The id of Stripe's notification.",
    event: 'What an ignored notification told of, or one that a coupon is deleted.',
    coupon: "Stripe's id of the coupon that it is about.",
    couponName: "The coupon's name.",
    undoing: 'The entry that was undone.',
  },
) satisfies z.ZodType<WireHistoryEntry['by']>

/** Has every action, or it would not compile. */
const ACTIONS: Record<HistoryAction, true> = {
  published: true,
  replaced: true,
  scheduled: true,
  edited: true,
  started: true,
  withdrawn: true,
  ended: true,
  ignored: true,
}
const either = () => z.union([owned, scheduled]).nullable()

export const entry = described(
  z.object({
    id: digits(),
    at: digits(),
    action: z.enum(Object.keys(ACTIONS) as HistoryAction[]),
    by,
    before: either(),
    after: either(),
    reason: z.string().exactOptional(),
    undo: z.string(),
  }),
  {
    id: 'Higher than that of every earlier entry.',
    at: 'When it happened: milliseconds since 1970.',
    action: 'What happened.',
    by: 'Who did it.',
    before: 'What was there before.',
    after: 'What is there since.',
    reason: 'Why a notification was ignored, or why it took something down.',
    undo: '`possible`; or why not: `not_undoable`, `changed_since`, `ended`, `full`, or why the checkout would refuse it.',
  },
) satisfies z.ZodType<WireHistoryEntry>
