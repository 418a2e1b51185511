import type { Temporal } from 'temporal-polyfill'
import { memoize } from './once.ts'

/**
 * Parses and formats times as people write them. A time without an offset gets the time zone's offset on that date.
 * The runtime knows the time zones and their clock changes, and Temporal does the arithmetic.
 */

/** Returns the given time zone, else the machine's, else UTC. @throws TimeError if the given zone doesn't exist */
export function zoneOf(given: string | undefined): string {
  const zone = given ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone ?? 'UTC'
  } catch {
    // On a machine without a time zone, the runtime reports a zone that it then doesn't accept.
    if (given === undefined) return 'UTC'
    throw new TimeError('zone', `There is no time zone ${zone}; use a name like Europe/Berlin`)
  }
}

/**
 * Returns the runtime's Temporal, which Node 26 and later have, or else a polyfill. The polyfill is loaded on
 * demand, because it takes 150 KB and few processes need it.
 */
async function temporal(): Promise<typeof Temporal> {
  return Reflect.get(globalThis, 'Temporal') ?? (await import('temporal-polyfill')).Temporal
}

export interface TimeOptions {
  /** The option's name, for messages: `--from`. */
  option: string
  zone: string
  /** Milliseconds since 1970. */
  now: number
  /** Whether a day without a time means the end of that day, as in "until Friday". */
  endOfDay?: boolean
}

/** The maximum length of text that is parsed as a time. Regular expressions would be slow on longer text. */
const MAX_LENGTH = 64
const FORMS =
  '2027-01-04, "2027-01-04 09:00", "tomorrow 9:00", "friday 9:00" or 2027-01-04T09:00:00+01:00'
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const WRITTEN =
  /^(?:(\d{4}-\d{2}-\d{2})|([a-z]+))(?:(?:[ t]+|\s+at\s+)(\d{1,2}:\d{2}(?::[0-5]\d(?:\.\d{1,3})?)?))?$/i

/** Parses a time. @throws TimeError if the text isn't a time, or is in an hour that the clocks skip or repeat */
export async function parseTime(
  text: string,
  options: TimeOptions,
): Promise<Temporal.ZonedDateTime> {
  const { option, zone, now, endOfDay = false } = options
  const { Instant, PlainDate, PlainTime } = await temporal()
  const at = (ms: number) => {
    try {
      return Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
    } catch {
      throw new TimeError('unreadable', `${ms} is outside the range of valid dates`)
    }
  }
  const wrong = () =>
    new TimeError('unreadable', `${option} must be a time like ${FORMS}, not "${text}"`)
  const written = text.trim()
  if (written.length > MAX_LENGTH) throw wrong()
  if (/^\d{12,16}$/.test(written)) return at(Number(written))
  if (/^\d{9,11}$/.test(written)) {
    throw new TimeError(
      'unreadable',
      `${option} must be in milliseconds since 1970, but ${written} seems to be in seconds: use ${written}000`,
    )
  }
  if (/[t ]/i.test(written) && /(z|[+-]\d{2}:?\d{2})$/i.test(written)) {
    try {
      return Instant.from(written.toUpperCase()).toZonedDateTimeISO(zone)
    } catch {}
  }

  const [, date, word, clock] = WRITTEN.exec(written) ?? []
  const today = at(now).toPlainDate()
  let day: Temporal.PlainDate
  let time: Temporal.PlainTime | undefined
  try {
    day = date === undefined ? dayOf(word, today) : PlainDate.from(date)
    time = clock === undefined ? undefined : PlainTime.from(clock.replace(/^\d:/, '0$&'))
  } catch {
    throw wrong()
  }
  // Temporal computes the start of the day, because in some zones the clocks skip midnight on certain days.
  if (!time) return (endOfDay ? day.add({ days: 1 }) : day).toZonedDateTime(zone)
  const wall = day.toPlainDateTime(time)
  const earlier = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const later = wall.toZonedDateTime(zone, { disambiguation: 'later' })
  if (earlier.equals(later)) return earlier
  if (earlier.toPlainDateTime().equals(wall)) {
    const exact = [earlier, later].map((time) =>
      time.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    )
    throw new TimeError(
      'twice',
      `${option}: that time occurs twice, because the clocks go back; use ${exact.join(' or ')}`,
      [earlier, later],
    )
  }
  throw new TimeError(
    'skipped',
    `${option}: ${dateAndClock(wall)} does not exist in ${zone}, because the clocks go forward; ` +
      `use ${around(earlier, later).join(' or ')}`,
    [earlier, later],
  )
}

