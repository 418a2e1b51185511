import { documented } from '../documented.ts'
import type { Mount } from '../harness.ts'
import { authorizationSuite } from './authorization.ts'
import { bodiesSuite } from './bodies.ts'
import { languagesSuite } from './languages.ts'
import { notificationsSuite } from './notifications.ts'
import { readingSuite } from './reading.ts'
import { noStreamSuite, streamSuite } from './stream.ts'
import { writingSuite } from './writing.ts'

/**
 * What the way in which the service is mounted could change: headers, raw bodies, methods, paths, streams. A service over
 * HTTP needs `TRUST_PROXY=1` and nothing else that writes to it meanwhile. Every answer has to be as it is documented
 * (contract R11).
 *
 * @param stream `false` where no process stays alive: there the contract has exceptions
 */
export function apiSuite(name: string, made: () => Promise<Mount>, stream = true): void {
  const make = async () => documented(await made())
  authorizationSuite(name, make)
  bodiesSuite(name, make)
  readingSuite(name, make)
  if (stream) streamSuite(name, make)
  else noStreamSuite(name, make)
}

/** All that can be seen of the API from outside, once for each store. */
export function wholeSuite(name: string, made: () => Promise<Mount>): void {
  const make = async () => documented(await made())
  apiSuite(name, made)
  writingSuite(name, make)
  languagesSuite(name, make)
  notificationsSuite(name, make)
}
