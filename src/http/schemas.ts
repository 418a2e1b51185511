/** The bodies of requests and answers by name. Only the OpenAPI document loads this. */
import { z } from 'zod'
import { digits, owned, posting, scheduled, shown } from '../core/announcement.ts'
import type { HistoryAction, WireHistoryEntry } from '../core/history.ts'
import { SENTENCES } from '../core/messages.ts'
import { selector, undoing } from '../core/schema.ts'
import { refTo } from './components.ts'
import { Facts } from './facts.ts'

const optional = () => z.string().exactOptional()
const ok = () => z.literal(true).describe('Always true.')
const done = () => ({ message: z.string().describe('For people.'), ok: ok() })
const params = () =>
  z
    .record(z.string(), z.union([z.string(), z.number()]))
    .exactOptional()
    .describe('What varies in the sentence.')

const issue = z.object({
  path: z.string().describe('Which field; empty for the body as a whole.'),
  code: z
    .enum(Object.keys(SENTENCES))
    .describe('What is wrong with it. It stays when the sentence is worded anew.'),
  message: z.string().describe('The same in English.'),
  params: params(),
})

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

const by = z.object({
  via: z.enum(['api', 'cli', 'admin', 'code', 'stripe']).describe('The way that it came.'),
  name: optional().describe('The name that a holder of the secret gave.'),
  notification: optional().describe("The id of Stripe's notification."),
  event: optional().describe(
    'What an ignored notification told of, or one that a coupon is deleted.',
  ),
  coupon: optional().describe("Stripe's id of the coupon that it is about."),
  couponName: optional().describe("The coupon's name."),
  undoing: digits().exactOptional().describe('The entry that was undone.'),
})

const entry = z.object({
  id: digits().describe('Higher than that of every earlier entry.'),
  at: digits().describe('When it happened: milliseconds since 1970.'),
  action: z.enum(Object.keys(ACTIONS) as HistoryAction[]).describe('What happened.'),
  by: by.describe('Who did it.'),
  before: either().describe('What was there before.'),
  after: either().describe('What is there since.'),
  reason: optional().describe(
    'Why a notification was ignored, or why an offer came down or is paused.',
  ),
  undo: z
    .string()
    .describe(
      '`possible`; or why not: `not_undoable`, `changed_since`, `ended`, `full`, or why the checkout would refuse it.',
    ),
}) satisfies z.ZodType<WireHistoryEntry>

const SCHEMAS = {
  // What requests have to be: the schemas that check them.
  Draft: posting,
  Selector: selector.extend({
    type: selector.shape.type.describe('Takes down what stands of this type. Either this or `id`.'),
    id: selector.shape.id.describe(
      'Takes down what has this id, scheduled or not. Either this or `type`.',
    ),
  }),
  Undo: undoing.extend({
    id: undoing.shape.id.describe(
      'An entry of the history. Default: the last one that is not itself an undo.',
    ),
  }),
  LinkFor: z.strictObject({
    name: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Who it is for, as the history will show them: 1 to 64 printable characters.'),
  }),
  Notification: z
    .unknown()
    .describe("Stripe's event, at most 256 KiB. Everything signed is answered 200."),

  Announcement: shown,
  OwnedAnnouncement: owned,
  Scheduled: scheduled,
  HistoryEntry: entry,
  Showing: z.object({
    event: shown.nullable().describe('What shows, or null if nothing does.'),
  }),
  Saved: z.object(done()),
  Done: z.object(done()),
  Facts,
  Deleted: z.object({
    ...done(),
    deleted: z
      .int()
      .min(0)
      .describe('How many went. 0 if there was none, so a repeat does no harm.'),
  }),
  Slots: z.object({ events: z.array(owned).describe('One of each type at most.') }),
  Schedule: z.object({ events: z.array(scheduled).describe('At most 20.') }),
  History: z.object({
    entries: z.array(entry).describe('Newest first.'),
    next: digits()
      .nullable()
      .describe('The `before` of the next page, or null if this is the last.'),
  }),
  Undone: z.object({
    ...done(),
    entry: digits().describe('The entry of the history that tells of it.'),
  }),
  Link: z.object({
    url: z.string().describe('It opens the admin in one browser, once.'),
    expiresAt: digits().describe('When it is over: milliseconds since 1970.'),
  }),
  Receipt: z.object({
    received: ok(),
    outcome: z
      .enum(['published', 'withdrawn', 'ignored'])
      .describe('What the notification did to the page. A repeat is answered like the first.'),
    reason: optional().describe('Why it was ignored.'),
  }),
  Health: z.object({ ok: ok(), id: optional().describe('Tells services apart.') }),
  Ready: z.object({ ok: ok() }),
  Description: z.looseObject({ openapi: z.string().describe('The version of OpenAPI.') }),
  Problem: z.object({
    error: z.string().describe('What is wrong, in a sentence. A 5xx does not name its cause.'),
    code: optional().describe(
      'With 400: what is wrong. It stays when the sentence is worded anew.',
    ),
    params: params(),
    issues: z.array(issue).exactOptional().describe('With 400: every fault of a body at once.'),
    retryAfter: z
      .int()
      .min(1)
      .exactOptional()
      .describe('With 429: seconds to wait, as in `Retry-After`.'),
    reason: optional().describe('With 409: why, as `changed_since` or `coupon_used_up`.'),
  }),
}

export type SchemaName = keyof typeof SCHEMAS

/** Each schema as JSON Schema (draft 2020-12) of what is sent. One that contains another refers to it. */
export function schemaComponents(): Record<string, object> {
  // Names are none of the global registry's business: a host may describe its own API with it.
  const names = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(SCHEMAS)) names.add(schema, { id })
  const metadata = Object.assign(z.registry<Record<string, unknown>>(), {
    get: (schema: z.ZodType) => ({ ...z.globalRegistry.get(schema), ...names.get(schema) }),
  })
  const uri = (id: string) => refTo('schemas', id).$ref
  const made = z.toJSONSchema(names, { uri, metadata, io: 'input' }).schemas
  return Object.fromEntries(
    Object.entries(made).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  )
}
