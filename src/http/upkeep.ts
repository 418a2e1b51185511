import type { Store } from '../store/store.ts'
import { NO_STORE, uncached } from './headers.ts'
import type { RouteRequest, Routes } from './route.ts'
import type { ServiceParts } from './service-parts.ts'

const tick = {
  guard: 'read',
  summary: 'Do the work that is due, on platforms where no process stays alive',
  responses: { 200: ['The work that was due is done.', 'Done'] },
  async handle(_: RouteRequest, { commands, couponWatcher }: ServiceParts) {
    // The service checks the coupon with Stripe even if recording fails, as when a cache can't be purged.
    await commands.recordTransitions().finally(() => couponWatcher?.tick())
    return uncached({ message: 'Done.', ok: true })
  },
} as const

/** The routes for schedulers, load balancers and monitoring (contract N3, R3). */
export const upkeepRoutes: Routes = {
  'POST /api/events/tick': { ...tick, operationId: 'tick' },
  // The cron jobs of some platforms can only send a GET.
  'GET /api/events/tick': { ...tick, operationId: 'tickByGet' },
  'GET /metrics': {
    guard: 'read',
    exists: ({ metrics }) => metrics !== undefined,
    operationId: 'readMetrics',
    summary: 'Get the metrics in the Prometheus text format',
    description: 'In an app, this path exists only if the app passes `metrics`.',
    responses: { 200: ['The metrics of the process.', 'text/plain'] },
    async handle(_, { metrics }) {
      const headers = { 'Content-Type': 'text/plain; version=0.0.4', ...NO_STORE }
      return new Response(await metrics?.(), { headers })
    },
  },
  'GET /healthz': {
    guard: 'open',
    operationId: 'readHealth',
    summary: 'Check that the process is alive',
    responses: {
      200: [
        'The process is alive. `id` distinguishes services; with Postgres, there is no `id`. `forwarded` is how many `X-Forwarded-For` entries the request had.',
        'Health',
      ],
    },
    handle({ request }, { serviceId }) {
      const forwarded = request.headers.get('x-forwarded-for')?.split(',').length ?? 0
      return uncached({ ok: true, id: serviceId, forwarded })
    },
  },
  'GET /readyz': {
    guard: 'open',
    operationId: 'readReadiness',
    summary: 'Check that the database answers',
    responses: { 200: ['The database answers.', 'Ready'] },
    problems: [500],
    async handle(_, { store }) {
      await databaseAnswers(store)
      return uncached({ ok: true })
    },
  },
}

const pings = new WeakMap<Store, Promise<void>>()

/**
 * Concurrent callers share one ping, so that any number of callers costs the database one statement. A caller may share
 * a ping that began before the call, because the database's answer still comes after the call.
 */
function databaseAnswers(store: Store): Promise<void> {
  const ping = pings.get(store) ?? store.ping().finally(() => pings.delete(store))
  pings.set(store, ping)
  return ping
}
