import { z } from 'zod'
import {
  ANNOUNCEMENT_TYPES,
  type Draft,
  isIconName,
  linkProblem,
  MAX_SCHEDULED,
  type Selector,
  textProblem,
} from './announcement.ts'
import { canonicalTag, MAX_TAG_LENGTH } from './language.ts'
import { type Issue, Problem } from './problem.ts'

/** A string held to one of the rules in announcement.ts, after trimming. */
const ruled = (rule: (value: string) => string | undefined) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
    .trim()
    .check((ctx) => {
      const message = rule(ctx.value)
      if (message) ctx.issues.push({ code: 'custom', message, input: ctx.value })
    })

const ICON_RULE = 'must be 1 to 64 letters, digits and hyphens: the name of a Lucide icon'
const INSTANT_RULE = 'must be a date and time with an offset (RFC 3339), or milliseconds since 1970'
/** The last instant that a `Date` can hold. */
const END_OF_TIME = 8.64e15

const type = z.enum(ANNOUNCEMENT_TYPES, {
  error: (issue) =>
    issue.input === undefined ? 'is required' : `must be one of ${ANNOUNCEMENT_TYPES.join(', ')}`,
})

/** What is displayed, of an announcement and of a locale's fallback alike. */
const display = {
  text: ruled(textProblem),
  type,
  slug: ruled(linkProblem),
  icon: z
    .string({ error: ICON_RULE })
    .refine(isIconName, ICON_RULE)
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
      z.int({ error: INSTANT_RULE, abort: true }),
      z
        .string()
        .toUpperCase()
        .pipe(z.iso.datetime({ offset: true }))
        .transform((text) => Date.parse(text)),
    ],
    { error: INSTANT_RULE },
  )
  .refine((ms) => ms >= 0 && ms <= END_OF_TIME, INSTANT_RULE)

/** Beside that of `text` (contract A15). */
export const MAX_LANGUAGES = 20
/** Of `text` and `translations` together, so that `GET /api/events` stays small (contract A15). */
export const MAX_TEXT_BYTES = 8 * 1024

/** What keeps one more from being scheduled (contract A14). */
export const SCHEDULE_FULL: Issue = {
  path: 'startsAt',
  message: `must wait: ${MAX_SCHEDULED} announcements are scheduled already`,
}

/** Texts by language; `null` where there are none (contract A15). */
const translations = z
  .record(z.string(), ruled(textProblem), {
    error: 'must be an object of texts by language: { "de": "…" }',
  })
  .transform((texts, ctx) => {
    const byTag = new Map<string, string>()
    for (const [given, text] of Object.entries(texts)) {
      const tag = canonicalTag(given)
      const message =
        tag === undefined || tag.length > MAX_TAG_LENGTH
          ? `is not a language tag (BCP 47) of at most ${MAX_TAG_LENGTH} characters, as in "de" or "pt-BR"`
          : byTag.has(tag)
            ? `is the same language as another: ${tag}`
            : undefined
      if (message) ctx.issues.push({ code: 'custom', message, input: given, path: [given] })
      else if (tag !== undefined) byTag.set(tag, text)
    }
    if (byTag.size > MAX_LANGUAGES) {
      const message = `must have at most ${MAX_LANGUAGES} languages (it has ${byTag.size})`
      ctx.issues.push({ code: 'custom', message, input: texts })
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
    const bytes = utf8Length([text, ...Object.values(translations)].join(''))
    if (bytes <= MAX_TEXT_BYTES) return
    const message = `must have, with text, at most ${MAX_TEXT_BYTES} bytes of UTF-8 (they have ${bytes})`
    issues.push({ code: 'custom', message, input: translations, path: ['translations'] })
  })

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

/** The form of an id. No announcement ever had an id of another form, so the database isn't asked for one. */
const id = z
  .string({ error: 'must be a string' })
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

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
    issues.push({ path: 'expiresAt', message: 'must be in the future' })
  } else if (start !== undefined && end !== undefined && end <= start) {
    issues.push({ path: 'expiresAt', message: 'must be later than startsAt' })
  }
  if (!result.success || issues.length > 0) throw Problem.invalidBody(issues)
  const { startsAt, ...draft } = result.data
  return { draft, startsAt: startsAt !== null && startsAt > now ? startsAt : null }
}

/** Reads an instant from a query: the forms of `expiresAt` (contract A9, R7). @throws Problem `invalid_body` */
export function parseInstant(name: string, text: string): number {
  // In a query, "+" stands for a space: people who type an offset rarely know.
  const result = instant.safeParse(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (result.success) return result.data
  throw Problem.invalidBody([{ path: name, message: INSTANT_RULE }])
}

/**
 * Checks the body, or the query, of `DELETE /api/events`.
 *
 * @throws Problem `invalid_body`, also when both or neither of `type` and `id` are given (contract A13)
 */
export function parseSelector(input: unknown): Selector {
  const result = selector.safeParse(input)
  if (!result.success) throw Problem.invalidBody(issuesOf(result.error))
  const { type, id } = result.data
  if (type !== undefined && id === undefined) return { type }
  if (id !== undefined && type === undefined) return { id }
  throw Problem.invalidBody([{ path: '', message: 'needs exactly one of type and id' }])
}

const entryId = z
  .string({ error: 'must be the id of a history entry, in digits' })
  .regex(/^\d{1,15}$/, 'must be the id of a history entry, in digits')
  .transform(Number)

export const undoing = z.strictObject({ id: entryId.optional() })

/** Checks the body of `POST /api/events/undo`. @returns the entry, or `null` for the last one (contract R9) */
export function parseUndo(input: unknown): number | null {
  const result = undoing.safeParse(input)
  if (!result.success) throw Problem.invalidBody(issuesOf(result.error))
  return result.data.id ?? null
}

const LIMIT_RULE = 'must be a whole number from 1 to 200'

const historyQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, LIMIT_RULE)
    .transform(Number)
    .pipe(z.number().min(1, LIMIT_RULE).max(200, LIMIT_RULE))
    .default(50),
  before: entryId.optional().transform((id) => id ?? null),
})

/** Checks the query of `GET /api/events/history` (contract R8). @throws Problem `invalid_body` */
export function parseHistoryQuery(input: unknown): { limit: number; before: number | null } {
  const result = historyQuery.safeParse(input)
  if (!result.success) throw Problem.invalidBody(issuesOf(result.error))
  return result.data
}

/** One issue for each field that is wrong or unknown (contract A10, A11). */
function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: key, message: 'is not a field of this request' }))
      : [{ path: issue.path.join('.'), message: issue.message }],
  )
}
