const STEPS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const
const DAY_MS = 86_400_000

/**
 * The distance to an instant in words: `in 3 hours`, and in calendar days from 24 hours on, as people count them. On a
 * Monday evening, Wednesday is two days away, however many hours that is.
 *
 * @param at milliseconds since 1970, like `now`
 * @param zone the time zone of the calendar
 * @param numeric `auto` allows a name for a day: `tomorrow`
 */
export function fromNow(
  at: number,
  now: number,
  zone: string,
  tag: string,
  numeric: 'auto' | 'always' = 'auto',
): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric })
  const ms = at - now
  if (Math.abs(ms) >= DAY_MS) return format.format(dayOf(at, zone) - dayOf(now, zone), 'day')
  const [unit, length] = STEPS.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000]
  return format.format(Math.trunc(ms / length), unit)
}

/** The number of a day since 1970, in a zone. */
function dayOf(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  }).formatToParts(at)
  const [year, month, day] = ['year', 'month', 'day'].map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  ) as [number, number, number]
  return Date.UTC(year, month - 1, day) / DAY_MS
}
