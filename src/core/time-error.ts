import type { Temporal } from 'temporal-polyfill'

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
