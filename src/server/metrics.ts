import { loadOnce } from '../core/load-once.ts'
import { ROUTES } from '../http/app.ts'
import type { OfferCounts } from '../stripe/report.ts'

/** Plain counters, because a read can't afford more. */
export interface Counts {
  /** Reads answered before the router. None of them fails, so they are counted and not logged. */
  reads: number
  /**
   * All other requests, by method and status: `POST 201`, or `POST aborted` if cut off before the answer began. Those
   * in alerts exist from the start, because Prometheus sees no increase in a series that begins with 1.
   */
  routed: Map<string, number>
  /** Stripe's notifications among them, by status. These three exist from the start too. */
  notifications: Map<string, number>
}

/** The client library's metrics that an alert or the dashboard uses, or that are labels of those. */
const OF_PROCESS = new Set([
  'process_cpu_user_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p99_seconds',
])

export function createCounts(): Counts {
  const notifications = new Map(['200', '400', '503'].map((status) => [status, 0]))
  const failures = [...new Set(ROUTES.map(({ method }) => method))].flatMap((method) => [
    [`${method} 500`, 0] as const,
    [`${method} 503`, 0] as const,
  ])
  return { reads: 0, routed: new Map(failures), notifications }
}

/** What each scrape measures. */
export interface Measured {
  counts: Counts
  streams(): number
  maxStreams: number
  /** Whether readers get the last known answer, because the database can't be read (contract R3). */
  stale(): Promise<boolean>
  /** Whether changes by other nodes are heard (contract R3). */
  hearing(): boolean
  /** Rejects while the database doesn't answer. */
  ping(): Promise<void>
  writable(): boolean
  /** How many purges of the cache in front have failed. */
  purgesFailed(): number
  offers(): OfferCounts | undefined
}

/**
 * The metrics of the service and of the process, in the text format of Prometheus. The client library is loaded on the
 * first scrape, because most services never get one.
 */
export function createMetrics(measured: Measured): () => Promise<string> {
  const load = loadOnce(() => register(measured))
  return async () => (await load())()
}

/** What a metric is at a scrape: a number, or one for each value of its labels. */
type Value = number | readonly (readonly [labels: Record<string, string>, value: number])[]

async function register(measured: Measured): Promise<() => Promise<string>> {
  const { counts, streams, maxStreams, stale, hearing, ping, writable, purgesFailed } = measured
  const offers = measured.offers()
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const { name } of registry.getMetricsAsArray()) {
    if (!OF_PROCESS.has(name)) registry.removeSingleMetric(name)
  }

  /** @param labels their names, with commas in between */
  function metric(name: string, help: string, read: () => Value | Promise<Value>, labels = '') {
    const Kind = name.endsWith('_total') ? Counter : Gauge
    new Kind({
      name: `placard_${name}`,
      help,
      labelNames: labels === '' ? [] : labels.split(','),
      registers,
      async collect() {
        const value = await read()
        this.reset()
        for (const [labels, one] of typeof value === 'number' ? [[{}, value] as const] : value) {
          this.inc(labels, one)
        }
      },
    })
  }
  const by = (label: string, values: ReadonlyMap<string, number>) =>
    Array.from(values, ([key, value]) => [{ [label]: key }, value] as const)

  metric('reads_total', 'Reads answered from memory, before the router', () => counts.reads)
  metric(
    'requests_total',
    'All other requests, by method and status (aborted: cut off before its answer began)',
    () =>
      Array.from(counts.routed, ([key, value]) => {
        const [method = '', status = ''] = key.split(' ')
        return [{ method, status }, value] as const
      }),
    'method,status',
  )
  metric(
    'notifications_total',
    'Notifications from Stripe, by status: taken (200), refused (400), to be sent again (503)',
    () => by('status', counts.notifications),
    'status',
  )
  metric('streams', 'Open pages that follow the stream', streams)
  metric('streams_max', 'How many pages may follow the stream at once', () => maxStreams)
  metric(
    'stale',
    '1 while readers get the last known answer, because the database cannot be read',
    async () => Number(await stale()),
  )
  metric(
    'hearing',
    '1 while changes by other nodes are heard; else each read asks the database',
    () => Number(hearing()),
  )
  metric('database_up', '1 if the database answered just now', () =>
    ping().then(
      () => 1,
      () => 0,
    ),
  )
  metric('writable', '0 from a failed write until one is committed; one is tried every 6 s', () =>
    Number(writable()),
  )
  metric(
    'purges_failed_total',
    'Requests to the cache in front that it did not answer or refused',
    purgesFailed,
  )
  if (offers) {
    metric(
      'stripe_requests_total',
      'Requests to Stripe, by result: answered, denied (401, 403), limited (429), failed',
      () => by('result', offers.asked),
      'result',
    )
    metric(
      'offers_refused_total',
      'Offers that the checkout would have refused, taken down or not put up',
      () => offers.refused,
    )
    metric(
      'stripe_answer_age_seconds',
      'How long ago Stripe last answered; not a number until it has',
      () => (performance.now() - (offers.answeredAt ?? Number.NaN)) / 1000,
    )
  }
  return () => registry.metrics()
}
