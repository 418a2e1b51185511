import * as z from 'zod'
import { StripeRequestError, type StripeRequests } from './client.ts'
import { type AskingParts, judge } from './judging.ts'
import { LeaseLost, type Memory } from './lease.ts'
import {
  classifyNotification,
  type ParsedNotification,
  unretrieved,
  type Verdict,
} from './notification.ts'
import type { Report } from './report.ts'

/** The maximum number of pages of events to read, newest first, which limits time and memory. */
const MAX_PAGES = 30
/** How far each list overlaps the previous one. Stripe may list newer events before an older event appears. */
const OVERLAP_S = 300
/** How far in the future an event's time may be, by Stripe's clock. A later time would make all newer events stale. */
const MAX_AHEAD_S = 86_400

/** The fields that the list needs. `created` is in seconds since 1970. `classifyNotification` parses the whole event. */
const ListedEvent = z.looseObject({ id: z.string(), created: z.int().nonnegative() })
type ListedEvent = z.infer<typeof ListedEvent>

const Named = z.looseObject({ id: z.string() })

/** The id of a coupon that doesn't exist. A request for it shows Stripe's time and whether the key may read coupons. */
export const NO_COUPON = 'placard-doctor'

/** One day less than the 30 days for which Stripe keeps events, so that we never ask for a deleted event. */
const KEPT_MS = 29 * 86_400_000

/** The id of the last notification that Stripe delivered, unless Stripe has deleted that event by now. */
export function lastDelivered({ delivered_event, delivered_at, time }: Memory): string | null {
  return delivered_at > time - KEPT_MS ? delivered_event : null
}

/**
 * Returns the latest time at which an event could have happened, in ms since 1970 by this node's clock: the end of
 * `second`, or `known` if that is earlier.
 *
 * @param known a time at which this node knew of the event
 */
export function latestInstant(second: number, known: number): number {
  return Math.min(second * 1000 + 999, known)
}

/**
 * Applies missed notifications (contract T4), except those from before Stripe first answered a request with this key,
 * so that nothing old is announced.
 *
 * An event that can't be read, judged or stored is passed over, so that the events behind it take effect. If it couldn't
 * be stored, the next list includes it again, because the cause may have gone by then.
 *
 * @param known the time up to which events were listed, in seconds since 1970 by Stripe's clock; `null` for a new key
 * @throws StripeRequestError
 */
export async function catchUp(
  ask: StripeRequests,
  known: number | null,
  options: AskingParts,
): Promise<void> {
  const { store, commands, client, clock, log, report, warn } = options
  const listed = async (since: number) => {
    const { time } = await store.recall(clock.now())
    await store.remember({ since, listed_at: time })
  }
  let since = known
  if (since === null) {
    await ask.coupon(NO_COUPON)
    since = client.answeredAt()
    await listed(since)
  }
  const { events, isAll } = await list(ask, since, options)
  const listedAt = clock.now()
  const aheadS = Math.floor(listedAt / 1000) - client.answeredAt()
  report.answered('events')
  const missed = await store.unseen(folded(events, listedAt, report))
  if (missed.length > 0 && !(await isOfWebhooks())) {
    report.warnOnce('elsewhere')
    // If both the key and the webhooks have just been changed, a later call applies these notifications.
    return listed(since)
  }
  let applied = 0
  let next = Math.min(events.at(-1)?.created ?? 0, client.answeredAt()) - OVERLAP_S
  for (const parsed of missed) {
    if (await isApplied(parsed)) applied++
    else next = Math.min(next, parsed.notification.created ?? next)
  }
  if (applied > 0) log.info({ missed: applied }, 'applied missed notifications')
  const [oldest] = events
  if (!isAll && oldest) {
    report.warnOnce('unread', { since: new Date(oldest.created * 1000).toISOString() })
  }
  await listed(Math.max(since, next))

  /** Applies an event. If that fails twice while the database accepts another write, reports the event instead. */
  async function isApplied(parsed: ParsedNotification): Promise<boolean> {
    let failure: unknown
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        await apply(parsed)
        return true
      } catch (error) {
        if (error instanceof LeaseLost) throw error
        // If this write is rejected too, the event isn't the cause, and all events have to wait.
        await store.remember({ since })
        failure = error
      }
    }
    report.passedOver(parsed.notification, failure)
    return false
  }

  async function apply(parsed: ParsedNotification) {
    const { notification } = parsed
    // Convert the event's time to our clock, to compare it with the times of people's decisions.
    const { created } = notification
    const happenedAt = latestInstant((created ?? client.answeredAt()) + aheadS, listedAt)
    const dated = { ...parsed, notification: { ...notification, happenedAt, unattended: true } }
    const judged = await judge(ask, dated, options).catch((error) => {
      // If Stripe doesn't answer about this coupon, use the event's snapshot for now, so the other events needn't wait.
      if (!(error instanceof StripeRequestError)) throw error
      report.unanswered('coupons', error)
      return unretrieved(dated, clock.now())
    })
    const { outcome } = await commands.applyNotification(judged.notification)
    if (outcome === 'published') await warn(judged)
  }

  /** Whether the key is for the webhooks' account and mode: if not, it can't read the last delivered notification. */
  async function isOfWebhooks() {
    const heard = lastDelivered(await store.recall(clock.now()))
    return heard === null || ask.knowsEvent(heard)
  }
}

/** Lists Stripe's events, oldest first, without those that can't be read. */
async function list(ask: StripeRequests, since: number, { client, report }: AskingParts) {
  const events: ListedEvent[] = []
  let after: string | undefined
  let isAll = false
  for (let page = 0; page < MAX_PAGES && !isAll; page++) {
    const { data, has_more } = await ask.events(since, after)
    isAll = !has_more
    for (const one of data) {
      const { data: event } = ListedEvent.safeParse(one)
      const isReadable = event && event.created <= client.answeredAt() + MAX_AHEAD_S
      if (isReadable) events.push(event)
      else report.passedOver(Named.safeParse(one).data ?? {})
    }
    const last = data.map((one) => Named.safeParse(one).data?.id).findLast((id) => id !== undefined)
    // Without a new id, there is no way to ask for the next page.
    if (last === undefined || last === after) break
    after = last
  }
  return { events: events.reverse(), isAll }
}

/**
 * Keeps the events that matter, in order: for each coupon, its last publication or deletion, and the last event that
 * shows that the coupon can't be redeemed. Each publication replaces the current announcement, and each deletion
 * removes the announcement, so the kept events lead to the same state as all events would.
 */
function folded(events: readonly ListedEvent[], now: number, report: Report) {
  const last = new Map<string, ParsedNotification & { id: string; type: string }>()
  for (const event of events) {
    const verdict = readable(event, now)
    if (!verdict) {
      report.passedOver(event)
      continue
    }
    if (!('notification' in verdict)) continue
    const { id, type, coupon, effect } = verdict.notification
    if (id === null || effect.kind === 'none') continue
    const key = `${effect.kind === 'retract'} ${coupon}`
    // Delete the key first, so that its new entry comes last.
    last.delete(key)
    last.set(key, { ...verdict, id, type })
  }
  return [...last.values()]
}

/** @returns `undefined` for an event without a readable coupon, whatever its fault */
function readable(event: ListedEvent, now: number): Verdict | undefined {
  try {
    const verdict = classifyNotification(event, now, 'created')
    if ('ignored' in verdict) return verdict.ignored === 'malformed' ? undefined : verdict
    const { effect } = verdict.notification
    return effect.kind === 'none' && effect.reason === 'malformed' ? undefined : verdict
  } catch {
    return undefined
  }
}
