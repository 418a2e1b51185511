import type { OfferCounts } from '../offers/report.ts'

/** Plain numbers that are counted up, because a read can't afford more. */
export interface Counts {
  /** Reads answered before the router. None of them fails, so they are counted and not logged. */
  reads: number
  /** All other requests, by method and status: `POST 201`, or `POST aborted` if cut off before the answer began. */
  routed: Map<string, number>
}

export function createCounts(): Counts {
  return { reads: 0, routed: new Map() }
}

/**
 * These counts and the metrics of the process, in the text format of Prometheus. The client library is loaded with the
 * first scrape, because most services never see one.
 */
export function createMetrics(
  counts: Counts,
  streams: () => number,
  offers: () => OfferCounts | undefined,
): () => Promise<string> {
  let text: (() => Promise<string>) | undefined
  return async () => {
    text ??= await register(counts, streams, offers())
    return text()
  }
}

async function register(
  counts: Counts,
  streams: () => number,
  offers: OfferCounts | undefined,
): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
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
  new Gauge({
    name: 'placard_streams',
    help: 'Open pages that follow the stream',
    registers,
    collect() {
      this.set(streams())
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
