import { type Author, createCommands } from './commands.ts'
import type { Announcement, DraftInput, Scheduled, Selector } from './core/announcement.ts'
import { systemClock, withTimeout } from './core/clock.ts'
import { memoryLimiter } from './core/limiter.ts'
import { describeError, redactingLog, redactor, silent } from './core/log.ts'
import { type Issue, Problem, StoreUnavailable } from './core/problem.ts'
import { parsePosting, parseSelector } from './core/schema.ts'
import { parseSecrets, secretWarnings, usableKey } from './core/secrets.ts'
import { createApp } from './http/app.ts'
import { clientAddress, type Sender } from './http/client-address.ts'
import { documentsOf } from './http/documents.ts'
import { warningsAbout } from './http/events.ts'
import { createGuard } from './http/guard.ts'
import { createRefusalLog, createResponder } from './http/responder.ts'
import type { RequestInfo } from './http/route.ts'
import type { ServiceParts } from './http/service-parts.ts'
import { createShare } from './http/share.ts'
import { createStreams } from './http/stream.ts'
import { createCouponWarnings } from './http/warnings.ts'
import { createWebhooks } from './http/webhooks.ts'
import { withInternals } from './internals.ts'
import type { PlacardOptions } from './placard-options.ts'
import { createShowing, UNWATCHED_TIMEOUT_MS } from './showing/showing.ts'
import type { Snapshot } from './showing/snapshot.ts'
import { stripeClient } from './stripe/client.ts'
import { type CouponWatcher, createCouponWatcher } from './stripe/coupon-watcher.ts'
import { resumeWithoutKey } from './stripe/resume-without-key.ts'
import { createTimekeeper } from './timekeeper.ts'

/** The service without a server: everything that a host needs to mount it. */
export type Placard = ReturnType<typeof createPlacard>

/**
 * Creates a service and wires its parts together.
 *
 * @throws TypeError if the API secret is missing, or a secret, key or address is invalid. The message names the
 *   environment variable, because hosts usually read the value from it
 */
