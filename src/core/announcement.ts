/**
 * The noun: the fields of an announcement, each defined once. Its row gives the check of a request, the form in an
 * answer, the description in OpenAPI, the client's check and the fields of a locale file.
 */
import { z } from 'zod'
import { canonicalTag, MAX_TAG_LENGTH } from './language.ts'
import type { MessageCode } from './messages.ts'
import { type Fault, iconFault, linkFault, textFault } from './rules.ts'

/** The types of announcement. At most one of each is stored (spec 2). */
export const ANNOUNCEMENT_TYPES = ['post', 'coupon', 'product'] as const

export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number]

/** The `message` of an issue is a code here. `issuesOf` composes the sentence from the code and its parameters. */
export const code = (code: MessageCode): MessageCode => code

/** A missing field gets `required`, not a complaint about its type. */
const orRequired = (otherwise: MessageCode) => (issue: { input?: unknown }) =>
  issue.input === undefined ? code('required') : otherwise

/** Applies one of the rules in rules.ts to a string. */
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

/** Milliseconds since 1970, from either form. RFC 3339 allows lower-case letters. */
export const instant = z
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

export const type = z.enum(ANNOUNCEMENT_TYPES, { error: orRequired('not_a_type') })

/** Translations beside `text` (contract A15). */
export const MAX_LANGUAGES = 20
/** The size of `text` and `translations` together, so that `GET /api/events` stays small (contract A15). */
export const MAX_TEXT_BYTES = 8 * 1024

/** The current form of a language tag, or the fault in it. */
function tagOf(given: string): { tag: string } | { fault: Fault<MessageCode> } {
  const tag = canonicalTag(given)
  return tag === undefined || tag.length > MAX_TAG_LENGTH
    ? { fault: { code: 'not_a_language', params: { max: MAX_TAG_LENGTH } } }
    : { tag }
}

const same = (tag: string): Fault<MessageCode> => ({ code: 'same_language', params: { tag } })

const language = z
  .string({ error: code('not_a_string') })
  .transform((given, ctx) => {
    const found = tagOf(given)
    if ('tag' in found) return found.tag
    ctx.issues.push(custom(found.fault, given))
    return z.NEVER
  })
  .optional()

/** Texts by language; `null` where there are none (contract A15). */
const translations = z
  .record(z.string(), line().check(by(textFault)), { error: code('not_translations') })
  .transform((texts, ctx) => {
    const byTag = new Map<string, string>()
    for (const [given, text] of Object.entries(texts)) {
      const found = tagOf(given)
      if ('fault' in found) ctx.issues.push(custom(found.fault, given, [given]))
      else if (byTag.has(found.tag)) ctx.issues.push(custom(same(found.tag), given, [given]))
      else byTag.set(found.tag, text)
    }
    if (byTag.size > MAX_LANGUAGES) {
      const params = { max: MAX_LANGUAGES, count: byTag.size }
      ctx.issues.push(custom({ code: 'too_many_languages', params }, texts))
    }
    return byTag.size === 0 ? null : Object.fromEntries(byTag)
  })
  .nullish()
  .transform((texts) => texts ?? null)

/** A number in an answer. */
export const digits = () => z.string().regex(/^\d{1,16}$/)
/** An instant in an answer: milliseconds since 1970. */
const shownInstant = () => digits().refine((ms) => Number(ms) <= END_OF_TIME)
/** A text in an answer. The length only goes into the description, because zod doesn't count code points. */
const shownText = () => z.string().meta({ minLength: 3, maxLength: 500 })

const TIME = 'as RFC 3339 with an offset, or in milliseconds since 1970.'

