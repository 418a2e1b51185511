import type { Call, RequestInfo } from '../http/route.ts'
import type { Appearance } from './appearance.ts'
import type { Words } from './words.ts'

export type AdminInfo = RequestInfo & Call

/** A request from a signed-in person. */
export interface Visit {
  /** The person's name in the history; `null` if they gave none. */
  name: string | null
  asksName: boolean
  request: Request
  info: AdminInfo
  words: Words
  look: Appearance
  /** The client address, for the rate limits (contract A2). */
  address: string
  /** The address at which people reach the service. */
  url: string
  /** Whether the service is behind a proxy, or the request came to a host that isn't a loopback address. */
  fromElsewhere: boolean
}
