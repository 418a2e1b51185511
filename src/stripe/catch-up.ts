import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Offers as StoredOffers } from '../store/store.ts'
import type { ListedEvent, Questions, StripeClient } from './client.ts'
import { commandFor, type Told } from './notification.ts'
import type { Report } from './report.ts'

export interface CatchingUp {
  store: StoredOffers
  commands: Commands
  client: Pick<StripeClient, 'answeredAt'>
  clock: Clock
  log: Log
  report: Report
  /** Warns about parts of a notification that may not show as intended. */
  warn(told: Told): Promise<void>
}

/** How many pages of the newest events are read, to limit time and memory. */
const MAX_PAGES = 30
/** An event may be listed after others that were created later. */
const OVERLAP_S = 300
/** A coupon that doesn't exist. Learning so takes the right to read coupons. */
export const NO_COUPON = 'placard-doctor'

/**
 * The latest instant within a second of Stripe's clock, but not later than `known`, when we knew of the event. Both in
 * milliseconds since 1970.
 */
export function latestInstant(second: number, known: number): number {
  return Math.min(second * 1000 + 999, known)
}

/**
 * Applies missed notifications (contract T4). It begins with a key's first answer, so nothing older is announced.
 *
 * @param judge retrieves and judges the coupon of a notification; without an answer, the snapshot counts
 * @param known up to when events are known: Stripe's seconds since 1970
 * @throws Unanswered
 */
export async function catchUp(
  { store, commands, client, clock, log, report, warn }: CatchingUp,
  ask: Questions,
  judge: (told: Told) => Promise<Told>,
  known: number | null,
): Promise<void> {
  let since = known
  if (since === null) {
    await ask.coupon(NO_COUPON)
    report.answered('coupons')
    since = client.answeredAt() ?? Math.floor(clock.now() / 1000)
    await store.listed(since, clock.now())
  }
  const { events, isAll } = await list(ask, since)
  const listedAt = clock.now()
  const ourSecond = Math.floor(listedAt / 1000)
  const theirSecond = client.answeredAt() ?? ourSecond
  report.answered('events')
  const missed = await missing()
  if (missed.length > 0 && !(await isOfWebhooks())) {
    report.say('elsewhere')
    // Key and webhooks may both have been changed, with no notification since. Then these are read later.
    return store.listed(since, clock.now())
  }
  for (const told of missed) {
    const { notification } = told
    // By our clock, like people's decisions.
    const age = theirSecond - (notification.created ?? theirSecond)
    const happenedAt = latestInstant(ourSecond - age, listedAt)
    const whole = { ...notification, happenedAt, unattended: true }
    const judged = await judge({ ...told, notification: whole })
    const { outcome } = await commands.applyNotification(judged.notification)
    if (outcome === 'published') await warn(judged)
  }
  if (missed.length > 0) log.info({ missed: missed.length }, 'caught up with notifications')
  const [oldest] = events
  if (!isAll && oldest) {
    report.say('unread', { since: new Date(oldest.created * 1000).toISOString() })
  }
  const newest = events.at(-1)?.created ?? 0
  await store.listed(Math.max(since, newest - OVERLAP_S), clock.now())

  /** The ones that were never applied, only the last of each coupon. */
  function missing() {
    const told = events.flatMap((event) => {
      const verdict = commandFor(event, clock.now(), 'created')
      if (!('notification' in verdict) || verdict.notification.id === null) return []
      const { id, type } = verdict.notification
      return [{ ...verdict, id, type }]
    })
    return store.unseen(folded(told))
  }

  /** Whether the key belongs to the account and mode of the webhooks, as far as deliveries tell. */
  async function isOfWebhooks() {
    const heard = await store.heard(clock.now())
    return heard === null || events.some(({ id }) => id === heard) || ask.knowsEvent(heard)
  }
}

/** Oldest first. */
async function list(ask: Questions, since: number) {
  const events: ListedEvent[] = []
  let isAll = false
  for (let page = 0; page < MAX_PAGES && !isAll; page++) {
    const { data, has_more } = await ask.events(since, events.at(-1)?.id)
    events.push(...data)
    isAll = !has_more || data.length === 0
  }
  return { events: events.reverse(), isAll }
}

/**
 * Keeps the last publication or deletion of each coupon, and the last that says it can't be redeemed, in their order.
 * Each publication replaces the current announcement, and each deletion removes it, so the final state is the same as
 * after all of them. Events without an effect are left out.
 */
function folded<T extends Told>(all: readonly T[]): T[] {
  const last = new Map<string, T>()
  for (const one of all) {
    const { coupon, effect } = one.notification
    if (effect.kind === 'none') continue
    const key = `${effect.kind === 'retract'} ${coupon}`
    // Moves it behind all earlier ones.
    last.delete(key)
    last.set(key, one)
  }
  return [...last.values()]
}