export function createPlacard(options: PlacardOptions) {
  const { store, trustProxy = 0, maxStreams = 10_000 } = options
  const { onChange = () => {}, clock = systemClock } = options
  const apiSecret = options.apiSecret ?? ''
  const apiSecrets = parseSecrets('EVENT_API_SECRET', apiSecret)
  if (apiSecrets.length === 0) {
    throw new TypeError('EVENT_API_SECRET must be set to 16 or more random characters')
  }
  const stripeSecrets = parseSecrets('STRIPE_WEBHOOK_SECRET', options.stripeWebhookSecret ?? '')
  const stripe = usableKey(options.stripe)
  const redact = redactor([...apiSecrets, ...stripeSecrets, ...(stripe ? [stripe.apiKey] : [])])
  const log = redactingLog(options.log ?? silent, redact)
  for (const warning of secretWarnings(apiSecret)) log.warn({}, warning)

  /** Never rejects, because a failed icon look-up must not fail the write, which is already stored. */
  const knowsIcon = async (name: string) => {
    try {
      return (await options.knowsIcon?.(name)) ?? true
    } catch (error) {
      log.warn(
        { error: describeError(error) },
        'could not look up an icon, so nobody is warned if it does not exist',
      )
      return true
    }
  }
  const showing = createShowing(
    store,
    clock,
    log,
    () => timekeeper.due(),
    (board) => (couponWatcher ? couponWatcher.boardChanged(board) : resume(board)),
  )
  const commands = createCommands(store, showing, onChange, clock, log)
  /** Whether the process keeps running between requests. */
  const background = store.watch !== undefined
  const timekeeper = createTimekeeper(commands.recordTransitions, clock, log, background)
  const resume = resumeWithoutKey(commands, log)
  const warn = createCouponWarnings(log, knowsIcon)
  const couponWatcher: CouponWatcher | undefined =
    stripe &&
    createCouponWatcher({
      store: store.offers,
      commands,
      client: stripeClient(stripe, clock),
      clock,
      log,
      warn,
      background,
    })
  const window = () => memoryLimiter(clock.monotonic)
  const limiter = store.limiter ?? window()
  const streams = createStreams({
    showing,
    maxStreams,
    monotonic: clock.monotonic,
    log,
    barsOf: options.site?.bars,
  })
  const webhooks = createWebhooks({
    commands,
    secrets: stripeSecrets,
    couponWatcher,
    warn,
    clock,
    log,
  })
  const guard = createGuard(limiter, window, apiSecrets)
  const addressOf = ({ address = '', forwarded = null }: Sender) =>
    clientAddress(address, forwarded, trustProxy)
  const settled = () => showing.settled() && !commands.writing()
  const share = createShare(options.sharedMaxAge ?? 0, settled, clock)
  const refusals = createRefusalLog({ log, clock, addressOf, background })
  const respond = createResponder({ clock, log, refusals })
  const service: ServiceParts = {
    store,
    showing,
    streams,
    webhooks,
    couponWatcher,
    commands,
    guard,
    metrics: options.metrics,
    serviceId: options.serviceId,
    host: options.host,
    notifications: stripeSecrets.length > 0,
    share,
    redact,
    site: options.site,
    documents: documentsOf(options.site),
    knowsIcon,
    trustProxy,
    addressOf,
    clock,
    log,
  }
  const app = createApp(service)

  const snapshot = (): Snapshot | Promise<Snapshot> => {
    const now = showing.read()
    if (!(now instanceof Promise)) return now
    return (background ? now : inTime(now)).catch(rethrowToHost)
  }

  const placard = {
    /**
     * Responds to any request to the API or to a route that the options add. Never rejects.
     *
     * @param info the peer's address, for the rate limit. With neither an address nor trusted proxies, all clients
     *   share one allowance
     */
    fetch: (request: Request, info: RequestInfo = {}): Promise<Response> =>
      respond(request, info, (call) => app(request, { ...info, ...call })),
    /**
     * Returns the live announcement, or `null`.
     *
     * @throws Problem `unavailable` if the database has never answered. Without `watch`, `current` waits at most 1.5 s
     */
    current: async (): Promise<Announcement | null> => (await snapshot()).event,
    /** Returns the current snapshot, which is the same object until the response changes. @throws as `current` does */
    snapshot,
    /** Subscribes a listener to every change, start and end on any node. @returns a function to unsubscribe */
    subscribe: showing.subscribe,
    /**
     * Publishes an announcement, replacing its type's current one, or schedules it if it starts later.
     *
     * @returns what was stored, with the warnings of contract A16
     * @throws Problem `invalid_body` whose message and `details.issues` list every fault (contract A6 to A10, A14, A15);
     *   `unavailable`, `not_purged` (contract W7)
     */
    publish: (draft: DraftInput): Promise<Published> =>
      forHost(async () => {
        const posting = parsePosting(draft, clock.now())
        const { announcement } = await commands.publish(posting, CODE)
        return { ...announcement, warnings: await warningsAbout(posting, announcement, service) }
      }),
    /** @returns how many announcements it took down @throws Problem `invalid_body`, `unavailable`, `not_purged` */
    withdraw: (selector: Selector): Promise<number> =>
      forHost(async () => (await commands.withdraw(parseSelector(selector), CODE)).deleted),
    /** The streams that keep open pages current, for hosts that write to the connections themselves. */
    streams,
    /** Stops the background work, and closes the streams and the store. */
    async close(): Promise<void> {
      streams.close()
      timekeeper.close()
      await couponWatcher?.close()
      showing.close()
      refusals.close()
      await store.close()
    },
  }
  return withInternals(placard, { service, apiSecrets, respond })
}

/** Rejects after 1.5 s, before the store's own timeout, because a page can't wait longer. @throws StoreUnavailable */
async function inTime(reading: Promise<Snapshot>): Promise<Snapshot> {
  const settled = reading.catch(() => {})
  await withTimeout(UNWATCHED_TIMEOUT_MS, settled, 'the database').catch((cause) => {
    throw new StoreUnavailable(cause)
  })
  return reading
}

const CODE: Author = { by: { via: 'code' } }

/** What `publish` stored, with the reasons why it may not work as intended (contract A16). */
export type Published = (Announcement | Scheduled) & { warnings: readonly Issue[] }

/** Runs a command for the host, and rejects with errors that say all that a developer needs. */
const forHost = async <T>(command: () => Promise<T>): Promise<T> => command().catch(rethrowToHost)

/** Rethrows `StoreUnavailable` as the `Problem` that a client would get, and any other error unchanged. */
function rethrowToHost(error: unknown): never {
  if (error instanceof StoreUnavailable) throw Problem.from(error)
  throw error instanceof Problem ? withIssues(error) : error
}

/** Puts the issues into the message, because consoles print nested objects as `[Object]`. */
function withIssues(problem: Problem): Problem {
  const { issues } = problem.details
  if (!Array.isArray(issues)) return problem
  const faults = issues.map(({ path, message }: Issue) => `${path} ${message}`.trim()).join('; ')
  const { code, details, headers } = problem
  return new Problem(code, `Invalid announcement: ${faults}`, { details, headers })
}
