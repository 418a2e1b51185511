import { styleText } from 'node:util'
import type { WireAnnouncement, WireScheduled } from '../core/announcement.ts'
import { changedIn, type WireHistoryEntry } from '../core/history.ts'
import { REASONS } from '../core/messages.ts'
import { inFull } from '../times/format.ts'
import { TimeError, zoneOf } from '../times/parse.ts'
import { escapeControls } from './terminal.ts'

/** Makes text bold on a terminal, unless `NO_COLOR` is set; `styleText` checks both. */
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const yellow = (text: string) => styleText('yellow', text)

/** The user's current time and time zone. */
export interface LocalClock {
  /** Milliseconds since 1970. */
  now: number
  zone: string
}

/** The current time, with the time zone from `--zone` or else this machine's. @throws TimeError */
export function localClock(zone: string | undefined): LocalClock {
  if (zone === undefined) assertKnownZone(process.env.TZ)
  return { now: Date.now(), zone: zoneOf(zone) }
}

/** Rejects a `TZ` such as `CET-1CEST`, which C programs understand, but the runtime takes for UTC. @throws TimeError */
function assertKnownZone(given: string | undefined): void {
  const name = given?.replace(/^:/, '') ?? ''
  if (name === '' || name.startsWith('/') || zoneOf(undefined) !== 'UTC') return
  try {
    zoneOf(name)
  } catch {
    const fix = 'set TZ, or give --zone, as a name like Europe/Berlin'
    throw new TimeError('zone', `TZ is not the name of a time zone: ${fix}`)
  }
}

export function when(digits: string | number, { now, zone }: LocalClock): string {
  return inFull(Number(digits), zone, now, 'en-GB')
}

/** The fields that an edit can change besides the texts, one line each. */
function fieldsOf(one: WireAnnouncement | WireScheduled, clock: LocalClock): string[] {
  const lines = [`${one.type} → ${one.slug}`]
  if ('startsAt' in one) lines.push(`starts ${when(one.startsAt, clock)}`)
  if (one.expiresAt) lines.push(`until ${when(one.expiresAt, clock)}`)
  if (one.icon) lines.push(`icon ${one.icon}`)
  if (one.language) lines.push(`language ${one.language}`)
  for (const [tag, slug] of Object.entries(one.slugs ?? {})) lines.push(`${tag} → ${slug}`)
  return lines
}

const inLanguage = ([tag, text]: readonly [string, string]) => `${tag}: ${text}`

/** The texts in other languages, one line each. */
const textsOf = ({ translations = {} }: WireAnnouncement | WireScheduled): string[] =>
  Object.entries(translations).map(inLanguage)

/** Describes an announcement: its texts, fields, time of publication and id. */
export function describe(stored: WireAnnouncement | WireScheduled, clock: LocalClock): string {
  const one = escapeControls(stored)
  const [link = '', ...rest] = fieldsOf(one, clock)
  const since = 'timestamp' in one ? [`since ${when(one.timestamp, clock)}`] : []
  const lines = [link, ...since, ...rest, ...textsOf(one), dim(one.id)]
  return [bold(one.text), ...lines.map((line) => `  ${line}`)].join('\n')
}

const VIA = {
  api: 'the API',
  cli: 'the command line',
  admin: 'the admin',
  code: 'code',
  stripe: 'Stripe',
}

export function describeEntry(entry: WireHistoryEntry, clock: LocalClock): string {
  const { id, at, action, by, before, after, reason } = escapeControls(entry)
  const who = `${by.name ?? VIA[by.via]}${by.name ? ` (${VIA[by.via]})` : ''}`
  const lines = [`${bold(`${id}  ${action}`)}  ${when(at, clock)}, by ${who}`]
  if (by.notification)
    lines.push(`  notification ${by.notification}${by.event ? ` (${by.event})` : ''}`)
  if (by.coupon) lines.push(`  coupon ${by.coupon}${by.couponName ? ` (${by.couponName})` : ''}`)
  if (by.undoing) lines.push(`  undoes ${by.undoing}`)
  if (before && before.text === after?.text) lines.push(`    ${titleOf(after)}`)
  if (before) lines.push(...changed(before, after, clock).map((line) => `  - ${line}`))
  // Lists a new announcement in full, because no other line describes it.
  const added = after && (before ? changed(after, before, clock) : allOf(after, clock))
  if (added) lines.push(...added.map((line) => `  + ${line}`))
  if (reason) lines.push(`  because: ${REASONS[reason] ?? reason}`)
  return lines.join('\n')
}

const titleOf = (one: WireAnnouncement | WireScheduled) =>
  'coupon' in one && one.coupon ? `${one.text} (coupon ${one.coupon})` : one.text

const allOf = (one: WireAnnouncement | WireScheduled, clock: LocalClock): string[] => [
  titleOf(one),
  ...fieldsOf(one, clock),
  ...textsOf(one),
]

/** Lists how `one` differs from `other`, which is in the same history entry. Without `other`, lists only the text. */
function changed(
  one: WireAnnouncement | WireScheduled,
  other: WireAnnouncement | WireScheduled | null,
  clock: LocalClock,
): string[] {
  const theirs = fieldsOf(other ?? one, clock)
  return [
    ...(one.text === other?.text ? [] : [titleOf(one)]),
    ...fieldsOf(one, clock).filter((line) => !theirs.includes(line)),
    ...(other ? changedIn(one.translations, other.translations).map(inLanguage) : []),
  ]
}
