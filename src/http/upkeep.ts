import type { Commands } from '../commands.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
import { NO_STORE } from './answer.ts'
import type { Arrival, Routes } from './route.ts'

export interface UpkeepService {
  store: Store
  commands: Commands
  /** Asks Stripe about coupons, if there is a key. */
  asking?: Asking | undefined
  /** Tells services apart, for commands that hold the secret of one. */
  serviceId?: string | undefined
  /** The metrics of the host, in the text format of Prometheus. Without it there is no such route. */
  metrics?: (() => Promise<string>) | undefined
}

const tick = {
  guard: 'read',
  summary: 'Does what is due where no process stays alive: for a scheduler of your platform',
  answers: { 200: ['It is done.', 'Done'] },
  async handle(_: Arrival, { commands, asking }: UpkeepService) {
    // Stripe is asked even if a cache can't be purged.
    await commands.recordTransitions().finally(() => asking?.tick())
    return Response.json({ message: 'Done.', ok: true }, { headers: NO_STORE })
  },
} as const

/** What schedulers, load balancers and monitoring ask (contract N3, R10). */
export const upkeepRoutes: Routes<UpkeepService> = {
  'POST /api/events/tick': { ...tick, operationId: 'tick' },
  // Some platforms' cron can send nothing but a GET.
  'GET /api/events/tick': { ...tick, operationId: 'tickByGet' },
  'GET /metrics': {
    guard: 'read',
    exists: ({ metrics }) => metrics !== undefined,
    operationId: 'readMetrics',
    summary: 'Counters, in the text format of Prometheus',
    description: 'A service that is mounted in an app has this only if the app passes it.',
    answers: { 200: ['All counters of the process.', 'text/plain'] },
    async handle(_, { metrics }) {
      const headers = { 'Content-Type': 'text/plain; version=0.0.4', ...NO_STORE }
      return new Response(await metrics?.(), { headers })
    },
  },
  'GET /healthz': {
    guard: 'open',
    probe: true,
    operationId: 'readHealth',
    summary: 'Whether the process is alive',
    answers: {
      200: ['It is. The id tells services apart; a service on Postgres has none.', 'Health'],
    },
    handle: (_, { serviceId }) => Response.json({ ok: true, id: serviceId }, { headers: NO_STORE }),
  },
  'GET /readyz': {
    guard: 'open',
    probe: true,
    operationId: 'readReadiness',
    summary: 'Whether the database answers',
    answers: { 200: ['It does.', 'Ready'] },
    problems: [500],
    async handle(_, { store }) {
      await databaseAnswers(store)
      return Response.json({ ok: true }, { headers: NO_STORE })
    },
  },
}

const pings = new WeakMap<Store, Promise<void>>()

/**
 * All who wait share one ping. So however many ask, the database has only one statement more to run. A ping that began
 * earlier will do, because its answer is still to come.
 */
function databaseAnswers(store: Store): Promise<void> {
  const ping = pings.get(store) ?? store.ping().finally(() => pings.delete(store))
  pings.set(store, ping)
  return ping
}
