/** The schemas of request and response bodies, by name. Only `openapi-document.ts` loads this module. */
import * as z from 'zod'
import { optional, owned, scheduled, shown } from '../core/announcement.ts'
import * as bodies from '../core/bodies.ts'
import { Facts } from '../core/facts.ts'
import { digits, posting } from '../core/fields.ts'
import { historyEntry } from '../core/history.ts'
import { SENTENCES } from '../core/messages.ts'
import { selector, undoing } from '../core/schema.ts'
import { linkFor } from './input.ts'
import { refTo } from './openapi-components.ts'

const { ok } = bodies.Done.shape
const params = () =>
  z
    .record(z.string(), z.union([z.string(), z.number()]))
    .exactOptional()
    .describe('The values in the sentence, by name.')

const issue = z.object({
  path: z.string().describe('The field with the issue; empty for the whole body.'),
  code: z
    .enum(Object.keys(SENTENCES))
    .describe(
      'The code of the issue. The sentence in `message` may change, but its code does not.',
    ),
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
  ...bodies,
  Facts,
  Link: z.object({
    url: z.string().describe('The link, which signs one browser in to the admin, once.'),
    expiresAt: digits().describe('When the link expires: milliseconds since 1970.'),
  }),
  Receipt: z.object({
    received: ok,
    outcome: z
      .enum(['published', 'withdrawn', 'ignored'])
      .describe('The effect of the notification. A repeated notification gets the same response.'),
    reason: optional().describe(
      'The code of the reason why the notification was ignored or took the announcement down.',
    ),
  }),
  Health: z.object({
    ok,
    id: optional().describe('The id of the service.'),
    forwarded: z.int().describe('How many `X-Forwarded-For` entries the request had.'),
  }),
  Bar: z.object({
    id: z.string().describe('Changes with anything that the bar shows, in any language.'),
    lang: z
      .string()
      .describe('The BCP 47 tag of the bar; empty if there is none for the requested tag.'),
    langs: z
      .array(z.string())
      .describe('The tags of all bars; an empty one is for all other languages.'),
    dir: z.enum(['ltr', 'rtl', 'auto']).describe('The direction of the bar.'),
    tree: z
      .array(z.unknown())
      .describe(
        'An element: its tag, its attributes, then its children, each an element or a string.',
      ),
  }),
  Ready: z.object({ ok }),
  Description: z.looseObject({ openapi: z.string().describe('The OpenAPI version.') }),
  Problem: z.object({
    error: z.string().describe('The error in a sentence. A 5xx does not reveal its cause.'),
    code: optional().describe(
      'With 400: the error code. The sentence in `error` may change, but its code does not.',
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
