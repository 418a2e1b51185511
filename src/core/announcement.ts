/**
 * The noun: what an announcement is, field by field. A field stands here once. How it is checked, how answers have it, what
 * the description of the API says of it, what clients accept and what a locale file may say all follow from its row.
 */
import { z } from 'zod'
import { canonicalTag, MAX_TAG_LENGTH } from './language.ts'
import type { MessageCode } from './messages.ts'
import { type Fault, iconFault, linkFault, textFault } from './rules.ts'

/** The types of announcement. At most one of each is stored (spec 2). */
export const ANNOUNCEMENT_TYPES = ['post', 'coupon', 'product'] as const

export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number]

/**
 * Here the `message` of an issue is a code: `issuesOf` makes the sentence, because a code with parameters is all that a
 * rule gives.
 */
export const code = (code: MessageCode): MessageCode => code

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

/** Beside that of `text` (contract A15). */
export const MAX_LANGUAGES = 20
/** Of `text` and `translations` together, so that `GET /api/events` stays small (contract A15). */
export const MAX_TEXT_BYTES = 8 * 1024

/** The current form of a language's tag, or what is wrong with it. */
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
/** A text in an answer. Its length is for the description alone: zod doesn't count code points. */
const shownText = () => z.string().meta({ minLength: 3, maxLength: 500 })

const TIME = 'as RFC 3339 with an offset, or in milliseconds since 1970.'

/** A field: how a request gives it, how an answer shows it, and what the description says of both. */
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
    toGive: 'It replaces what stands of this type. A product opens in a new tab.',
    toSee: 'At most one of each type stands. A product opens in a new tab.',
  },
  /** A link by its rule (contract A7). */
  slug: {
    given: line().check(by(linkFault)),
    shown: z.string(),
    toGive: 'Where it links: a fragment (#coupon), a path (/blog/x) or an http: or https: URL.',
    toSee: 'Where it links: a fragment, a path or an http: or https: URL.',
  },
} as const

/** What an announcement may have. An answer leaves out what is unset. The first three are `null` in a draft then. */
const OPTIONAL = {
  /** A Lucide icon's name, or `null` for the sparkle (contract A8). */
  icon: {
    given: z
      .string({ error: code('not_an_icon') })
      .check(by(iconFault))
      .nullish()
      .transform((icon) => icon ?? null),
    shown: z.string().exactOptional(),
    toGive: 'The name of a Lucide icon. Without one, a sparkle is shown.',
    toSee: 'The name of a Lucide icon; absent if unset.',
  },
  /** When it ends and is gone everywhere: milliseconds since 1970, or `null` (contract A9). */
  expiresAt: {
    given: instant.optional().transform((end) => end ?? null),
    shown: shownInstant().exactOptional(),
    toGive: `From then on it is gone. A time in the future, ${TIME}`,
    toSee: 'From then on it is gone: milliseconds since 1970. Absent if it has no end.',
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
    toGive: 'The language of `text`, as a BCP 47 tag. It is none of those in `translations`.',
    toSee: 'The language of `text`, as a BCP 47 tag; absent if it is not known.',
  },
} as const

/** Takes one column of a table of fields. The column of a schema gets what the description says of it. */
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
      .describe(`In the future, it schedules the announcement until then: ${TIME}`),
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

/** A locale's fallback: shown when nothing is stored, never stored itself (spec 2). */
export const Fallback = z.strictObject({
  ...column(ESSENTIAL, 'given'),
  icon: given.icon,
})
export type Fallback = z.infer<typeof Fallback>

/** What a caller may ask for: as in the body of `POST /api/events`. */
export type DraftInput = z.input<typeof posting>

/** What a caller decides; the store adds `id` and `timestamp`. */
export type Draft = Omit<z.output<typeof posting>, 'startsAt'>

/** Who made a change (contract R8). */
export interface By {
  via: 'api' | 'cli' | 'admin' | 'code' | 'stripe'
  /** The name that a holder of the secret gave. */
  name?: string
  /** The id of the notification, where Stripe sent one. */
  notification?: string
  /** What an ignored notification told of, or one that a coupon is deleted: `coupon.updated`, say. */
  event?: string
  /** The id of the coupon that it is about. */
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
  /** The coupon that put it up, or `null` if none did. */
  coupon: string | null
  /** When that coupon itself ends, if it does: milliseconds since 1970. No edit may outlast it. */
  couponEndsAt?: number | undefined
  /** Whether its notification was of the live mode, if that said so. A key of the other mode knows nothing of it. */
  couponLive?: boolean | undefined
  by: By
}

/** An announcement that waits for its start. From that instant on it is the event of its type (contract A14). */
export interface Scheduled extends Draft {
  /** A random UUID, which the event keeps. */
  id: string
  /** Milliseconds since 1970. */
  startsAt: number
  /** The order of posting. Of several that start at one instant, the one with the lower number starts first. */
  order: number
  by: By
}

/** As many may wait as a person can keep in view (contract A14). */
export const MAX_SCHEDULED = 20

/** Which announcements to take down: those of a type, or one by its id (spec 4.3). */
export type Selector = { type: AnnouncementType } | { id: string }

const id = z.string().describe('Identifies it among all announcements, past ones included.')
const timestamp = shownInstant().describe(
  'When it was published: milliseconds since 1970. It increases strictly.',
)
const etag = z
  .string()
  .exactOptional()
  .describe('For `If-Match`, when it is edited. Absent in the history.')

/** An announcement in an answer: numbers as digits in strings, unset fields left out (spec 4.2, contract R1). */
export const shown = z.object({
  id,
  ...column(ESSENTIAL, 'shown'),
  timestamp,
  ...column(OPTIONAL, 'shown'),
})

/** The same in guarded answers, which tell more (contract R7, R8). */
export const owned = z.object({
  ...shown.shape,
  coupon: z
    .string()
    .exactOptional()
    .describe("Stripe's id of the coupon that put it up; absent if none did."),
  pausedSince: shownInstant()
    .exactOptional()
    .describe(
      "It is hidden, because Stripe hasn't answered about its coupon since then (contract T3). Only in the slots.",
    ),
  etag,
})

/** One that is scheduled, which has no timestamp before it starts (contract R7). */
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

/** For those who have the secret: it tells where the announcement came from too. */
export const toOwnersWire: (one: Omit<Announcement, 'by'>) => WireAnnouncement = wired(owned)

export const toWireScheduled: (one: Scheduled) => WireScheduled = wired(scheduled)

/** Whether it has ended at `now`. At `expiresAt` it is gone already (contract A9). */
export function hasEnded(announcement: Pick<Draft, 'expiresAt'>, now: number): boolean {
  return announcement.expiresAt !== null && announcement.expiresAt <= now
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
