/** One row: what is known of the coupon that stands, and how far its notifications are caught up with (contract T3, T4). */
export interface OfferRow {
  id: number
  /** When the next turn to ask comes, by the clock that all nodes share. */
  next_at: number
  /** When Stripe last answered about what stands, or when that was put up. */
  answered_at: number
  failures: number
  /** The coupon that the next three are about. */
  coupon: string | null
  /** 1 once the key has retrieved it. */
  seen: number
  max: number | null
  redeemed: number | null
  /** What was taken down because Stripe didn't answer, as JSON. It may come back. */
  suspended: string | null
  /** When somebody last decided what stands. */
  decided_at: number
  /** Which key was used, not the key; `null` before the first. */
  key_mark: string | null
  /** When that key was first used, and up to when events are caught up with: seconds since 1970. */
  since: number
  caught_up_to: number
  /** The newest event that was listed. */
  last_event: string | null
  /** When events were last listed. */
  listed_at: number
  /** Until when the provider wants no questions, by the clock that all nodes share. */
  quiet_until: number
  /** The last notification that the provider delivered, and when it was created there: seconds since 1970. */
  heard_event: string | null
  heard_at: number
  /** Its mode: 1 for live, 0 for test, `null` if it doesn't say. */
  heard_live: number | null
}

export const offerMigration = [
  `create table offer (
    id integer primary key check (id = 1),
    next_at bigint not null default 0,
    answered_at bigint not null default 0,
    failures bigint not null default 0,
    seen bigint not null default 0,
    decided_at bigint not null default 0,
    since bigint not null default 0,
    caught_up_to bigint not null default 0,
    listed_at bigint not null default 0,
    max bigint,
    redeemed bigint,
    coupon text,
    suspended text,
    key_mark text,
    last_event text
  )`,
  'insert into offer (id) values (1)',
]

export const webhooksMigration = [
  'alter table offer add column quiet_until bigint not null default 0',
  'alter table offer add column heard_event text',
  'alter table offer add column heard_at bigint not null default 0',
  'alter table offer add column heard_live bigint',
]
