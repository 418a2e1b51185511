import { z } from 'zod'
import {
  ANNOUNCEMENT_TYPES,
  type Draft,
  isIconName,
  linkProblem,
  type Selector,
  textProblem,
} from './announcement.ts'
import { Problem } from './problem.ts'

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

/** RFC 3339 lets the letters be lower-case; both forms become milliseconds since 1970. */
const instant = z.union([
  z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number),
  z.int().nonnegative(),
  z
    .string()
    .toUpperCase()
    .pipe(z.iso.datetime({ offset: true }))
    .transform((text) => Date.parse(text)),
])

const draft = (now: number) =>
  z.strictObject({
    ...display,
    expiresAt: z
      .unknown()
      .transform((input, ctx): number => {
        const parsed = instant.safeParse(input)
        if (parsed.success && parsed.data <= END_OF_TIME) {
          if (parsed.data > now) return parsed.data
          ctx.issues.push({ code: 'custom', message: 'must be in the future', input })
        } else ctx.issues.push({ code: 'custom', message: EXPIRES_RULE, input })
        return z.NEVER
      })
      .optional()
      .transform((end) => end ?? null),
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
  return parse(draft(now), input)
}

/**
 * Checks the body, or the query, of `DELETE /api/events`.
 *
 * @throws Problem `invalid_body`, also when both or neither of `type` and `id` are given (contract A13)
 */
export function parseSelector(input: unknown): Selector {
  const { type, id } = parse(selector, input)
  if (type !== undefined && id === undefined) return { type }
  if (id !== undefined && type === undefined) return { id }
  throw Problem.invalidBody([{ path: '', message: 'needs exactly one of type and id' }])
}

function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw Problem.invalidBody(
    result.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: key, message: 'is not a field of this request' }))
        : [{ path: issue.path.join('.'), message: issue.message }],
    ),
  )
}
