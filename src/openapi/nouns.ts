import { z } from 'zod'
import { digits, owned, scheduled } from '../core/announcement.ts'
import type { HistoryAction, WireHistoryEntry } from '../core/history.ts'
import { described } from './component.ts'

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
  paused: true,
  resumed: true,
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
    reason: 'Why a notification was ignored, or why an offer came down or is paused.',
    undo: '`possible`; or why not: `not_undoable`, `changed_since`, `ended`, `full`, or why the checkout would refuse it.',
  },
) satisfies z.ZodType<WireHistoryEntry>
