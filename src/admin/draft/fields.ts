import type { Announcement, Scheduled } from '../../core/announcement.ts'
import { isScheduled } from '../../core/history.ts'
import { tagFor } from '../../core/language.ts'
import { toLine } from '../../core/rules.ts'
import { wallClock } from '../../times/format.ts'
import { knownNames } from '../words.ts'

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
export function shownIn(zone: string, at: number | undefined): string {
  if (at === undefined) return ''
  return at >= Date.UTC(9999, 11, 31) ? LATEST : wallClock(at, zone)
}
