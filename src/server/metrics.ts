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
  new Counter({
    name: 'placard_reads_total',
    help: 'Reads answered from memory, before the router',
    registers,
    collect() {
      this.reset()
      this.inc(counts.reads)
    },
  })
  new Counter({
    name: 'placard_requests_total',
    help: 'All other requests, by method and status (aborted: cut off before its answer began)',
    labelNames: ['method', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [key, count] of counts.routed) {
        const [method = '', status = ''] = key.split(' ')
        this.inc({ method, status }, count)
      }
    },
  })
  new Counter({
    name: 'placard_notifications_total',
    help: 'Notifications from Stripe, by status: taken (200), refused (400), to be sent again (503)',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset()
      for (const [status, count] of counts.notifications) this.inc({ status }, count)
    },
  })
  new Gauge({
    name: 'placard_streams',
    help: 'Open pages that follow the stream',
    registers,
    collect() {
      this.set(streams())
    },
  })
  new Gauge({
    name: 'placard_streams_max',
    help: 'How many pages may follow the stream at once',
    registers,
  }).set(maxStreams)
  new Gauge({
    name: 'placard_stale',
    help: '1 while readers get the last known answer, because the database cannot be read',
    registers,
    async collect() {
      this.set(Number(await stale()))
    },
  })
  new Gauge({
    name: 'placard_hearing',
    help: '1 while changes by other nodes are heard; else each read asks the database',
    registers,
    collect() {
      this.set(Number(hearing()))
    },
  })
  new Gauge({
    name: 'placard_database_up',
    help: '1 if the database answered just now',
    registers,
    async collect() {
      const up = ping().then(
        () => 1,
        () => 0,
      )
      this.set(await up)
    },
  })
  new Gauge({
    name: 'placard_writable',
    help: '0 from a failed write until one is committed; one is tried every 6 s',
    registers,
    collect() {
      this.set(Number(writable()))
    },
  })
  new Counter({
    name: 'placard_purges_failed_total',
    help: 'Requests to the cache in front that it did not answer or refused',
    registers,
    collect() {
      this.reset()
      this.inc(purgesFailed())
    },
  })
  if (offers) {
    new Counter({
      name: 'placard_stripe_requests_total',
      help: 'Requests to Stripe, by result: answered, denied (401, 403), limited (429), failed',
      labelNames: ['result'],
      registers,
      collect() {
        this.reset()
        for (const [result, count] of offers.asked) this.inc({ result }, count)
      },
    })
    new Counter({
      name: 'placard_offers_refused_total',
      help: 'Offers that the checkout would have refused, taken down or not put up',
      registers,
      collect() {
        this.reset()
        this.inc(offers.refused)
      },
    })
    new Gauge({
      name: 'placard_stripe_answer_age_seconds',
      help: 'How long ago Stripe last answered; not a number until it has',
      registers,
      collect() {
        const { answeredAt = Number.NaN } = offers
        this.set((performance.now() - answeredAt) / 1000)
      },
    })
  }
  return () => registry.metrics()
}
