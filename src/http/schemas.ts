/** The schemas of request and response bodies, by name. Only the code of the OpenAPI document loads this module. */
import * as z from 'zod'
import { optional, owned, scheduled, shown } from '../core/announcement.ts'
import { Facts } from '../core/facts.ts'
import { digits, posting } from '../core/fields.ts'
import { historyEntry } from '../core/history.ts'
import { SENTENCES } from '../core/messages.ts'
import { selector, undoing } from '../core/schema.ts'
import { refTo } from './components.ts'
import { linkFor } from './input.ts'

const ok = () => z.literal(true).describe('Always true.')
const done = () => ({ message: z.string().describe('The result in a sentence.'), ok: ok() })
const params = () =>
  z
    .record(z.string(), z.union([z.string(), z.number()]))
    .exactOptional()
    .describe('The values in the sentence, by name.')

const issue = z.object({
  path: z.string().describe('The field with the issue; empty for the whole body.'),
  code: z
    .enum(Object.keys(SENTENCES))
    .describe('The code of the issue, which stays the same when the sentence changes.'),
  message: z.string().describe('The issue as an English sentence.'),
  params: params(),
})

const SCHEMAS = {
  // The schemas of request bodies also validate requests, except the schema of a notification.
  Draft: posting,
  Selector: selector,
  Undo: undoing,
  LinkFor: linkFor,
  Notification: z.unknown().describe("Stripe's event, up to 256 KiB. Ignored events get 200 too."),

  Announcement: shown,
  OwnedAnnouncement: owned,
  Scheduled: scheduled,
  HistoryEntry: historyEntry,
  Showing: z.object({
    event: shown.nullable().describe('The announcement that is live, or null.'),
  }),
  Saved: z.object(done()),
  Done: z.object(done()),
  Facts,
  Deleted: z.object({
    ...done(),
    deleted: z.int().min(0).describe('How many announcements were taken down; 0 for a repeat.'),
  }),
  Slots: z.object({ events: z.array(owned).describe('At most one event of each type.') }),
  Schedule: z.object({ events: z.array(scheduled).describe('At most 20 announcements.') }),
  History: z.object({
    entries: z.array(historyEntry).describe('History entries, newest first.'),
    next: digits().nullable().describe('The `before` for the next page, or null on the last page.'),
  }),
  Undone: z.object({
    ...done(),
    entry: digits().describe('The id of the history entry that records the undo.'),
  }),
  Link: z.object({
    url: z.string().describe('The link, which signs one browser in to the admin, once.'),
    expiresAt: digits().describe('When the link expires: milliseconds since 1970.'),
  }),
  Receipt: z.object({
    received: ok(),
    outcome: z
      .enum(['published', 'withdrawn', 'ignored'])
      .describe('The effect of the notification. A repeated notification gets the same response.'),
    reason: optional().describe(
      'Why the notification was ignored, or took the announcement down, as a code.',
    ),
  }),
  Health: z.object({ ok: ok(), id: optional().describe('The id of the service.') }),
  Ready: z.object({ ok: ok() }),
  Description: z.looseObject({ openapi: z.string().describe('The OpenAPI version.') }),
  Problem: z.object({
    error: z.string().describe('The error in a sentence. A 5xx does not reveal its cause.'),
    code: optional().describe(
      'With 400: the code of the error, which stays the same when the sentence changes.',
    ),
    params: params(),
    issues: z.array(issue).exactOptional().describe('With 400: all issues of the body or query.'),
    retryAfter: z
      .int()
      .min(1)
      .exactOptional()
      .describe('With 429: seconds to wait, as in `Retry-After`.'),
    reason: optional().describe('With 409: the reason as a code, such as `changed_since`.'),
  }),
}

export type SchemaName = keyof typeof SCHEMAS

/** Returns each schema as JSON Schema (draft 2020-12), in which a nested schema is a reference. */
export function schemaComponents(): Record<string, object> {
  // Uses its own registry, because a host may have schemas in zod's global registry.
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SCHEMAS)) names.add(schema, { id })
  const { schemas } = z.toJSONSchema(names, { uri: (id) => refTo('schemas', id).$ref, io: 'input' })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  )
}
