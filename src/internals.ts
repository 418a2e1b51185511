import type { Clock } from './core/clock.ts'
import type { Log } from './core/log.ts'
import type { AppOptions } from './http/app.ts'
import type { Arrivals, Sender } from './http/arrivals.ts'
import type { Guard } from './http/guard.ts'
import type { RefusalLog } from './http/refusal-log.ts'
import type { Responder } from './http/responder.ts'
import type { Share } from './http/share.ts'
import type { Tokens } from './store/store.ts'
import type { OfferCounts } from './stripe/report.ts'

/** What the admin and the server need of a service, and nobody else may have, because it includes the secrets. */
export interface Internals {
  /** What the routes of the API and of the admin work with. */
  service: AppOptions
  tokens: Tokens | undefined
  /** The first is the one to use; all of them are valid. */
  apiSecrets: readonly string[]
  guard: Guard
  /** Whose request it is, for the limiter (contract A2). */
  addressOf(from: Sender): string
  /** What requests say in X-Forwarded-For, for hosts that answer some before the router. */
  arrivals: Arrivals
  /** Marks documents that a shared cache may keep, for hosts that answer some reads before the router. */
  share: Share
  respond: Responder
  /** Logs the requests that a host refuses before the router. */
  refusals: RefusalLog
  /** What came of asking Stripe, if there is a key. */
  offers: OfferCounts | undefined
  /** Whether the process does anything between two requests. */
  background: boolean
  /** Whether changes by other nodes are heard (contract R3). */
  hearing(): boolean
  /** When something starts or ends next, according to the last read: milliseconds since 1970, or infinity. */
  until(): number
  /** Whether the service serves the script that embeds the bar. */
  embeds: boolean
  clock: Clock
  log: Log
}

/**
 * Registered globally, because a bundler may load this file twice. Not enumerable, so that no host logs the secrets by
 * mistake.
 */
const INTERNALS = Symbol.for('placard.internals')

export function withInternals<Service extends object>(
  placard: Service,
  internals: Internals,
): Service {
  return Object.defineProperty(placard, INTERNALS, { value: internals })
}

export function internalsOf(placard: object): Internals {
  return (placard as Record<symbol, Internals>)[INTERNALS] as Internals
}
