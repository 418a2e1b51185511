/**
 * Defines each field of an announcement once. The validation of requests, the form of responses, the descriptions in
 * OpenAPI, the client's checks and the fields of a locale's fallback are all derived from these definitions.
 */
import * as z from 'zod'
import { canonicalTag, MAX_TAG_LENGTH } from './language.ts'
import type { MessageCode } from './messages.ts'
import { type Fault, iconFault, linkFault, textFault } from './rules.ts'

/** The types of announcement. At most one event of each type is stored (spec 2). */
export const ANNOUNCEMENT_TYPES = ['post', 'coupon', 'product'] as const

/** The type of an announcement. One of each type can be published (spec 2). */
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number]

/** Checks a code at compile time. The `message` of a zod issue is a code, which `issuesOf` turns into a sentence. */
export const code = (code: MessageCode): MessageCode => code

/** Reports a missing field as `required`, not as a wrong type. */
const orRequired = (otherwise: MessageCode) => (issue: { input?: unknown }) =>
  issue.input === undefined ? code('required') : otherwise

/** Turns a rule from rules.ts into a zod check. */
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

/** The schema of a number in a response: a string of digits. */
export const digits = () => z.string().regex(/^\d{1,16}$/)

/**
 * Whether a number, or a string of digits, is an instant in seconds. As seconds, the range below covers the years 1973
 * to 5138; as milliseconds, it would cover 1970 to 1973, and nobody announces anything for those years.
 */
function isInSeconds(given: unknown): boolean {
  const isNumber =
    typeof given === 'number' || (typeof given === 'string' && /^[\d.]+$/.test(given))
  return isNumber && Number(given) >= 1e8 && Number(given) < 1e11
}

const inMilliseconds = (given: unknown) => !isInSeconds(given)

/** Parses an instant: case-insensitive RFC 3339, or milliseconds since 1970 as a number or a string of digits. */
export const instant = z
  .union(
    [
      digits().refine(inMilliseconds, code('in_seconds')).transform(Number),
      z
        .int({ error: code('not_an_instant'), abort: true })
        .refine(inMilliseconds, code('in_seconds')),
      z
        .string()
        .toUpperCase()
        .pipe(z.iso.datetime({ offset: true }))
        .transform((text) => Date.parse(text)),
    ],
    { error: ({ input }) => code(isInSeconds(input) ? 'in_seconds' : 'not_an_instant') },
  )
  .refine((ms) => ms >= 0 && ms <= END_OF_TIME, code('not_an_instant'))

export const type = z.enum(ANNOUNCEMENT_TYPES, { error: orRequired('not_a_type') })

/** How many languages an announcement may have besides that of `text` and `slug` (contract A15, A19). */
export const MAX_LANGUAGES = 20
/**
 * The byte limits for `text` and `translations` together, and for `slug` and `slugs`, so that `GET /api/events` stays
 * small, and an announcement fits into the body of a request (contract A5, A15, A19).
 */
const MAX_BYTES = { translations: 8 * 1024, slugs: 6 * 1024 }

/** Makes a check run even if parts of the value are faulty, so that all issues are listed at once (contract A11). */
const DESPITE_FAULTS = {
  when: ({ issues }: z.core.ParsePayload) =>
    issues.every(({ path, code }) => path?.length || code === 'unrecognized_keys'),
}

/** The canonical form of a language tag, or `undefined` if the tag is invalid. */
function tagOf(given: string): string | undefined {
  const tag = canonicalTag(given)
  return tag !== undefined && tag.length <= MAX_TAG_LENGTH ? tag : undefined
}

const NOT_A_LANGUAGE = { code: 'not_a_language', params: { max: MAX_TAG_LENGTH } } as const
const same = (tag: string): Fault<MessageCode> => ({ code: 'same_language', params: { tag } })

const language = z
  .string({ error: code('not_a_string') })
  .check(by((given) => (tagOf(given) === undefined ? NOT_A_LANGUAGE : undefined)))
  .transform((given) => tagOf(given) as string)
  .optional()

/** Texts or links by language; `undefined` if there are none (contract A15, A19). */
const byLanguage = (value: z.ZodType<string, string>, notAnObject: MessageCode) =>
  z
    .record(z.string(), value, { error: notAnObject })
    .superRefine((values, { issues }) => {
      const add = (fault: Fault<MessageCode>, ...path: string[]) =>
        issues.push(custom(fault, values, path))
      const tags = new Set<string>()
      for (const given of Object.keys(values)) {
        const tag = tagOf(given)
        if (tag === undefined) add(NOT_A_LANGUAGE, given)
        else if (tags.has(tag)) add(same(tag), given)
        else tags.add(tag)
      }
      const params = { max: MAX_LANGUAGES, count: tags.size }
      if (tags.size > MAX_LANGUAGES) add({ code: 'too_many_languages', params })
    }, DESPITE_FAULTS)
    .transform((values) => {
      const all = Object.entries(values).map(([given, one]) => [tagOf(given) as string, one])
      return all.length === 0 ? undefined : (Object.fromEntries(all) as Record<string, string>)
    })
    .nullish()
    .transform((values) => values ?? undefined)

/** The schema of an instant in a response: milliseconds since 1970. */
export const shownInstant = () => digits().refine((ms) => Number(ms) <= END_OF_TIME)
/** Text in a response. The schema states the limits but doesn't check them, because zod doesn't count code points. */
const shownText = () => z.string().meta({ minLength: 3, maxLength: 500 })

