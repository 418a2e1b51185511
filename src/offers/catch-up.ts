import type { Commands } from '../commands.ts'
import type { Log } from '../core/log.ts'
import type { OfferTurn, Offers as StoredOffers } from '../store/store.ts'
import { folded, latestInstant, listFrom } from '../stripe/catching-up.ts'
import { type ListedEvent, NO_COUPON, PATIENCE_MS } from '../stripe/client.ts'
import { commandFor, type Told, unretrieved } from '../stripe/coupons.ts'
import { Unanswered } from '../stripe/unanswered.ts'
import { isOfWebhooks, lastHeard } from './of-webhooks.ts'
import { type Asking, retrieved } from './retrieve.ts'

export interface CatchingUp extends Asking {
  store: StoredOffers
  commands: Commands
  log: Log
  /** Tells of what may not show as meant. */
  warn(told: Told): Promise<void>
  /** How often the coupon of a notification could not be retrieved, by its id. */
  failures: Map<string | null, number>
}

/** So many pages of the newest events are read. More would take too long, and too much memory. */
const MAX_PAGES = 30
/** Stripe gives all others. So after so many failures, what the notification says counts (contract T2). */
const MAX_FAILURES = 3

/**
 * Applies the notifications that were missed since they were last caught up with (contract T4). With the first key there is
 * nothing to catch up with. Then both of its rights are tried.
 *
 * @throws Unanswered
 */
export async function catchUp(
  options: CatchingUp,
  { caughtUp, standing, suspended }: OfferTurn,
): Promise<void> {
  const { store, commands, client, clock, report, log, warn, failures } = options
  const seconds = Math.floor(clock.now() / 1000)
  const mark = await client.mark()
  const heard = () => lastHeard(store, standing ?? suspended)
  let from = caughtUp
  if (from && from.mark !== mark) {
    // Another key of the same account and mode goes on where the last one stopped. It knows the events of that one.
    const event = from.event ?? (await heard())?.event
    from = event && (await client.knowsEvent(event)) ? { ...from, mark } : null
  }
  if (!from) {
    from = { mark, since: seconds, to: seconds, event: null }
    await store.saveCaughtUp(from, clock.now())
    // Events are dated by the clock of Stripe.
    const began = (await tryCoupons()) ?? seconds
    from = { ...from, since: began, to: began }
    await store.saveCaughtUp(from, clock.now())
  }
  const { events, isAll } = await listed(listFrom(from, seconds))
  const listedAt = clock.now()
  const ourSecond = Math.floor(listedAt / 1000)
  const theirSecond = client.answeredAt() ?? ourSecond
  report.answered('events')
  const missed = await missing(events)
  if (missed.length > 0 && !(await isOfWebhooks(options, events, await heard()))) {
    report.elsewhere()
    // They are still to be read, if both were changed and no notification has come since.
    return store.saveCaughtUp(from, clock.now())
  }
  for (const told of missed) {
    const { notification } = told
    // By our clock, as somebody's decisions are.
    const age = theirSecond - (notification.created ?? theirSecond)
    const happenedAt = latestInstant(ourSecond - age, listedAt)
    const whole = { ...notification, happenedAt, unattended: true }
    const judged = await judgedOr({ ...told, notification: whole })
    const { outcome } = await commands.applyNotification(judged.notification)
    if (outcome === 'published') await warn(judged)
  }
  if (missed.length > 0) log.info({ missed: missed.length }, 'caught up with notifications')
  if (!isAll) report.unread(events[0]?.created ?? 0)
  const newest = events.at(-1)
  const to = Math.max(from.to, newest?.created ?? 0)
  await store.saveCaughtUp({ ...from, to, event: newest?.id ?? from.event }, clock.now())

  /** Oldest first. */
  async function listed(since: number) {
    const events: ListedEvent[] = []
    let isAll = false
    for (let page = 0; page < MAX_PAGES && !isAll; page++) {
      const { data, has_more } = await client.events(since, events.at(-1)?.id)
      events.push(...data)
      isAll = !has_more || data.length === 0
    }
    return { events: events.reverse(), isAll }
  }

  /** One coupon that Stripe can't give must not hold up those behind it. */
  async function judgedOr(told: Told): Promise<Told> {
    const { id } = told.notification
    try {
      const judged = await retrieved(options, told, PATIENCE_MS)
      failures.delete(id)
      return judged
    } catch (error) {
      if (!(error instanceof Unanswered) || error.result === 'limited') throw error
      const count = (failures.get(id) ?? 0) + 1
      failures.set(id, count)
      if (count < MAX_FAILURES) throw error
      return unretrieved(told, clock.now())
    }
  }

  /**
   * Whoever has set the key looks at the log now. With nothing up, nothing else would ask for a coupon.
   *
   * @returns when it was, by the clock of Stripe
   */
  async function tryCoupons() {
    try {
      await client.coupon(NO_COUPON)
      report.answered('coupons')
      return client.answeredAt()
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      report.unanswered('coupons', error)
      // A turn has no time for two questions that time out.
      if (error.result !== 'denied') throw error
      return undefined
    }
  }

  /** Those that were never applied, the last of each coupon. */
  async function missing(listed: readonly unknown[]) {
    const verdicts = listed.flatMap((event) => {
      const verdict = commandFor(event, clock.now(), 'created')
      if (!('notification' in verdict) || verdict.notification.id === null) return []
      const { id, type } = verdict.notification
      return [{ ...verdict, id, type }]
    })
    return store.unseen(folded(verdicts))
  }
}
