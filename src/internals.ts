import type { Responder } from './http/responder.ts'
import type { ServiceParts } from './http/service-parts.ts'

/** The parts of a service, including secrets, that only our own modules (such as the admin and the server) may use. */
export interface Internals {
  /** The parts that the routes of the API and of the admin use. */
  service: ServiceParts
  /** The secrets that the service accepts. The owner's secret authorizes the links that the service itself creates. */
  apiSecrets: readonly string[]
  respond: Responder
}

/**
 * The symbol is registered globally, because a bundler may include this file twice. The property isn't enumerable, so
 * that a host which logs its service doesn't log the secrets.
 */
const INTERNALS = Symbol.for('placard.internals')

export function withInternals<Placard extends object>(placard: Placard, internals: Internals) {
  return Object.defineProperty(placard, INTERNALS, { value: internals })
}

export function internalsOf(placard: object): Internals {
  return (placard as Record<symbol, Internals>)[INTERNALS] as Internals
}
