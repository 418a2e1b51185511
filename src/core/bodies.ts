/**
 * The response bodies that the client checks, and `Done`, the response to `POST /api/events/tick`. The OpenAPI document
 * uses the names of these exports.
 */
import * as z from 'zod'
import { owned, scheduled, shown } from './announcement.ts'
import { digits } from './fields.ts'
import { historyEntry } from './history.ts'

const done = {
  message: z.string().describe('The result in a sentence.'),
  ok: z.literal(true).describe('Always true.'),
}

export const Showing = z.object({
  event: shown.nullable().describe('The announcement that is live, or null.'),
})
export const Saved = z.object(done)
export const Done = z.object(done)
export const Deleted = z.object({
  ...done,
  deleted: z.int().min(0).describe('How many announcements were taken down; 0 if none matched.'),
})
export const Slots = z.object({
  events: z.array(owned).describe('At most one event of each type.'),
})
export const Schedule = z.object({
  events: z.array(scheduled).describe('At most 20 announcements.'),
})
export const History = z.object({
  entries: z.array(historyEntry).describe('History entries, newest first.'),
  next: digits().nullable().describe('The `before` for the next page, or null on the last page.'),
})
export const Undone = z.object({
  ...done,
  entry: digits().describe('The id of the history entry that records the undo.'),
})