/** A field: how a request gives it, how an answer shows it, and the description of both. */
const ESSENTIAL = {
  /** One line, 3 to 500 Unicode code points, trimmed (contract A6). */
  text: {
    given: line().check(by(textFault)),
    shown: shownText(),
    toGive: 'One line of 3 to 500 characters. White space around it is dropped.',
    toSee: 'One line for people to read.',
  },
  type: {
    given: type,
    shown: z.enum(ANNOUNCEMENT_TYPES),
    toGive: 'It replaces the event of this type. A product opens in a new tab.',
    toSee: 'There is at most one event of each type. A product opens in a new tab.',
  },
  /** A link by its rule (contract A7). */
  slug: {
    given: line().check(by(linkFault)),
    shown: z.string(),
    toGive: 'Where it links: a fragment (#coupon), a path (/blog/x) or an http: or https: URL.',
    toSee: 'Where it links: a fragment, a path or an http: or https: URL.',
  },
} as const

/** The optional fields. An answer leaves out those that are unset; in a draft, the first three are then `null`. */
const OPTIONAL = {
  /** A Lucide icon's name, or `null` for the sparkle (contract A8). */
  icon: {
    given: z
      .string({ error: code('not_an_icon') })
      .check(by(iconFault))
      .nullish()
      .transform((icon) => icon ?? null),
    shown: z.string().exactOptional(),
    toGive: 'The name of a Lucide icon. Default: a sparkle.',
    toSee: 'The name of a Lucide icon; absent if unset.',
  },
  /** When the announcement ends: milliseconds since 1970, or `null` (contract A9). */
  expiresAt: {
    given: instant.optional().transform((end) => end ?? null),
    shown: shownInstant().exactOptional(),
    toGive: `When it ends. A time in the future, ${TIME}`,
    toSee: 'When it ends: milliseconds since 1970. Absent if it has no end.',
  },
  /** The text in other languages, by BCP 47 tag, or `null` (contract A15). */
  translations: {
    given: translations,
    shown: z.record(z.string(), shownText()).exactOptional(),
    toGive: 'The text in other languages, by BCP 47 tag: at most 20, and 8 KiB with `text`.',
    toSee: 'The text in other languages, by BCP 47 tag; absent if there are none.',
  },
  /** The language of the text itself, as a BCP 47 tag (contract A15). */
  language: {
    given: language,
    shown: z.string().exactOptional(),
    toGive: 'The language of `text`, as a BCP 47 tag. `translations` must not have it.',
    toSee: 'The language of `text`, as a BCP 47 tag; absent if unknown.',
  },
} as const

/** Takes one column of a table of fields, and adds the descriptions to its schemas. */
function column<Rows extends Record<string, Row>, Name extends 'given' | 'shown'>(
  rows: Rows,
  name: Name,
): { [Field in keyof Rows]: Rows[Field][Name] } {
  const described = Object.entries(rows).map(([field, row]) => {
    const description = name === 'given' ? row.toGive : row.toSee
    return [field, row[name].describe(description)]
  })
  return Object.fromEntries(described)
}

interface Row {
  given: z.ZodType
  shown: z.ZodType
  toGive: string
  toSee: string
}

const given = { ...column(ESSENTIAL, 'given'), ...column(OPTIONAL, 'given') }

/** The body of `POST /api/events`. */
export const posting = z
  .strictObject({
    ...given,
    startsAt: instant
      .optional()
      .transform((start) => start ?? null)
      .describe(`When it starts. A time in the future schedules it, ${TIME}`),
  })
  .check(({ value: { text, translations, language }, issues }) => {
    if (translations === null) return
    if (language !== undefined && Object.hasOwn(translations, language)) {
      issues.push(custom(same(language), language, ['language']))
    }
    const count = utf8Length([text, ...Object.values(translations)].join(''))
    if (count <= MAX_TEXT_BYTES) return
    const params = { max: MAX_TEXT_BYTES, count }
    issues.push(custom({ code: 'too_many_bytes', params }, translations, ['translations']))
  })

/** A locale's fallback: shown when nothing is stored, and never stored itself (spec 2). */
export const Fallback = z.strictObject({
  ...column(ESSENTIAL, 'given'),
  icon: given.icon,
})
export type Fallback = z.infer<typeof Fallback>

/** The input of a caller: as in the body of `POST /api/events`. */
export type DraftInput = z.input<typeof posting>

/** The fields that a caller decides. The store adds `id` and `timestamp`. */
export type Draft = Omit<z.output<typeof posting>, 'startsAt'>

