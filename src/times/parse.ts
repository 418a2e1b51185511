import type { Temporal } from 'temporal-polyfill'

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
  /** What messages call the time, such as `--from`. */
  name: string
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

/**
 * Parses a time as people write it. A time without an offset gets the time zone's offset on that date. The runtime knows
 * the time zones and their clock changes, and Temporal does the arithmetic.
 *
 * @throws TimeError if the text isn't a time, or is in an hour that the clocks skip or repeat
 */
export async function parseTime(
  text: string,
  options: TimeOptions,
): Promise<Temporal.ZonedDateTime> {
  const { name, zone, now, endOfDay = false } = options
  const { Instant, PlainDate, PlainTime } = await temporal()
  const at = (ms: number) => {
    try {
      return Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
    } catch {
      throw new TimeError('unreadable', `${ms} is outside the range of valid dates`)
    }
  }
  const wrong = () =>
    new TimeError('unreadable', `${name} must be a time like ${FORMS}, not "${text}"`)
  const written = text.trim()
  if (written.length > MAX_LENGTH) throw wrong()
  if (/^\d{12,16}$/.test(written)) return at(Number(written))
  if (/^\d{9,11}$/.test(written)) {
    throw new TimeError(
      'unreadable',
      `${name} must be in milliseconds since 1970, but ${written} seems to be in seconds: use ${written}000`,
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
      `${name}: that time occurs twice, because the clocks go back; use ${exact.join(' or ')}`,
      [earlier, later],
    )
  }
  throw new TimeError(
    'skipped',
    `${name}: ${dateAndClock(wall)} does not exist in ${zone}, because the clocks go forward; ` +
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

/**
 * Adds a span such as `3d`, `12h` or `1w` to a start. Days and weeks preserve the time of day.
 *
 * @param name what messages call the span, such as `--for`
 * @throws TimeError
 */
export function endAfter(
  start: Temporal.ZonedDateTime,
  span: string,
  name: string,
): Temporal.ZonedDateTime {
  const [, count, unit] = /^(\d{1,4})([smhdw])$/.exec(span.trim()) ?? []
  if (!count || Number(count) === 0) {
    throw new TimeError(
      'unreadable',
      `${name} must be a duration like 45s, 90m, 12h, 3d or 1w, not "${span}"`,
    )
  }
  return start.add({ [UNITS[unit as keyof typeof UNITS]]: Number(count) })
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
function around(...times: Temporal.ZonedDateTime[]): string[] {
  const days = new Set(times.map((time) => time.toPlainDate().toString()))
  return times.map((time) =>
    days.size === 1 ? clockOf(time) : dateAndClock(time.toPlainDateTime()),
  )
}

function dateAndClock(time: Temporal.PlainDateTime): string {
  return `${time.toPlainDate()} ${clockOf(time)}`
}

function clockOf(time: Temporal.ZonedDateTime | Temporal.PlainDateTime): string {
  return time.toPlainTime().toString({ smallestUnit: time.second === 0 ? 'minute' : 'second' })
}
