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
  /** Tells of what was caught up with and may not show as meant. */
  warn(told: Told): Promise<void>
}

/** So many pages of the newest events are read. More would take too long, and too much memory. */
const MAX_PAGES = 30
/** An event may be listed a little after others that were created later. */
const OVERLAP_S = 300
/** It isn't there. To learn that takes the right to read coupons. */
export const NO_COUPON = 'placard-doctor'

/**
 * The latest instant at which something of that second can have happened: Stripe's clock has whole seconds, and what we
 * know has happened. Both in milliseconds since 1970.
 */
export function latestInstant(second: number, known: number): number {
  return Math.min(second * 1000 + 999, known)
}

/**
 * Applies the notifications that were missed (contract T4). A key's first answer begins it, so nothing older is announced.
 *
 * @param judge retrieves and judges the coupon of a notification; where it can't, the snapshot counts
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
    // They are still to be read, if both were changed and no notification has come since.
    return store.listed(since, clock.now())
  }
  for (const told of missed) {
    const { notification } = told
    // By our clock, as somebody's decisions are.
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

  /** Those that were never applied, the last of each coupon. */
  function missing() {
    const told = events.flatMap((event) => {
      const verdict = commandFor(event, clock.now(), 'created')
      if (!('notification' in verdict) || verdict.notification.id === null) return []
      const { id, type } = verdict.notification
      return [{ ...verdict, id, type }]
    })
    return store.unseen(folded(told))
  }

  /** Whether the key is of the account and mode of the webhooks, as far as a delivery tells. */
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
 * Leaves the last publication or deletion of each coupon, and the last that says it can't be redeemed, in their order.
 * Each publication replaces what is up, and each deletion takes it away, so the state after these is the state after all of
 * them. Those without an effect are left out.
 */
function folded<T extends Told>(all: readonly T[]): T[] {
  const last = new Map<string, T>()
  for (const one of all) {
    const { coupon, effect } = one.notification
    if (effect.kind === 'none') continue
    const key = `${effect.kind === 'retract'} ${coupon}`
    // Put behind all that came before it.
    last.delete(key)
    last.set(key, one)
  }
  return [...last.values()]
}