/**
 * Returns the date that a word means: `today`, `tomorrow`, or a weekday, which means its next date after today.
 *
 * @throws RangeError for any other word
 */
function dayOf(word: string | undefined, today: Temporal.PlainDate): Temporal.PlainDate {
  const name = word?.toLowerCase()
  if (name === 'today') return today
  if (name === 'tomorrow') return today.add({ days: 1 })
  const index = DAYS.findIndex((day) => day === name || day.slice(0, 3) === name)
  if (index < 0) throw new RangeError(`There is no day ${name}`)
  return today.add({ days: ((index + 1 - today.dayOfWeek + 6) % 7) + 1 })
}

const UNITS = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks' } as const

/** Formats a local time for an HTML input: `2026-11-27T09:00`, or `2026-11-27T09:00:30.000` between whole minutes. */
export function wallClock(ms: number, zone: string): string {
  // The Swedish locale formats times almost as ISO 8601 does, so there is no need for Temporal.
  const time = new Date(ms).toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')
  if (ms % 60_000 === 0) return time.slice(0, -':00'.length)
  return `${time}.${String(ms % 1_000).padStart(3, '0')}`
}

/** Adds a span such as `3d`, `12h` or `1w` to a start. Days and weeks preserve the time of day. @throws TimeError */
export function endAfter(start: Temporal.ZonedDateTime, span: string): Temporal.ZonedDateTime {
  const [, count, unit] = /^(\d{1,4})([smhdw])$/.exec(span.trim()) ?? []
  if (!count || Number(count) === 0) {
    throw new TimeError(
      'unreadable',
      `--for must be a duration like 45s, 90m, 12h, 3d or 1w, not "${span}"`,
    )
  }
  return start.add({ [UNITS[unit as keyof typeof UNITS]]: Number(count) })
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
  const utc = formatted(at, 'UTC', tag, { ...(sameDay ? clockIn : formatIn)(tag), ...second })
  return `${there} (${utc} UTC${and}${relative})`
}

/** The separators of languages that don't use a comma and a space. */
const COMMAS: Record<string, string> = { ar: '، ', ja: '、' }

export const formatIn = (tag: string) => ({ ...DAY, ...clockIn(tag) })

export const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
/** Clock formats by language and region, cached because resolving a format takes as long as formatting a time. */
const clocks = new Map<string, Intl.DateTimeFormatOptions>()

/** Hours have two digits only on a 24-hour clock: `09:00`, but `9:00 AM`. */
export function clockIn(tag: string): Intl.DateTimeFormatOptions {
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

/** An invalid time or zone, or a time that the clocks skip or repeat. The message tells users what to write instead. */
export class TimeError extends Error {
  readonly kind: 'unreadable' | 'skipped' | 'twice' | 'zone'
  /** The two times that the user may mean: those around a skipped hour, or those in a repeated hour. */
  readonly choices: readonly Temporal.ZonedDateTime[]

  constructor(kind: TimeError['kind'], message: string, choices: TimeError['choices'] = []) {
    super(message)
    this.kind = kind
    this.choices = choices
  }
}

/** Formats the times around a skipped hour. Includes the dates only if they differ, as around a skipped midnight. */
export function around(...times: Temporal.ZonedDateTime[]): string[] {
  const days = new Set(times.map((time) => time.toPlainDate().toString()))
  return times.map((time) =>
    days.size === 1 ? clockOf(time) : dateAndClock(time.toPlainDateTime()),
  )
}

export function dateAndClock(time: Temporal.PlainDateTime): string {
  return `${time.toPlainDate()} ${clockOf(time)}`
}

export function clockOf(time: Temporal.ZonedDateTime | Temporal.PlainDateTime): string {
  return time.toPlainTime().toString({ smallestUnit: time.second === 0 ? 'minute' : 'second' })
}
