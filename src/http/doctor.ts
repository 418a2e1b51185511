import { etagOf, toWire } from '../core/announcement.ts'
import { pickAt } from '../core/board.ts'
import { withTimeout } from '../core/clock.ts'
import type { Facts } from '../core/facts.ts'
import { rootCause } from '../core/log.ts'
import { uncached } from './headers.ts'
import { knownQueryOf, searchOf } from './input.ts'
import type { Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'

/** The timeout of each of the two database checks, and of each of the two rounds of requests to Stripe. */
const TIMEOUT_MS = 2_000

/** Serves the facts about a service's health that only the service itself knows (contract R12). */
export const doctorRoutes: Routes = {
  'GET /api/doctor': {
    guard: 'read',
    operationId: 'readFacts',
    summary: 'Get the facts that `placard doctor` evaluates',
    query: {
      stripe: 'If `stripe` is present, the service asks Stripe what the key may do.',
    },
    responses: { 200: ['The facts, without a verdict.', 'Facts'] },
    problems: [400],
    async handle({ request }, service) {
      const { stripe } = knownQueryOf(searchOf(request), 'stripe')
      return uncached(await factsOf(service, stripe !== undefined))
    },
  },
}

async function factsOf(service: ServiceParts, withStripe: boolean): Promise<Facts> {
  const { store, showing, streams, notifications, couponWatcher, site, clock } = service
  const [stored, database, stripe] = await Promise.all([
    inTime(storedNow(service)).catch(() => undefined),
    databaseNow(service),
    withStripe ? couponWatcher?.inspect(TIMEOUT_MS) : undefined,
  ])
  const { wanted, fileLimit, ...host } = service.host?.() ?? {}
  return {
    now: String(clock.now()),
    stored,
    database,
    hearing: showing.hearing(),
    background: store.watch !== undefined,
    streams: { open: streams.size, max: streams.max, wanted, fileLimit },
    trustProxy: service.trustProxy,
    notifications,
    mismatches: service.webhooks.mismatches(),
    connected: service.webhooks.connected(),
    stripe: couponWatcher ? (stripe ?? {}) : null,
    page: site?.page !== undefined,
    ...host,
  }
}

async function storedNow({ store, clock }: ServiceParts) {
  const board = await store.load()
  const event = pickAt(board, clock.now())
  const state = etagOf(event).replaceAll('"', '')
  return { event: event && toWire(event), state, last: String(board.last) }
}

async function databaseNow(service: ServiceParts): Promise<Facts['database']> {
  const { store, clock, redact } = service
  const asked = clock.now()
  try {
    const { now, failed, ...state } = await inTime(store.inspect())
    return {
      kind: store.kind,
      ...state,
      ...(now !== undefined && { aheadMs: aheadOf(now, asked, clock.now()) }),
      ...(failed !== undefined && { error: redact(rootCause(failed)) }),
    }
  } catch (error) {
    return { kind: store.kind, error: redact(rootCause(error)) }
  }
}

const inTime = <T>(work: Promise<T>) => withTimeout(TIMEOUT_MS, work, 'the database')

/** Returns how many ms our clock is ahead of the database's, which showed `theirs` between `asked` and `answered`. */
function aheadOf(theirs: number, asked: number, answered: number): number {
  return Math.max(0, asked - theirs) + Math.min(0, answered - theirs)
}
