import type { Sender } from './http/arrivals.ts'
import type { RefusalLog, Responder } from './http/responder.ts'
import type { Service } from './http/service.ts'

/** What the admin and the server need from a service. Nothing else may have it, because it includes the secrets. */
export interface Internals {
  /** The parts that the routes of the API and of the admin use. */
  service: Service
  /** The service accepts all of these, and signs with the first. */
  apiSecrets: readonly string[]
  /** The client address for which the limiter counts a request (contract A2). */
  addressOf(from: Sender): string
  respond: Responder
  /** Logs the requests that the host rejects before they reach the router. */
  refusals: RefusalLog
}

/**
 * Registered globally, because a bundler may load this file twice. The property isn't enumerable, so that no host logs
 * the secrets by mistake.
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
