import { styleText } from 'node:util'
import type { WireAnnouncement, WireScheduled } from '../core/announcement.ts'
import { changedTexts, type WireHistoryEntry } from '../core/history.ts'
import { REASONS } from '../core/messages.ts'
import { inFull, zoneOf } from '../core/times.ts'

/** Bold at a terminal, unless `NO_COLOR` is set: `styleText` checks both. */
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const yellow = (text: string) => styleText('yellow', text)

/** The person's own time. */
export interface LocalClock {
  /** Milliseconds since 1970. */
  now: number
  zone: string
}

/** Now, in the time zone of `--zone` or of this machine. @throws TimeError */
export const clockIn = (zone: string | undefined): LocalClock => ({
  now: Date.now(),
  zone: zoneOf(zone),
})

export function when(digits: string | number, { now, zone }: LocalClock): string {
  return inFull({ epochMilliseconds: Number(digits), timeZoneId: zone }, now)
}

/** The text, type and link of an announcement, and its start and end. */
export function describe(one: WireAnnouncement | WireScheduled, clock: LocalClock): string {
  const lines = [bold(one.text), `  ${one.type} → ${one.slug}`]
  if ('startsAt' in one) lines.push(`  starts ${when(one.startsAt, clock)}`)
  else lines.push(`  since ${when(one.timestamp, clock)}`)
  if (one.expiresAt) lines.push(`  until ${when(one.expiresAt, clock)}`)
  const languages = Object.keys(one.translations ?? {})
  if (languages.length > 0) lines.push(`  also in ${languages.join(', ')}`)
  return [...lines, dim(`  ${one.id}`)].join('\n')
}

const VIA = {
  api: 'the API',
  cli: 'the command line',
  admin: 'the admin',
  code: 'code',
  stripe: 'Stripe',
}

export function describeEntry(entry: WireHistoryEntry, clock: LocalClock): string {
  const { id, at, action, by, before, after, reason } = entry
  const who = `${by.name ?? VIA[by.via]}${by.name ? ` (${VIA[by.via]})` : ''}`
  const lines = [`${bold(`${id}  ${action}`)}  ${when(at, clock)}, by ${who}`]
  if (by.notification)
    lines.push(`  notification ${by.notification}${by.event ? ` (${by.event})` : ''}`)
  if (by.coupon) lines.push(`  coupon ${by.coupon}${by.couponName ? ` (${by.couponName})` : ''}`)
  if (by.undoing) lines.push(`  undoes ${by.undoing}`)
  const isPause = action === 'paused' || action === 'resumed'
  if (before && !isPause) lines.push(`  - ${before.text}`, ...languages('-', before, after))
  if (after) lines.push(`  + ${after.text}`, ...languages('+', after, before))
  if (reason) lines.push(`  because: ${REASONS[reason] ?? reason}`)
  return lines.join('\n')
}

function languages(
  sign: string,
  one: WireAnnouncement | WireScheduled,
  other: WireAnnouncement | WireScheduled | null,
): string[] {
  return changedTexts(one, other).map(([tag, text]) => `  ${sign} ${tag}: ${text}`)
}
