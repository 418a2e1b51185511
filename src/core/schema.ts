/** Validates requests, and lists the issues of invalid ones. */
import * as z from 'zod'
import { type Draft, MAX_SCHEDULED, type Selector } from './announcement.ts'
import type { EditRefusal } from './board.ts'
import { code, instant, OPTIONAL, posting, type } from './fields.ts'
import { invalidBody, isCode, issueAt, type MessageCode, type Params } from './messages.ts'
import type { Issue } from './problem.ts'

/** The issue that reports a full schedule (contract A14). */
export const SCHEDULE_FULL: Issue = issueAt('startsAt', 'schedule_full', { max: MAX_SCHEDULED })

/** Creates the issue that reports why a draft can't replace a published announcement in place (contract A18). */
export function editIssue(refusal: EditRefusal, params?: Params): Issue {
  if (refusal === 'other_type') return issueAt('type', 'fixed_type')
  return issueAt(refusal === 'already_published' ? 'startsAt' : 'expiresAt', refusal, params)
}

/** The format of an id. Any other string is rejected without a query, because it can't be an announcement's id. */
const id = z
  .string({ error: code('not_a_string') })
  .regex(/^[\x21-\x7e]{1,255}$/, code('not_an_id'))

export const selector = z.strictObject({
  type: type.optional().describe('Takes down the event of this type. Send this or `id`.'),
  id: id
    .optional()
    .describe('Takes down the announcement with this id, scheduled or not. Send this or `type`.'),
})

/** Parses input against a schema. @throws Problem `invalid_body` that lists every issue at once (contract A11) */
export function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown) {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw invalidBody(issuesOf(result.error))
}

/** The parsed body of a `POST` or `PUT`: a draft and its start, `null` to start immediately (contract A14, A18). */
export interface Posting {
  draft: Draft
  /** Milliseconds since 1970, in the future; `null` to start immediately. */
  startsAt: number | null
}

/** The optional fields, unset. A draft includes all of them, so an edit removes those that its body omits (A18). */
const UNSET = Object.fromEntries(Object.keys(OPTIONAL).map((name) => [name, undefined]))

/**
 * Checks the body of `POST /api/events` or `PUT /api/events/ID`.
 *
 * @param now milliseconds since 1970. `expiresAt` must be after `now`; a `startsAt` that isn't after `now` is ignored
 * @throws Problem `invalid_body` that lists every issue at once (contract A11)
 */
export function parsePosting(input: unknown, now: number): Posting {
  const result = posting.safeParse(input)
  const issues = result.success ? [] : issuesOf(result.error)
  // The times are parsed separately, so that their faults are reported even if other fields are invalid.
  const instantAt = (key: string) =>
    instant.safeParse((input as Record<string, unknown> | null)?.[key]).data
  const [start, end] = [instantAt('startsAt'), instantAt('expiresAt')]
  if (end !== undefined && end <= now) {
    issues.push(issueAt('expiresAt', 'not_in_future'))
  } else if (start !== undefined && end !== undefined && end <= start) {
    issues.push(issueAt('expiresAt', 'not_after_start'))
  }
  if (!result.success || issues.length > 0) throw invalidBody(issues)
  const { startsAt, ...draft } = result.data
  return {
    draft: { ...UNSET, ...draft },
    startsAt: startsAt !== null && startsAt > now ? startsAt : null,
  }
}

/** Parses an instant in a query, in any form that `expiresAt` accepts (A9, R7). @throws Problem `invalid_body` */
export function parseInstant(name: string, text: string): number {
  // In a query, "+" means a space, and people who type an offset rarely encode the "+".
  const result = instant.safeParse(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (result.success) return result.data
  throw invalidBody(issuesOf(result.error).map(({ code }) => issueAt(name, code as MessageCode)))
}

/**
 * Checks the body, or the query, of `DELETE /api/events`.
 *
 * @throws Problem `invalid_body`, including when both or neither of `type` and `id` are given (contract A13)
 */
export function parseSelector(input: unknown): Selector {
  const { type, id } = parsed(selector, input)
  if (type !== undefined && id === undefined) return { type }
  if (id !== undefined && type === undefined) return { id }
  throw invalidBody([issueAt('', 'one_selector')])
}

export const entryId = z
  .string({ error: code('not_an_entry') })
  .regex(/^\d{1,15}$/, code('not_an_entry'))
  .transform(Number)

/** The body of `POST /api/events/undo` (contract R9). */
export const undoing = z.strictObject({
  id: entryId
    .optional()
    .describe('The entry to undo. Default: the latest, except undos and `not_undoable` entries.'),
})

/** The query of `GET /api/events/history` (contract R8). */
export const historyQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, code('not_a_limit'))
    .transform(Number)
    .pipe(z.number().min(1, code('not_a_limit')).max(200, code('not_a_limit')))
    .default(50),
  before: entryId.optional().transform((id) => id ?? null),
})

/** Returns the issues of a failed validation: one for each invalid or unknown field (contract A10, A11). */
export function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => issueAt([...issue.path, key].join('.'), 'unknown_field'))
    }
    const path = issue.path.join('.')
    const { message } = issue
    if (!isCode(message)) return { path, code: 'invalid', message }
    const types = issue.code === 'invalid_value' ? { types: issue.values.join(', ') } : undefined
    return issueAt(path, message, issue.code === 'custom' ? (issue.params as Params) : types)
  })
}
