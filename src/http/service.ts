import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Problem } from '../core/problem.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import type { Asking } from '../stripe/asking.ts'
import type { Resource, Share } from './answer.ts'
import type { Arrivals } from './arrivals.ts'
import type { HeaderNames, ProblemStatus } from './components.ts'
import type { Facts } from './facts.ts'
import type { Guard } from './guard.ts'
import type { SchemaName } from './schemas.ts'
import type { Streams } from './stream.ts'

/** What visitors get besides the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** The page at `/`. Without it, that path is a 404. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar by itself, for the embedded element. */
  fragment(snapshot: Snapshot, reader: Reader): Resource
  /** The script that the script tag loads, with the bar if the snapshot is known. */
  script(snapshot: Snapshot | undefined, reader: Reader): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** The parts of a request that determine which document it gets. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
  /** `?styles` adds the bar's styles to a fragment. */
  styles?: boolean
}

/** What a host knows about itself, for `placard doctor` (contract R12). */
export type HostFacts = Pick<Facts, 'node' | 'publicUrl' | 'purge'> &
  Pick<Facts['streams'], 'wanted' | 'fileLimit'>

/** Everything that the handlers of a service need. */
export interface Service {
  store: Store
  showing: Showing
  commands: Commands
  streams: Streams
  guard: Guard
  share: Share
  arrivals: Arrivals
  webhooks: { receive(request: Request, address: string): Promise<Response>; mismatches(): number }
  /** Asks Stripe about coupons, if there is a key. */
  asking?: Asking | undefined
  /** Whether there is a signing secret. */
  notifications: boolean
  /** How many trusted proxies are in front (contract A2). */
  trustProxy: number
  /** Tells services apart, so that a command sends a secret only to its own service. */
  serviceId?: string | undefined
  /** The host's metrics in the text format of Prometheus. Without them, `/metrics` is a 404. */
  metrics?: (() => Promise<string>) | undefined
  host?: (() => HostFacts) | undefined
  site?: Site | undefined
  /** Whether an icon has this name (contract A16). Never rejects. */
  knowsIcon(name: string): Promise<boolean>
  /** Removes secrets from a text. */
  conceal(text: string): string
  clock: Clock
  log: Log
}

/** What the runtime knows about a request besides the request itself. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
  /** Ends the connection immediately, even if data is waiting to be sent. */
  hangUp?: (() => void) | undefined
}

export interface Call {
  /** Records, for the log, why the response is an error. */
  failed(problem: Problem): void
}

/** A request that has matched a route. */
export interface Arrival {
  request: Request
  /** The sender's address, for the limits (contract A2). */
  address: string
  /** The value of `{id}` in the path. */
  id: string
  hangUp?: RequestInfo['hangUp']
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Routes by method and path: `GET /api/events`. In a path, `{id}` stands for the last segment. */
export type Routes = Readonly<Record<`${Method} /${string}`, Route>>

/** A route: who may use it, its handler, and its description in the OpenAPI document. */
export interface Route {
  /**
   * `read` and `write` need a bearer token; the methods of `Guard` describe how they are counted. `signed` requests
   * come from Stripe, and the handler verifies them.
   */
  guard: 'open' | 'read' | 'write' | 'signed'
  /** Pages from any origin may read it: responses and preflights allow that (contract R2, R5). */
  readable?: true
  /** Health checks bypass the proxy, so these requests say nothing about how visitors arrive. */
  probe?: true
  /** Whether a service has this route. Default: every service does. */
  exists?(service: Service): boolean
  handle(arrival: Arrival, service: Service): Response | Promise<Response>

  /** Pages and their files have none, and are left out of the document. */
  operationId?: string
  summary?: string
  description?: string
  /** Query parameters with their descriptions. */
  query?: Record<string, string | { description: string; schema: object }>
  /** Accepts `If-Match` and `Placard-Actor` (contract A17, R8). */
  authored?: true
  /** Accepts `If-None-Match` and may answer 304. */
  conditional?: true
  /** The schema of the request's body. One that ends in `?` is optional. */
  body?: SchemaName | `${SchemaName}?`
  /** The successful responses, by status. */
  answers?: Record<number, Answer>
  /** The statuses of errors that don't follow from the guard. */
  problems?: readonly ProblemStatus[]
}

/** A description; the schema of the body, or the media type of a text; headers that don't follow from the route. */
type Answer = readonly [
  description: string,
  body?: SchemaName | readonly SchemaName[] | `text/${string}`,
  headers?: HeaderNames,
]

export interface Row extends Route {
  method: string
  path: string
}
