import type { Temporal } from 'temporal-polyfill'

/** What a person wrote is no time, or not one. The message says what to write. */
export class TimeError extends Error {
  readonly kind: 'unreadable' | 'skipped' | 'twice' | 'zone'
  /** The two times that may be meant: around an hour that is skipped, or in one that comes twice. */
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
