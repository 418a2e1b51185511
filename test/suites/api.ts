import type { Mount } from '../harness.ts'
import { authorization } from './authorization.ts'
import { bodies } from './bodies.ts'
import { languages } from './languages.ts'
import { suites } from './mount.ts'
import { notifications } from './notifications.ts'
import { rateLimit } from './rate-limit.ts'
import { reading } from './reading.ts'
import { noStream, stream } from './stream.ts'
import { writing } from './writing.ts'

/**
 * Everything that may depend on how the service is mounted: headers, raw bodies, methods, paths, streams. A service over
 * HTTP needs `TRUST_PROXY=1` and no other clients that write. Every response must match the OpenAPI document
 * (contract R11).
 *
 * @param streams `false` where no process stays alive: there the contract has exceptions
 */
export function apiSuite(name: string, make: () => Promise<Mount>, streams = true): void {
  suites(name, make, { authorization, bodies, reading, stream: streams ? stream : noStream })
}

/** Everything that clients see of the API, once for each store. */
export function wholeSuite(name: string, make: () => Promise<Mount>): void {
  apiSuite(name, make)
  suites(name, make, { writing, languages, notifications })
}

/** The limit on writes, wherever the service is mounted. */
export const rateLimitSuite = (name: string, make: () => Promise<Mount>): void =>
  suites(name, make, { 'rate limit': rateLimit })
