import type { Sender } from './http/arrivals.ts'
import type { RefusalLog, Responder } from './http/responder.ts'
import type { Service } from './http/service.ts'

/** What the admin and the server need of a service, and nobody else may have, because it includes the secrets. */
export interface Internals {
  /** What the routes of the API and of the admin work with. */
  service: Service
  /** The first is the one to use; all of them are valid. */
  apiSecrets: readonly string[]
  /** Whose request it is, for the limiter (contract A2). */
  addressOf(from: Sender): string
  respond: Responder
  /** Logs the requests that a host refuses before the router. */
  refusals: RefusalLog
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
