import { z } from 'zod'
import { ANNOUNCEMENT_TYPES, type Draft, MAX_SCHEDULED, type Selector } from './announcement.ts'
import { canonicalTag, MAX_TAG_LENGTH } from './language.ts'
import { invalidBody, isCode, issueAt, type MessageCode, type Params } from './messages.ts'
import type { Issue } from './problem.ts'
import { type Fault, iconFault, linkFault, textFault } from './rules.ts'

/**
 * Here the `message` of an issue is a code: {@link issuesOf} makes the sentence, because a code with parameters is all that a
 * rule gives.
 */
const code = (code: MessageCode): MessageCode => code

/** What is missing is said to be missing, not to be of the wrong kind. */
const orRequired = (otherwise: MessageCode) => (issue: { input?: unknown }) =>
  issue.input === undefined ? code('required') : otherwise

/** Holds a string to one of the rules in rules.ts. */
const by = (rule: (value: string) => Fault<MessageCode> | undefined) =>
  z.check<string>((ctx) => {
    const fault = rule(ctx.value)
    if (fault) ctx.issues.push(custom(fault, ctx.value))
  })

const line = () => z.string({ error: orRequired('not_a_string') }).trim()

const custom = ({ code, params }: Fault<MessageCode>, input: unknown, path?: string[]) => ({
  code: 'custom' as const,
  message: code,
  params: params as Record<string, unknown> | undefined,
  input,
  path,
})

/** The last instant that a `Date` can hold. */
const END_OF_TIME = 8.64e15

const type = z.enum(ANNOUNCEMENT_TYPES, { error: orRequired('not_a_type') })

/** What is displayed, of an announcement and of a locale's fallback alike. */
const display = {
  text: line().check(by(textFault)),
  type,
  slug: line().check(by(linkFault)),
  icon: z
    .string({ error: code('not_an_icon') })
    .check(by(iconFault))
    .nullish()
    .transform((icon) => icon ?? null),
}

/** Milliseconds since 1970, from either form. RFC 3339 allows lower-case letters. */
const instant = z
  .union(
    [
      z
        .string()
        .regex(/^\d{1,16}$/)
        .transform(Number),
      z.int({ error: code('not_an_instant'), abort: true }),
      z
        .string()
        .toUpperCase()
        .pipe(z.iso.datetime({ offset: true }))
        .transform((text) => Date.parse(text)),
    ],
    { error: code('not_an_instant') },
  )
  .refine((ms) => ms >= 0 && ms <= END_OF_TIME, code('not_an_instant'))

/** Beside that of `text` (contract A15). */
export const MAX_LANGUAGES = 20
/** Of `text` and `translations` together, so that `GET /api/events` stays small (contract A15). */
export const MAX_TEXT_BYTES = 8 * 1024

/** What keeps one more from being scheduled (contract A14). */
export const SCHEDULE_FULL: Issue = issueAt('startsAt', 'schedule_full', { max: MAX_SCHEDULED })

/** Texts by language; `null` where there are none (contract A15). */
const translations = z
  .record(z.string(), line().check(by(textFault)), { error: code('not_translations') })
  .transform((texts, ctx) => {
    const byTag = new Map<string, string>()
    for (const [given, text] of Object.entries(texts)) {
      const tag = canonicalTag(given)
      const fault: Fault<MessageCode> | undefined =
        tag === undefined || tag.length > MAX_TAG_LENGTH
          ? { code: 'not_a_language', params: { max: MAX_TAG_LENGTH } }
          : byTag.has(tag)
            ? { code: 'same_language', params: { tag } }
            : undefined
      if (fault) ctx.issues.push(custom(fault, given, [given]))
      else if (tag !== undefined) byTag.set(tag, text)
    }
    if (byTag.size > MAX_LANGUAGES) {
      const params = { max: MAX_LANGUAGES, count: byTag.size }
      ctx.issues.push(custom({ code: 'too_many_languages', params }, texts))
    }
    return byTag.size === 0 ? null : Object.fromEntries(byTag)
  })
  .nullish()
  .transform((texts) => texts ?? null)

export const posting = z
  .strictObject({
    ...display,
    expiresAt: instant.optional().transform((end) => end ?? null),
    startsAt: instant.optional().transform((start) => start ?? null),
    translations,
  })
  .check(({ value: { text, translations }, issues }) => {
    if (translations === null) return
    const count = utf8Length([text, ...Object.values(translations)].join(''))
    if (count <= MAX_TEXT_BYTES) return
    const params = { max: MAX_TEXT_BYTES, count }
    issues.push(custom({ code: 'too_many_bytes', params }, translations, ['translations']))
  })

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

