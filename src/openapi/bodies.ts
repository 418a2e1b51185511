import { z } from 'zod'
import { digits, owned, posting, scheduled, shown } from '../core/announcement.ts'
import { SENTENCES } from '../core/messages.ts'
import { selector, undoing } from '../core/schema.ts'
import { Facts } from '../http/facts.ts'
import { described } from './component.ts'
import { entry } from './nouns.ts'

/** What requests have to be: the schemas that check them. */
const requests = {
  Draft: posting,
  Selector: described(selector, {
    type: 'Takes down what stands of this type. Either this or `id`.',
    id: 'Takes down what has this id, scheduled or not. Either this or `type`.',
  }),
  Undo: described(undoing, {
    id: 'An entry of the history. Default: the last one that is not itself an undo.',
  }),
  LinkFor: described(z.strictObject({ name: z.string().min(1).exactOptional() }), {
    name: 'Who it is for, as the history will show them: 1 to 64 printable characters.',
  }),
}

const message = 'For people.'
const ok = 'Always true.'
const done = () => ({ message: z.string(), ok: z.literal(true) })
const params = () => z.record(z.string(), z.union([z.string(), z.number()])).exactOptional()
const PARAMS = 'What varies in the sentence.'
const issue = described(
  z.object({
    path: z.string(),
    code: z.enum(Object.keys(SENTENCES)),
    message: z.string(),
    params: params(),
  }),
  {
    path: 'Which field; empty for the body as a whole.',
    code: 'What is wrong with it. It stays when the sentence is worded anew.',
    message: 'The same in English.',
    params: PARAMS,
  },
)

const answers = {
  Showing: described(z.object({ event: shown.nullable() }), {
    event: 'What shows, or null if nothing does.',
  }),
  Saved: described(z.object(done()), { message, ok }),
  Done: described(z.object(done()), { message, ok }),
  Facts: described(Facts, {
    now: 'By the clock of the service: milliseconds since 1970.',
    stored: 'What shows by the database, read for this answer; `state` is its ETag without quotes.',
    database: 'What can be seen of the database.',
    hearing: 'Whether it hears of changes by others.',
    background: 'Whether it does anything between two requests.',
    streams: 'Open pages, and how many there may be.',
    forwarded: 'How many requests came through proxies, and how.',
    notifications: 'Whether it takes notifications.',
    mismatches:
      'How many were signed with another secret, or met none, since the last one that was taken.',
    stripe: 'What Stripe answers to the key, or null if there is no key.',
    page: 'Whether there is a page at `/`.',
    node: 'The version of Node.',
    publicUrl: 'How people reach it, by `PUBLIC_URL`.',
    purge: 'The cache in front, and why its last purge failed, if it did.',
  }),
  Deleted: described(z.object({ ...done(), deleted: z.int().min(0) }), {
    message,
    ok,
    deleted: 'How many went. 0 if there was none, so a repeat does no harm.',
  }),
  Slots: described(z.object({ events: z.array(owned) }), { events: 'One of each type at most.' }),
  Schedule: described(z.object({ events: z.array(scheduled) }), { events: 'At most 20.' }),
  History: described(z.object({ entries: z.array(entry), next: digits().nullable() }), {
    entries: 'Newest first.',
    next: 'The `before` of the next page, or null if this is the last.',
  }),
  Undone: described(z.object({ ...done(), entry: digits() }), {
    message,
    ok,
    entry: 'The entry of the history that tells of it.',
  }),
  Link: described(z.object({ url: z.string(), expiresAt: digits() }), {
    url: 'It opens the admin in one browser, once.',
    expiresAt: 'When it is over: milliseconds since 1970.',
  }),
  Receipt: described(
    z.object({
      received: z.literal(true),
      outcome: z.enum(['published', 'withdrawn', 'ignored']),
      reason: z.string().exactOptional(),
    }),
    {
      received: ok,
      outcome: 'What the notification did to the page. A repeat is answered like the first.',
      reason: 'Why it was ignored.',
    },
  ),
  Health: described(z.object({ ok: z.literal(true), id: z.string().exactOptional() }), {
    ok,
    id: 'Tells services apart.',
  }),
  Ready: described(z.object({ ok: z.literal(true) }), { ok }),
  Problem: described(
    z.object({
      error: z.string(),
      code: z.string().exactOptional(),
      params: params(),
      issues: z.array(issue).exactOptional(),
      retryAfter: z.int().min(1).exactOptional(),
      reason: z.string().exactOptional(),
    }),
    {
      error: 'What is wrong, in a sentence. A 5xx does not name its cause.',
      code: 'With 400: what is wrong. It stays when the sentence is worded anew.',
      params: PARAMS,
      issues: 'With 400: every fault of a body at once.',
      retryAfter: 'With 429: seconds to wait, as in `Retry-After`.',
      reason: 'With 409: why, as `changed_since` or `coupon_used_up`.',
    },
  ),
}

/** Every schema of the document, by its name there. */
export const SCHEMAS = {
  ...requests,
  ...answers,
  Announcement: shown,
  OwnedAnnouncement: owned,
  Scheduled: scheduled,
  HistoryEntry: entry,
}
