import { memoize } from '../core/once.ts'

/** Formats a local time for an HTML input: `2026-11-27T09:00`, or `2026-11-27T09:00:30.000` between whole minutes. */
export function wallClock(ms: number, zone: string): string {
  // The Swedish locale formats times almost as ISO 8601 does, so there is no need for Temporal.
  const time = new Date(ms).toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')
  if (ms % 60_000 === 0) return time.slice(0, -':00'.length)
  return `${time}.${String(ms % 1_000).padStart(3, '0')}`
}

/** Formats an instant in full: `Fri, 27 Nov 2026, 09:00 Europe/Berlin (08:00 UTC, in 6 days)`. */
export function inFull(at: number, zone: string, now: number, tag: string): string {
  // Shows the seconds only if they aren't zero.
  const second = Math.floor(at / 1_000) % 60 === 0 ? {} : ({ second: '2-digit' } as const)
  const there = `${formatted(at, zone, tag, { ...formatIn(tag), ...second })} ${zone}`
  const relative = fromNow(at, now, zone, tag)
  if (zone === 'UTC') return `${there} (${relative})`
  const and = COMMAS[new Intl.Locale(tag).language] ?? ', '
  // The time in UTC includes the day only if the day differs.
  const sameDay = formatted(at, 'UTC', tag, DAY) === formatted(at, zone, tag, DAY)
  const utc = formatted(at, 'UTC', tag, { ...(sameDay ? clockFormatIn : formatIn)(tag), ...second })
  return `${there} (${utc} UTC${and}${relative})`
}

/** The separators of languages that don't use a comma and a space. */
const COMMAS: Record<string, string> = { ar: '، ', ja: '、' }

export const formatIn = (tag: string) => ({ ...DAY, ...clockFormatIn(tag) })

export const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
/** Clock formats by language and region, cached because resolving a format takes as long as formatting a time. */
const clocks = new Map<string, Intl.DateTimeFormatOptions>()

/** Hours have two digits only on a 24-hour clock: `09:00`, but `9:00 AM`. */
export function clockFormatIn(tag: string): Intl.DateTimeFormatOptions {
  return memoize(clocks, tag, () => {
    const { hour12 } = new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions()
    return { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' }
  })
}

export function formatted(
  at: number,
  timeZone: string,
  tag: string,
  parts: Intl.DateTimeFormatOptions = formatIn(tag),
): string {
  return new Intl.DateTimeFormat(tag, { ...parts, timeZone }).format(at)
}

const STEPS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const
const DAY_MS = 86_400_000

/**
 * Formats the distance to an instant in words, such as `in 3 hours`. From 24 hours up, counts calendar days, as people
 * do: on Monday evening, Wednesday morning is two days away, although that is less than 48 hours.
 *
 * @param at milliseconds since 1970, like `now`
 * @param zone the time zone of the calendar
 */
export function fromNow(at: number, now: number, zone: string, tag: string): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const ms = at - now
  if (Math.abs(ms) >= DAY_MS)
    return format.format(dayNumber(at, zone) - dayNumber(now, zone), 'day')
  const [unit, length] = STEPS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return format.format(Math.trunc(ms / length), unit)
}

/** Counts the days from 1 January 1970 to an instant, in a zone's calendar. */
function dayNumber(ms: number, timeZone: string): number {
  const [date = ''] = wallClock(ms, timeZone).split('T')
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  return Date.UTC(year, month - 1, day) / DAY_MS
}