/** The form of an id. No announcement ever had an id of another form, so the database isn't asked for one. */
const id = z
  .string({ error: code('not_a_string') })
  .regex(/^[\x21-\x7e]{1,255}$/, code('not_an_id'))

export const selector = z.strictObject({ type: type.optional(), id: id.optional() })

/** A locale's fallback: shown when nothing is stored, never stored itself (spec 2). */
export const Fallback = z.strictObject(display)
export type Fallback = z.infer<typeof Fallback>

/** What `POST /api/events` asks for: a draft, and when it is to start, or `null` for at once (contract A14). */
export interface Posting {
  draft: Draft
  /** Milliseconds since 1970, later than now. */
  startsAt: number | null
}

/**
 * Checks the body of `POST /api/events`.
 *
 * @param now milliseconds since 1970; `expiresAt` must lie after it, and `startsAt` counts only if it does
 * @throws Problem `invalid_body` that lists every issue at once (contract A11)
 */
export function parsePosting(input: unknown, now: number): Posting {
  const result = posting.safeParse(input)
  const issues = result.success ? [] : issuesOf(result.error)
  // Parsed by themselves, so that their faults are named even when other fields are wrong too.
  const instantAt = (key: string) => {
    const given = (input as Record<string, unknown> | null)?.[key]
    return given === undefined ? undefined : instant.safeParse(given).data
  }
  const [start, end] = [instantAt('startsAt'), instantAt('expiresAt')]
  if (end !== undefined && end <= now) {
    issues.push(issueAt('expiresAt', 'not_in_future'))
  } else if (start !== undefined && end !== undefined && end <= start) {
    issues.push(issueAt('expiresAt', 'not_after_start'))
  }
  if (!result.success || issues.length > 0) throw invalidBody(issues)
  const { startsAt, ...draft } = result.data
  return { draft, startsAt: startsAt !== null && startsAt > now ? startsAt : null }
}

/** Reads an instant from a query: the forms of `expiresAt` (contract A9, R7). @throws Problem `invalid_body` */
export function parseInstant(name: string, text: string): number {
  // In a query, "+" stands for a space: people who type an offset rarely know.
  const result = instant.safeParse(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (result.success) return result.data
  throw invalidBody([issueAt(name, 'not_an_instant')])
}

/**
 * Checks the body, or the query, of `DELETE /api/events`.
 *
 * @throws Problem `invalid_body`, also when both or neither of `type` and `id` are given (contract A13)
 */
export function parseSelector(input: unknown): Selector {
  const result = selector.safeParse(input)
  if (!result.success) throw invalidBody(issuesOf(result.error))
  const { type, id } = result.data
  if (type !== undefined && id === undefined) return { type }
  if (id !== undefined && type === undefined) return { id }
  throw invalidBody([issueAt('', 'one_selector')])
}

const entryId = z
  .string({ error: code('not_an_entry') })
  .regex(/^\d{1,15}$/, code('not_an_entry'))
  .transform(Number)

export const undoing = z.strictObject({ id: entryId.optional() })

/** Checks the body of `POST /api/events/undo`. @returns the entry, or `null` for the last one (contract R9) */
export function parseUndo(input: unknown): number | null {
  const result = undoing.safeParse(input)
  if (!result.success) throw invalidBody(issuesOf(result.error))
  return result.data.id ?? null
}

const historyQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, code('not_a_limit'))
    .transform(Number)
    .pipe(z.number().min(1, code('not_a_limit')).max(200, code('not_a_limit')))
    .default(50),
  before: entryId.optional().transform((id) => id ?? null),
})

/** Checks the query of `GET /api/events/history` (contract R8). @throws Problem `invalid_body` */
export function parseHistoryQuery(input: unknown): { limit: number; before: number | null } {
  const result = historyQuery.safeParse(input)
  if (!result.success) throw invalidBody(issuesOf(result.error))
  return result.data
}

/** One issue for each field that is wrong or unknown (contract A10, A11). */
export function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => issueAt([...issue.path, key].join('.'), 'unknown_field'))
    }
    const params =
      issue.code === 'custom'
        ? issue.params
        : issue.code === 'invalid_value'
          ? { types: issue.values.join(', ') }
          : undefined
    const path = issue.path.join('.')
    const { message } = issue
    return [
      isCode(message)
        ? issueAt(path, message, params as Params | undefined)
        : { path, code: 'invalid', message },
    ]
  })
}
