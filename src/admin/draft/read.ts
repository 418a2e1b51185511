import type { DraftInput } from '../../core/announcement.ts'
import { MAX_TAG_LENGTH } from '../../core/language.ts'
import { issueAt } from '../../core/messages.ts'
import type { Issue } from '../../core/problem.ts'
import { clockFormatIn, DAY, formatIn, formatted } from '../../times/format.ts'
import { parseTime, TimeError, zoneOf } from '../../times/parse.ts'
import { type Words, zoneOfCity } from '../words.ts'
import { type Fields, isEmpty, shownIn } from './fields.ts'
import { iconMeant } from './icon-meant.ts'
import { linkMeant } from './link-meant.ts'

/**
 * Converts the fields to the body of an API request, with the times as instants. Also finds the faults that the API
 * can't see: invalid local times, and missing or repeated languages. The API's own validation finds all other faults.
 *
 * A field that its author hasn't touched keeps exactly what is stored: a link isn't completed, a tag isn't taken for a
 * name, and a time keeps its instant in any zone. If the zone has changed, typed times keep their instants too.
 *
 * @returns also `shown`: the fields of the times as the form shows them in the chosen zone
 */
export async function readFields(fields: Fields, now: number, words: Words) {
  const zones = readZones(fields, words)
  const from = await readTime('from', fields, zones, now, words)
  const until = await readTime('until', fields, zones, now, words)
  const { translations, slugs, issues } = readLanguages(fields)
  const { text, type, language } = fields
  const icon = fields.icon === fields.iconWas ? fields.icon : iconMeant(fields.icon, words)
  const [startsAt, expiresAt] = [from.at, until.at]
  const input = {
    text,
    type: type as DraftInput['type'],
    slug: toLink(fields.slug, fields),
    ...(icon !== '' && { icon }),
    ...(startsAt !== undefined && { startsAt: String(startsAt) }),
    ...(expiresAt !== undefined && { expiresAt: String(expiresAt) }),
    ...(translations && { translations }),
    ...(slugs && { slugs }),
    ...(language !== '' && { language }),
  }
  return {
    input,
    startsAt,
    expiresAt,
    zone: zones.zone,
    issues: [...zones.issues, ...from.issues, ...until.issues, ...issues],
    shown: { from: from.shown, until: until.shown, zoneWas: zones.zone },
  }
}

interface Zones {
  /** The zone in which the form showed its times. */
  zoneWas: string
  /** The zone that the author has chosen. While its name is incomplete, this is `zoneWas`. */
  zone: string
}

function readZones(fields: Fields, words: Words): Zones & { issues: Issue[] } {
  let [zoneWas, zone] = ['UTC', 'UTC']
  try {
    zoneWas = zoneOf(fields.zoneWas || words.zone)
    zone = zoneWas
    zone = zoneOf(zoneOfCity(fields.zone, words.tag) || words.zone)
    return { zoneWas, zone, issues: [] }
  } catch (error) {
    return { zoneWas, zone, issues: [timeIssue('zone', error, zone, words)] }
  }
}

/** Reads a time: its instant, its field as the form shows it in the chosen zone, and its fault. */
async function readTime(
  name: 'from' | 'until',
  fields: Fields,
  { zoneWas, zone }: Zones,
  now: number,
  words: Words,
): Promise<{ at?: number; shown: string; issues: Issue[] }> {
  const written = fields[name]
  if (written === '') return { shown: written, issues: [] }
  const inZone = (at: number) => ({ at, shown: shownIn(zone, at), issues: [] })
  const stored = new Date(Number(fields[`${name}Was`])).getTime()
  // Browsers leave out zeros at the end of a time.
  if (Date.parse(`${written}Z`) === Date.parse(`${shownIn(zoneWas, stored)}Z`)) {
    return inZone(stored)
  }
  const parse = (zone: string) =>
    parseTime(written, { name, zone, now, endOfDay: name === 'until' })
  if (fields.zoneWas !== '' && zone !== zoneWas) {
    // If the clocks skip or repeat that hour, this takes the first of the two choices. The form then shows that choice
    // in the new zone, so its author can correct it.
    const meant = await parse(zoneWas).catch(({ choices }) => choices?.[0])
    if (meant) return inZone(meant.epochMilliseconds)
  }
  try {
    return { at: (await parse(zone)).epochMilliseconds, shown: written, issues: [] }
  } catch (error) {
    return { shown: written, issues: [timeIssue(name, error, zone, words)] }
  }
}

/** The issue for an invalid time or zone. @throws any other error */
function timeIssue(path: string, error: unknown, zone: string, words: Words): Issue {
  if (!(error instanceof TimeError)) throw error
  const { kind, message, choices } = error
  // Two instants with the same local time can be told apart only in a different zone.
  const as = kind === 'twice' ? 'UTC' : zone
  const instants = choices.map((one) => one.epochMilliseconds)
  const [first = '', second = ''] = clocksOf(instants, as, zone, words.times)
  return { path, code: kind, message, params: { first, second } }
}

/** Formats instants in `zone`. Leaves out the day if all instants fall on the same day in both `zone` and `typed`. */
function clocksOf(instants: readonly number[], zone: string, typed: string, tag: string) {
  const days = [zone, typed].flatMap((one) => instants.map((at) => formatted(at, one, tag, DAY)))
  const parts = new Set(days).size === 1 ? clockFormatIn(tag) : formatIn(tag)
  return instants.map((at) => formatted(at, zone, tag, parts))
}

/** Reads the texts and links of the other languages: by tag, or `undefined` if there are none. */
function readLanguages(fields: Fields) {
  const rows = fields.translations.filter((row) => !isEmpty(row))
  const named = rows.filter(({ tag }) => tag !== '')
  const linked = named.filter(({ slug }) => slug !== '')
  // A language may have a link but no text.
  const written = named.filter(({ text, slug }) => text.trim() !== '' || slug === '')
  const texts = written.map(({ tag, text }) => [tag, text] as const)
  const links = linked.map(({ tag, slug }) => [tag, toLink(slug, fields)] as const)
  const nameless = { path: 'translations.', code: 'no_language', message: '' }
  return {
    translations: texts.length > 0 ? Object.fromEntries(texts) : undefined,
    slugs: links.length > 0 ? Object.fromEntries(links) : undefined,
    issues: [...(named.length < rows.length ? [nameless] : []), ...tagIssues(named)],
  }
}

/** The faults that the API can't see, because an object can't contain a tag twice, or the tag `__proto__` (A5). */
function tagIssues(rows: Fields['translations']): Issue[] {
  return rows.flatMap(({ tag }, i) => {
    const path = `translations.${tag}`
    if (tag === '__proto__') return issueAt(path, 'not_a_language', { max: MAX_TAG_LENGTH })
    const isRepeated = rows.findIndex((one) => one.tag === tag) < i
    return isRepeated ? issueAt(path, 'same_language', { tag }) : []
  })
}

const toLink = (slug: string, { slugWas }: Fields): string =>
  slugWas.split(' ').includes(slug) ? slug : linkMeant(slug)