/** Who made a change (contract R8). */
export interface By {
  via: 'api' | 'cli' | 'admin' | 'code' | 'stripe'
  /** The name that the person at the admin or the command line gave. */
  name?: string
  /** The id of Stripe's notification, if Stripe sent one. */
  notification?: string
  /** The type of a notification that was ignored, or that deleted a coupon: `coupon.updated`, for example. */
  event?: string
  /** The id of the coupon that the notification is about. */
  coupon?: string
  /** The coupon's name, if it has one. */
  couponName?: string
  /** The history entry that was undone. */
  undoing?: number
}

/** A stored announcement: the record that spec.md calls an event. */
export interface Announcement extends Draft {
  /** A random UUID. */
  id: string
  /** Milliseconds since 1970, strictly increasing in the order of creation (contract R1). */
  timestamp: number
  /** The coupon that published the announcement, or `null`. */
  coupon: string | null
  /** When that coupon itself ends, if it does: milliseconds since 1970. An edit can't end later. */
  couponEndsAt?: number | undefined
  /** Whether its notification was of live mode, if it said so. A key of the other mode can't retrieve the coupon. */
  couponLive?: boolean | undefined
  by: By
}

/** A scheduled announcement. At its start it becomes the event of its type (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the event keeps. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** The order of posting. Of several that start at one instant, the one with the lower number starts first. */
  order: number
  by: By
}

/** How many may be scheduled: as many as a person can keep track of (contract A14). */
export const MAX_SCHEDULED = 20

/** Which announcements to take down: those of a type, or one by its id (spec 4.3). */
export type Selector = { type: AnnouncementType } | { id: string }

const id = z.string().describe('Identifies the announcement among all, past ones included.')
const timestamp = shownInstant().describe(
  'When it was published: milliseconds since 1970. It increases strictly.',
)
const etag = z
  .string()
  .exactOptional()
  .describe('For `If-Match` of an edit. Absent in the history.')

/** An announcement in an answer: numbers as digits in strings, unset fields left out (spec 4.2, contract R1). */
export const shown = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  timestamp,
  ...column(OPTIONAL, 'shown'),
})

/** The same in guarded answers, which have more fields (contract R7, R8). */
export const owned = z.object({
  ...shown.shape,
  coupon: z
    .string()
    .exactOptional()
    .describe("Stripe's id of the coupon that published it; absent if none did."),
  pausedSince: shownInstant()
    .exactOptional()
    .describe(
      "Hidden, because Stripe hasn't answered about its coupon since then (contract T3). Only in the slots.",
    ),
  etag,
})

/** A scheduled announcement, which has no timestamp until it starts (contract R7). */
export const scheduled = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  startsAt: shownInstant().describe('When it starts: milliseconds since 1970.'),
  ...column(OPTIONAL, 'shown'),
  etag,
})

/** An announcement in an answer. Only guarded ones have `coupon`, `pausedSince` and `etag`. */
export type WireAnnouncement = z.infer<typeof owned>

/** A scheduled announcement in an answer. */
export type WireScheduled = z.infer<typeof scheduled>

/** The body of `GET /api/events` and of each stream message. */
export interface WireBody {
  event: WireAnnouncement | null
}

const wired =
  <Schema extends z.ZodObject>(schema: Schema) =>
  (one: object): z.infer<Schema> => {
    const values = one as Readonly<Record<string, unknown>>
    const fields = Object.keys(schema.shape).flatMap((name) => {
      const value = values[name] ?? null
      return value === null ? [] : [[name, typeof value === 'number' ? String(value) : value]]
    })
    return Object.fromEntries(fields)
  }

export const toWire: (one: Omit<Announcement, 'coupon' | 'by'>) => WireAnnouncement = wired(shown)

/** For holders of the secret: with the coupon that published it. */
export const toOwnersWire: (one: Omit<Announcement, 'by'>) => WireAnnouncement = wired(owned)

export const toWireScheduled: (one: Scheduled) => WireScheduled = wired(scheduled)

/** Whether it has ended at `now`. At `expiresAt` itself it has (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
