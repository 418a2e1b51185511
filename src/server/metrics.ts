import type { RequestListener } from 'node:http'
import { loadOnce } from '../core/once.ts'
import { ROUTES } from '../http/app.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { isNotification } from './buffer-notifications.ts'
import type { Purger } from './purge.ts'

export type Counts = ReturnType<typeof createCounts>

/** Counts requests in plain variables, because a metrics library would slow down reads. */
export function createCounts() {
  const methods = new Set(ROUTES.map(({ method }) => method))
  return {
    /** Reads answered from memory, before the router. These reads never fail, so their count needs no status. */
    reads: 0,
    /**
     * All other requests except streams, by method and status: `POST 201`, or `POST aborted` if cut off before the
     * response began. Series used by alerts start at 0: Prometheus sees no increase in a series that starts at 1.
     */
    routed: new Map<string, number>(
      [...methods].flatMap((method) => [`${method} 500`, `${method} 503`].map((it) => [it, 0])),
    ),
    /** Stripe's notifications by status; `routed` counts them too. Series used by alerts start at 0. */
    notifications: new Map<string, number>(['200', '400', '503'].map((status) => [status, 0])),
  }
}

/** Counts each request that is neither a read from memory nor a stream, once its response is complete or cut off. */
export function countRouted({ routed, notifications }: Counts, next: RequestListener) {
  const increment = (counts: Map<string, number>, key: string) =>
    void counts.set(key, (counts.get(key) ?? 0) + 1)
  const listener: RequestListener = (request, response) => {
    response.on('close', () => {
      // Until a response begins, Node reports its status as 200.
      const status = response.headersSent ? String(response.statusCode) : 'aborted'
      increment(routed, `${request.method} ${status}`)
      if (isNotification(request)) increment(notifications, status)
    })
    return next(request, response)
  }
  return listener
}

/**
 * The metrics of the service and of the process, in the text format of Prometheus. The client library is loaded on the
 * first scrape, because most services are never scraped.
 *
 * @param placard returns the service, which is created after its metrics
 */
export function createMetrics(
  counts: Counts,
  placard: () => Placard,
  purger: Purger | undefined,
): () => Promise<string> {
  const load = loadOnce(() => register(counts, placard(), purger))
  return async () => (await load()).metrics()
}

/** A metric's value: one number, or a number for each combination of label values, which are joined by spaces. */
type Value = number | boolean | ReadonlyMap<string, number>

async function register(counts: Counts, placard: Placard, purger: Purger | undefined) {
  const { store, showing, streams, couponWatcher } = internalsOf(placard).service
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  function metric(
    name: string,
    help: string,
    read: () => Value | Promise<Value>,
    ...labelNames: string[]
  ) {
    const Kind = name.endsWith('_total') ? Counter : Gauge
    new Kind({
      name: `placard_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const value = await read()
        this.reset()
        for (const [key, one] of value instanceof Map ? value : [['', Number(value)] as const]) {
          const values = key.split(' ')
          this.inc(
            Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ''])),
            one,
          )
        }
      },
    })
  }

  metric('reads_total', 'Reads answered from memory, before the router', () => counts.reads)
  metric(
    'requests_total',
    'Requests neither in reads_total nor for a stream, by method and status (aborted: cut off before the response began)',
    () => counts.routed,
    'method',
    'status',
  )
  metric(
    'notifications_total',
    'Notifications from Stripe, by status: accepted (200), rejected (400), to be retried (503)',
    () => counts.notifications,
    'status',
  )
  metric('streams', 'Open pages connected to the stream', () => streams.size)
  metric('streams_max', 'The maximum number of pages connected to the stream', () => streams.max)
  metric(
    'stale',
    '1 while reads return the last known state, because the database is unreachable',
    async () => (await placard.snapshot()).stale === true,
  )
  metric(
    'hearing',
    '1 while the node hears of changes by other nodes; otherwise, each read queries the database',
    showing.hearing,
  )
  metric('database_up', '1 if the database answers a ping during this scrape, otherwise 0', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  )
  metric(
    'writable',
    '0 from a failed write until the next commit; until then, the service tries a write every 6 s',
    store.writable,
  )
  metric(
    'purges_failed_total',
    'Purge requests that the cache rejected or did not answer',
    () => purger?.failures ?? 0,
  )
  if (couponWatcher) {
    const offers = couponWatcher.counts
    metric(
      'stripe_requests_total',
      'Requests to Stripe, by result: answered, denied (401, 403), limited (429), failed',
      () => offers.asked,
      'result',
    )
    metric(
      'offers_refused_total',
      'Offers taken down or not published because the checkout would have refused them',
      () => offers.refused,
    )
    metric(
      'stripe_events_passed_over_total',
      'Missed events that took no effect, because they could not be read or stored',
      () => offers.passedOver,
    )
    metric(
      'stripe_answer_age_seconds',
      'Seconds since Stripe last answered; NaN before the first answer',
      () => (performance.now() - (offers.answeredAt ?? Number.NaN)) / 1000,
    )
  }
  return registry
}
