import type { Temporal } from 'temporal-polyfill'
import { fromNow } from './relative.ts'

/**
 * Times as people write them. An offset is that of the zone on the given date. The platform knows the zones and their
 * changes, and Temporal does the arithmetic.
 */

/** The zone of `--zone`, or the machine's; UTC if `TZ` is empty. @throws TimeError if there is no such zone */
export function zoneOf(given: string | undefined): string {
  const zone = given ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone ?? 'UTC'
  } catch {
    // On a machine without a zone, the platform names one that it then doesn't accept.
    if (given === undefined) return 'UTC'
    throw new TimeError('zone', `There is no time zone ${zone}; use a name like Europe/Berlin`)
  }
}

/**
 * The platform's Temporal from Node 26 on, else a polyfill, loaded late because it has 150 KB and few processes need
 * it.
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
  /** Whether a bare day means the end of it, as in "until Friday". */
  endOfDay?: boolean
}

/** Longer than any time, because patterns are slow on long texts. */
const MAX_LENGTH = 64
const FORMS =
  '2027-01-04, "2027-01-04 09:00", "tomorrow 9:00", "friday 9:00", or with an offset 2027-01-04T09:00:00+01:00'
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const WRITTEN =
  /^(?:(\d{4}-\d{2}-\d{2})|([a-z]+))(?:(?:[ t]+|\s+at\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/i

/** @throws TimeError if the text isn't a time, or is in an hour that the clocks skip or repeat */
export async function parseTime(
  text: string,
  options: TimeOptions,
): Promise<Temporal.ZonedDateTime> {
  const { option, zone, now, endOfDay = false } = options
  const { Instant, PlainDate } = await temporal()
  const at = (ms: number) => {
    try {
      return Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
    } catch {
      throw new TimeError('unreadable', `${ms} is beyond all calendars`)
    }
  }
  const wrong = () => new TimeError('unreadable', `${option} takes a time, not "${text}": ${FORMS}`)
  const written = text.trim()
  if (written.length > MAX_LENGTH) throw wrong()
  if (/^\d{12,16}$/.test(written)) return at(Number(written))
  if (/^\d{9,11}$/.test(written)) {
    throw new TimeError(
      'unreadable',
      `${option} takes milliseconds since 1970, and ${written} seems to be seconds: say ${written}000`,
    )
  }
  if (/[t ]/i.test(written) && /(z|[+-]\d{2}:?\d{2})$/i.test(written)) {
    try {
      return Instant.from(written.toUpperCase()).toZonedDateTimeISO(zone)
    } catch {}
  }

  const [, date, word, hour, minute, second = '0', millisecond = '0'] = WRITTEN.exec(written) ?? []
  const today = at(now).toPlainDate()
  let day: Temporal.PlainDate | undefined
  try {
    day = date === undefined ? dayOf(word, today) : PlainDate.from(date)
  } catch {}
  if (!day) throw wrong()
  if (hour === undefined) {
    // A day doesn't begin at midnight everywhere, so Temporal is asked for its start.
    return (endOfDay ? day.add({ days: 1 }) : day).toZonedDateTime(zone)
  }
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw wrong()
  const wall = day.toPlainDateTime({
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(millisecond.padEnd(3, '0')),
  })
  const earlier = wall.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const later = wall.toZonedDateTime(zone, { disambiguation: 'later' })
  if (earlier.equals(later)) return earlier
  if (earlier.toPlainDateTime().equals(wall)) {
    const exact = [earlier, later].map((time) =>
      time.toString({ timeZoneName: 'never', smallestUnit: 'second' }),
    )
    throw new TimeError(
      'twice',
      `${option}: that time comes twice, as the clocks are set back: say ${exact.join(' or ')}`,
      [earlier, later],
    )
  }
  throw new TimeError(
    'skipped',
    `${option}: ${dateAndClock(wall)} does not exist in ${zone}, as the clocks are set forward; ` +
      `say ${around(earlier, later).join(' or ')}`,
    [earlier, later],
  )
}

/** `today`, `tomorrow`, or the next such day of the week after today. */
function dayOf(
  word: string | undefined,
  today: Temporal.PlainDate,
): Temporal.PlainDate | undefined {
  const name = word?.toLowerCase() ?? ''
  if (name === 'today') return today
  if (name === 'tomorrow') return today.add({ days: 1 })
  const index =
    name.length < 3 ? -1 : DAYS.findIndex((day) => day === name || day.slice(0, 3) === name)
  if (index < 0) return undefined
  return today.add({ days: ((index + 1 - today.dayOfWeek + 6) % 7) + 1 })
}

const UNITS = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days', w: 'weeks' } as const

/** The time on a wall clock, as forms write it: `2026-11-27T09:00`, with milliseconds only if there are any. */
export function wallClock(ms: number, zone: string): string {
  const { year, month, day, hour, minute, second } = fieldsOf('en-u-ca-iso8601', ms, zone, {
    month: '2-digit',
    day: '2-digit',
  })
  const rest = ms % 60_000 === 0 ? '' : `:${second}.${String(ms % 1_000).padStart(3, '0')}`
  return `${year}-${month}-${day}T${hour}:${minute}${rest}`
}

/** The end of a span like `3d`, `12h`, `1w`. Days and weeks keep the time of day. @throws TimeError */
export function endAfter(start: Temporal.ZonedDateTime, span: string): Temporal.ZonedDateTime {
  const [, count, unit] = /^(\d{1,4})([smhdw])$/.exec(span.trim()) ?? []
  if (!count || Number(count) === 0) {
    throw new TimeError(
      'unreadable',
      `--for takes a span like 45s, 90m, 12h, 3d or 1w, not "${span}"`,
    )
  }
  return start.add({ [UNITS[unit as keyof typeof UNITS]]: Number(count) })
}

/** A time in full: `Fri 27 Nov 2026, 09:00 Europe/Berlin (08:00 UTC, in 6 days)`. */
export function inFull(
  {
    epochMilliseconds: at,
    timeZoneId: zone,
  }: Pick<Temporal.ZonedDateTime, 'epochMilliseconds' | 'timeZoneId'>,
  now: number,
): string {
  const [there, utc] = [zone, 'UTC'].map((zone) => {
    const { weekday, day, month, year, hour, minute, second } = fieldsOf('en-GB', at, zone, {
      weekday: 'short',
      month: 'short',
      day: 'numeric',
    })
    const clock = `${hour}:${minute}${second === '00' ? '' : `:${second}`}`
    return { day: `${weekday} ${day} ${month}`, year, clock }
  }) as [Wall, Wall]
  const relative = Math.abs(at - now) < 1_000 ? 'now' : fromNow(at, now, zone, 'en', 'always')
  const local = `${there.day} ${there.year}, ${there.clock} ${zone}`
  if (zone === 'UTC') return `${local} (${relative})`
  return `${local} (${utc.day === there.day ? '' : `${utc.day}, `}${utc.clock} UTC, ${relative})`
}

type Wall = { day: string; year: string | undefined; clock: string }

/** The date and time in the platform's format, which needs no Temporal. */
function fieldsOf(
  tag: string,
  ms: number,
  timeZone: string,
  of: Intl.DateTimeFormatOptions,
): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  const format = new Intl.DateTimeFormat(tag, { timeZone, year: 'numeric', ...time, ...of })
  return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
}

/** The input isn't a time, or is ambiguous. The message says what to write instead. */
export class TimeError extends Error {
  readonly kind: 'unreadable' | 'skipped' | 'twice' | 'zone'
  /** The two times that may be meant: around a skipped hour, or in a repeated one. */
  readonly choices: readonly Temporal.ZonedDateTime[]

  constructor(
    kind: TimeError['kind'],
    message: string,
    choices: readonly Temporal.ZonedDateTime[] = [],
  ) {
    super(message)
    this.kind = kind
    this.choices = choices
  }
}

/**
 * The times around a skipped hour. They include their days if that hour is at midnight, because then the days differ.
 */
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
