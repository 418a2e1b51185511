import type { Clock } from './core/clock.ts'
import type { Log } from './core/log.ts'
import type { AppOptions } from './http/app.ts'
import type { Arrivals } from './http/arrivals.ts'
import type { Sender } from './http/client-address.ts'
import type { Guard } from './http/guard.ts'
import type { RefusalLog } from './http/refusal-log.ts'
import type { Responder } from './http/responder.ts'
import type { Share } from './http/share.ts'
import type { Tokens } from './store/store.ts'
import type { OfferCounts } from './stripe/report.ts'

/** What the admin and the server need of a service, and nobody else may have: the secrets are among it. */
export interface Internals {
  /** What the API's routes work with, and the admin's. */
  service: AppOptions
  tokens: Tokens | undefined
  /** The first is the one to use; all of them are valid. */
  apiSecrets: readonly string[]
  guard: Guard
  /** Whose request it is, for the limiter (contract A2). */
  addressOf(from: Sender): string
  /** What X-Forwarded-For says in requests, for hosts that answer some before the router. */
  arrivals: Arrivals
  /** Marks what a shared cache may keep, for hosts that answer some reads before the router. */
  share: Share
  respond: Responder
  /** Logs what a host refuses before the router. */
  refusals: RefusalLog
  /** What came of asking Stripe, if there is a key. */
  offers: OfferCounts | undefined
  /** Whether anything happens between two requests. */
  background: boolean
  /** Whether changes by other nodes are heard (contract R3). */
  hearing(): boolean
  /** When something starts or ends next, by what was read last: milliseconds since 1970, or infinity. */
  until(): number
  /** Whether it serves the script that puts the bar on pages. */
  embeds: boolean
  clock: Clock
  log: Log
}

/** Registered, because a bundler may load this file twice. Not enumerable, so that no host logs the secrets by mistake. */
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
