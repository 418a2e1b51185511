import type { Announcement, DraftInput, Scheduled } from '../core/announcement.ts'
import { isScheduled } from '../core/history.ts'
import { languageNames, MAX_TAG_LENGTH, tagFor } from '../core/language.ts'
import { issueAt } from '../core/messages.ts'
import type { Issue } from '../core/problem.ts'
import { toLine } from '../core/rules.ts'
import { clockFormatIn, DAY, formatIn, formatted, wallClock } from '../times/format.ts'
import { parseTime, TimeError, zoneOf } from '../times/parse.ts'
import { iconMeant } from './icon-meant.ts'
import { linkMeant } from './link-meant.ts'
import { LANGUAGES, OFTEN_USED, type Words, zoneIn } from './words.ts'

/** How many translations to read: more than an announcement may have, so that validation rejects extra ones. */
const MAX_ROWS = 50

/** The latest time that the form shows. With a fifth digit in the year, browsers' fields are hard to type into. */
export const LATEST = '9999-12-31T23:59'

/** The names of the fields that the composer sends back as it got them. */
export const HIDDEN = [
  // The id of the published or scheduled announcement that the form edits; empty for a new one.
  'id',
  // The coupon of the announcement that the draft started from, or empty.
  'coupon',
  // The stored links (separated by spaces), icon, language tags and times (in ms since 1970), and the zone in which the
  // times were shown.
  'slugWas',
  'iconWas',
  'tagsWas',
  'fromWas',
  'untilWas',
  'zoneWas',
] as const

/** The names of the composer's visible and hidden fields, except for the translations and `refused`. */
const TYPED = [
  ...HIDDEN,
  'text',
  'type',
  'slug',
  'icon',
  // Local times in the time zone `zone`, in the format of a `datetime-local` input.
  'from',
  'until',
  'zone',
  // The tag of the main text's language, or empty.
  'language',
  // The stamps of the announcements that the author has seen, and those of the conflicts shown so far (contract A17).
  'seen',
  'told',
  // The language of the preview, or empty for the main text.
  'show',
  'width',
  'theme',
] as const
type Typed = Record<(typeof TYPED)[number], string>

const typed = (get: (name: string) => string | null) =>
  Object.fromEntries(TYPED.map((name) => [name, get(name)?.trim() ?? ''])) as Typed

export interface Fields extends Typed {
  /** The rows of the other languages. A new form ends with an empty row. */
  translations: readonly { tag: string; text: string; slug: string }[]
  /** Whether publishing was refused because of faults. If so, the form shows all faults until all are fixed. */
  refused: boolean
}

const EMPTY = { tag: '', text: '', slug: '' }

export const isEmpty = ({ tag, text, slug }: typeof EMPTY): boolean =>
  tag === '' && text.trim() === '' && slug === ''

/** Maps language names to tags. Computes the map when somebody first types a name instead of a tag. */
export const knownNames = () => {
  names ??= languageNames(
    OFTEN_USED,
    LANGUAGES.map(({ tag }) => tag),
  )
  return names
}
let names: ReadonlyMap<string, string> | undefined

export function fieldsOf(form: URLSearchParams): Fields {
  const texts = form.getAll('translation').map(toLine)
  const slugs = form.getAll('translationSlug')
  const one = typed((name) => form.get(name))
  const stored = one.tagsWas.split(' ')
  const toTag = (tag: string) => (stored.includes(tag) ? tag : tagFor(tag, knownNames))
  const translations = form
    .getAll('tag')
    .slice(0, MAX_ROWS)
    .map((tag, i) => ({
      tag: toTag(tag.trim()),
      text: texts[i] ?? '',
      slug: slugs[i]?.trim() ?? '',
    }))
  return {
    ...one,
    // The text isn't trimmed, because its author may be about to type another word.
    text: toLine(form.get('text') ?? ''),
    language: toTag(one.language),
    show: toTag(one.show),
    width: one.width || 'phone',
    theme: one.theme || 'light',
    translations: translations.length > 0 ? translations : [EMPTY],
    refused: form.has('refused'),
  }
}

/**
 * Converts the fields to the body of an API request, with the times as instants. Also finds the faults that the API
 * can't see: invalid local times, and missing or repeated languages. The API's own validation finds all other faults.
 *
 * A field that its author hasn't touched keeps exactly what is stored: a link isn't completed, a tag isn't taken for a
 * name, and a time keeps its instant in any zone. If the zone has changed, typed times keep their instants too. `shown`
 * has the times as the form shows them now.
 */
