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
 * All that can be seen of the API from outside, on any mount of it. A service over HTTP needs
 * `TRUST_PROXY=1` and nothing else that writes to it meanwhile. Every answer has to be as it is documented (contract R11).
 *
 * @param stream `false` where no process stays alive: there the contract has exceptions
 */
export function apiSuite(name: string, made: () => Promise<Mount>, stream = true): void {
  const make = async () => documented(await made())
  authorizationSuite(name, make)
  bodiesSuite(name, make)
  writingSuite(name, make)
  readingSuite(name, make)
  languagesSuite(name, make)
  notificationsSuite(name, make)
  if (stream) streamSuite(name, make)
  else noStreamSuite(name, make)
}