const TIME = 'milliseconds since 1970. A request may also use RFC 3339 with an offset.'

/** Defines a field by its description, an example, its schema in requests and its schema in responses. */
function field<Given extends z.ZodType, Shown extends z.ZodType>(
  description: string,
  example: unknown,
  given: Given,
  shown: Shown,
) {
  const meta = { description, examples: [example] }
  return { given: given.meta(meta), shown: shown.meta(meta) }
}

export const ESSENTIAL = {
  /** One line of 3 to 500 Unicode code points, trimmed (contract A6). */
  text: field(
    'The display text: one line of 3 to 500 characters. White space around the text is trimmed.',
    '25% off until Monday',
    line().check(by(textFault)),
    shownText(),
  ),
  type: field(
    "A new event replaces the current one of its type. A product's link opens in a new tab.",
    'coupon',
    type,
    z.enum(ANNOUNCEMENT_TYPES),
  ),
  /** A valid link (contract A7). */
  slug: field(
    'The link target: a fragment (`#coupon`), a path (`/blog/x`) or an `http:` or `https:` URL.',
    '#coupon',
    line().check(by(linkFault)),
    z.string(),
  ),
}

/** Responses omit unset fields. In a draft, unset `slugs` and `language` are `undefined`; the others are `null`. */
export const OPTIONAL = {
  /** A Lucide icon's name, or `null` for the sparkle (contract A8). */
  icon: field(
    'The name of a Lucide icon. Default: a sparkle.',
    'ticket-percent',
    z
      .string({ error: code('not_an_icon') })
      .check(by(iconFault))
      .nullish()
      .transform((icon) => icon ?? null),
    z.string().exactOptional(),
  ),
  /** When the announcement ends: milliseconds since 1970, or `null` (contract A9). */
  expiresAt: field(
    `The end: ${TIME} Default: never.`,
    '1799053200000',
    instant.optional().transform((end) => end ?? null),
    shownInstant().exactOptional(),
  ),
  /** The text in other languages, by BCP 47 tag, or `null` (contract A15). */
  translations: field(
    'The text in up to 20 other languages, by BCP 47 tag; together with `text`, at most 8 KiB.',
    { de: '25 % Rabatt bis Montag' },
    byLanguage(line().check(by(textFault)), 'not_translations').transform((texts) => texts ?? null),
    z.record(z.string(), shownText()).exactOptional(),
  ),
  /** The links for readers of other languages, by BCP 47 tag, each a valid link (contract A19). */
  slugs: field(
    'The links for up to 20 other languages, by BCP 47 tag; together with `slug`, at most 6 KiB.',
    { de: '/de/aktion' },
    byLanguage(line().check(by(linkFault)), 'not_links').optional(),
    z.record(z.string(), z.string()).exactOptional(),
  ),
  /** The language of the text itself, as a BCP 47 tag (contract A15). */
  language: field(
    'The language of `text` and `slug`, as a BCP 47 tag that `translations` and `slugs` must not contain.',
    'en',
    language,
    z.string().exactOptional(),
  ),
}

/** When a scheduled announcement starts (contract A14). */
export const startsAt = field(
  `The start: ${TIME} If the start isn't in the future, the announcement is published immediately.`,
  '1798794000000',
  instant.optional().transform((start) => start ?? null),
  shownInstant(),
)

type Fields = Record<string, { given: z.ZodType; shown: z.ZodType }>

/** Picks the schemas that fields have in requests (`given`) or in responses (`shown`). */
export function column<Rows extends Fields, Name extends 'given' | 'shown'>(
  rows: Rows,
  name: Name,
): { [Field in keyof Rows]: Rows[Field][Name] } {
  const schemas = Object.entries(rows).map(([field, row]) => [field, row[name]])
  return Object.fromEntries(schemas)
}

const given = { ...column(ESSENTIAL, 'given'), ...column(OPTIONAL, 'given') }

/** The body of `POST /api/events` and `PUT /api/events/ID`. */
export const posting = z
  .strictObject({ ...given, startsAt: startsAt.given })
  .superRefine(({ text, translations, slug, slugs, language }, { issues }) => {
    const texts = valuesIn(translations)
    const links = valuesIn(slugs)
    const own = typeof language === 'string' ? tagOf(language) : undefined
    const tags = own === undefined ? [] : [...texts.keys(), ...links.keys()]
    if (own !== undefined && tags.some((given) => tagOf(given) === own)) {
      issues.push(custom(same(own), language, ['language']))
    }
    const limit = (code: MessageCode, field: keyof typeof MAX_BYTES, ...values: unknown[]) => {
      const max = MAX_BYTES[field]
      const all = values.filter((one) => typeof one === 'string').join('')
      const count = new TextEncoder().encode(all).byteLength
      if (count <= max) return
      issues.push(custom({ code, params: { max, count } }, values, [field]))
    }
    if (texts.size > 0) limit('too_many_bytes', 'translations', text, ...texts.values())
    if (links.size > 0) limit('too_many_link_bytes', 'slugs', slug, ...links.values())
  }, DESPITE_FAULTS)

/** The values of an object, by language. For an invalid field, `given` is the raw input, which may have any type. */
const valuesIn = (given: unknown) =>
  new Map(given && typeof given === 'object' && !Array.isArray(given) ? Object.entries(given) : [])

/** A locale's fallback, which shows while no announcement is live and is never stored (spec 2). */
export const Fallback = z.strictObject({
  ...column(ESSENTIAL, 'given'),
  icon: given.icon,
})
export type Fallback = z.infer<typeof Fallback>
