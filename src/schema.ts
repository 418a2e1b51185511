import { z } from 'zod'
import {
  ANNOUNCEMENT_TYPES,
  type Draft,
  isIconName,
  linkProblem,
  type Selector,
  textProblem,
} from './announcement.ts'
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
const EXPIRES_RULE = 'must be a date and time with an offset (RFC 3339), or milliseconds since 1970'
/** The last instant that a `Date` can hold. */
const END_OF_TIME = 8.64e15

const type = z.enum(ANNOUNCEMENT_TYPES, {
  error: (issue) =>
    issue.input === undefined ? 'is required' : `must be one of ${ANNOUNCEMENT_TYPES.join(', ')}`,
})

/** The display parts, shared by what is stored and what a locale file falls back to. */
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

/** Milliseconds since 1970, from either form; RFC 3339 lets its letters be lower-case. */
const instant = z
  .union(
    [
      z
        .string()
        .regex(/^\d{1,16}$/)
        .transform(Number),
      z.int(),
      z
        .string()
        .toUpperCase()
        .pipe(z.iso.datetime({ offset: true }))
        .transform((text) => Date.parse(text)),
    ],
    { error: EXPIRES_RULE },
  )
  .refine((ms) => ms >= 0 && ms <= END_OF_TIME, EXPIRES_RULE)

const draft = z.strictObject({
  ...display,
  expiresAt: instant.optional().transform((end) => end ?? null),
})

/** The form of an identifier that the database may be asked for; any other can't have been assigned. */
const id = z
  .string({ error: 'must be a string' })
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

const selector = z.strictObject({ type: type.optional(), id: id.optional() })

/** A locale's fallback: shown when nothing is stored, never stored itself (spec 2). */
export const Fallback = z.strictObject(display)
export type Fallback = z.infer<typeof Fallback>

/**
 * Checks the body of `POST /api/events`.
 *
 * @param now milliseconds since 1970; `expiresAt` must lie after it
 * @throws Problem `invalid_body` that lists every issue at once (contract A11)
 */
export function parseDraft(input: unknown, now: number): Draft {
  const result = draft.safeParse(input)
  const issues = result.success ? [] : issuesOf(result.error)
  // Looked at by itself when other fields are wrong, so that it is named with them.
  const end = result.success
    ? result.data.expiresAt
    : instant.safeParse((input as { expiresAt?: unknown } | null)?.expiresAt).data
  if (typeof end === 'number' && end <= now) {
    issues.push({ path: 'expiresAt', message: 'must be in the future' })
  }
  if (!result.success || issues.length > 0) throw Problem.invalidBody(issues)
  return result.data
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

/** Field by field, a key that no request has included (contract A10, A11). */
function issuesOf(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: key, message: 'is not a field of this request' }))
      : [{ path: issue.path.join('.'), message: issue.message }],
  )
}