export async function readFields(fields: Fields, now: number, words: Words) {
  const issues: Issue[] = []
  let [zoneWas, zone] = ['UTC', 'UTC']
  try {
    zoneWas = zoneOf(fields.zoneWas || words.zone)
    // While a zone is half typed, the last one counts.
    zone = zoneWas
    zone = zoneOf(zoneIn(fields.zone, words.tag) || words.zone)
  } catch (error) {
    timeFault('zone', error)
  }
  const shown = { from: fields.from, until: fields.until, zoneWas: zone }

  function timeFault(path: string, error: unknown) {
    if (!(error instanceof TimeError)) throw error
    const { kind, message, choices } = error
    // Two instants with the same local time can be told apart only in a different zone.
    const as = kind === 'twice' ? 'UTC' : zone
    const times = choices.map((one) => one.epochMilliseconds)
    const [first = '', second = ''] = clocksOf(times, as, zone, words.times)
    issues.push({ path, code: kind, message, params: { first, second } })
  }

  async function instant(option: 'from' | 'until'): Promise<number | undefined> {
    const written = fields[option]
    if (written === '') return undefined
    const stored = new Date(Number(fields[`${option}Was`])).getTime()
    // Browsers leave out zeros at the end of a time.
    if (Date.parse(`${written}Z`) === Date.parse(`${shownIn(zoneWas, stored)}Z`)) {
      shown[option] = shownIn(zone, stored)
      return stored
    }
    const read = (zone: string) =>
      parseTime(written, { name: option, zone, now, endOfDay: option === 'until' })
    if (fields.zoneWas !== '' && zone !== zoneWas) {
      // Of two instants with the same local time, the first is as good as the second: the form shows which one it is.
      const meant = await read(zoneWas).catch(({ choices }) => choices?.[0])
      if (meant) {
        shown[option] = shownIn(zone, meant.epochMilliseconds)
        return meant.epochMilliseconds
      }
    }
    try {
      return (await read(zone)).epochMilliseconds
    } catch (error) {
      timeFault(option, error)
    }
  }

  const startsAt = await instant('from')
  const expiresAt = await instant('until')
  const rows = fields.translations.filter((row) => !isEmpty(row))
  const named = rows.filter(({ tag }) => tag !== '')
  const linked = named.filter(({ slug }) => slug !== '')
  // A language may have only a link.
  const written = named.filter(({ text, slug }) => text.trim() !== '' || slug === '')
  const toLink = (slug: string) =>
    fields.slugWas.split(' ').includes(slug) ? slug : linkMeant(slug)
  const translations = Object.fromEntries(written.map(({ tag, text }) => [tag, text]))
  const slugs = Object.fromEntries(linked.map(({ tag, slug }) => [tag, toLink(slug)]))
  if (named.length < rows.length) {
    issues.push({ path: 'translations.', code: 'no_language', message: '' })
  }
  for (const [i, { tag }] of named.entries()) {
    const path = `translations.${tag}`
    // The form reports these faults itself, because the API's `translations` object can't contain a tag twice, or the
    // tag `__proto__` (A5).
    if (tag === '__proto__') issues.push(issueAt(path, 'not_a_language', { max: MAX_TAG_LENGTH }))
    else if (named.findIndex((one) => one.tag === tag) < i) {
      issues.push(issueAt(path, 'same_language', { tag }))
    }
  }
  const icon = fields.icon === fields.iconWas ? fields.icon : iconMeant(fields.icon, words)
  const input = {
    text: fields.text,
    type: fields.type as DraftInput['type'],
    slug: toLink(fields.slug),
    ...(icon !== '' && { icon }),
    ...(startsAt !== undefined && { startsAt: String(startsAt) }),
    ...(expiresAt !== undefined && { expiresAt: String(expiresAt) }),
    ...(written.length > 0 && { translations }),
    ...(linked.length > 0 && { slugs }),
    ...(fields.language !== '' && { language: fields.language }),
  }
  return { input, startsAt, expiresAt, zone, issues, shown }
}

/**
 * Returns the fields of an empty composer, or of a composer that starts with the content of an announcement.
 *
 * @param now milliseconds since 1970; earlier starts and ends are left out
 */
export function draftFields(
  one: Announcement | Scheduled | null,
  now: number,
  zone: string,
): Fields {
  const coming = (at: number | null | undefined) => (at != null && at > now ? at : undefined)
  const from = coming(one && isScheduled(one) ? one.startsAt : undefined)
  const until = coming(one?.expiresAt)
  const tags = Object.keys({ ...one?.translations, ...one?.slugs })
  return {
    ...typed(() => ''),
    text: one?.text ?? '',
    type: one?.type ?? 'post',
    slug: one?.slug ?? '/',
    slugWas: [one?.slug, ...Object.values(one?.slugs ?? {})].join(' '),
    iconWas: one?.icon ?? '',
    icon: one?.icon ?? '',
    from: shownIn(zone, from),
    until: shownIn(zone, until),
    zone,
    zoneWas: zone,
    fromWas: String(from ?? ''),
    untilWas: String(until ?? ''),
    language: one?.language ?? '',
    tagsWas: [one?.language, ...tags].join(' '),
    coupon: one && !isScheduled(one) ? (one.coupon ?? '') : '',
    width: 'phone',
    theme: 'light',
    translations: [
      ...tags.map((tag) => ({
        tag,
        text: one?.translations?.[tag] ?? '',
        slug: one?.slugs?.[tag] ?? '',
      })),
      EMPTY,
    ],
    refused: false,
  }
}

/** Formats a stored time for its field. Any time from the last day of 9999 on is shown as `LATEST`, in every zone. */
function shownIn(zone: string, at: number | undefined): string {
  if (at === undefined) return ''
  return at >= Date.UTC(9999, 11, 31) ? LATEST : wallClock(at, zone)
}

/** Formats instants in `zone`. Leaves out the day if all instants fall on the same day in both `zone` and `typed`. */
function clocksOf(instants: readonly number[], zone: string, typed: string, tag: string) {
  const days = [zone, typed].flatMap((one) => instants.map((at) => formatted(at, one, tag, DAY)))
  const parts = new Set(days).size === 1 ? clockFormatIn(tag) : formatIn(tag)
  return instants.map((at) => formatted(at, zone, tag, parts))
}
