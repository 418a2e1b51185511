import type { Commands } from '../commands.ts'
import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts.ts'
import type { Log } from '../core/log.ts'
import type { Problem } from '../core/problem.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Store } from '../store/store.ts'
import type { CouponWatcher } from '../stripe/coupon-watcher.ts'
import type { Resource, Share } from './answer.ts'
import type { BarKind, Bars } from './bars.ts'
import type { Sender } from './client-address.ts'
import type { HeaderNames, ProblemStatus } from './components.ts'
import type { Guard } from './guard.ts'
import type { Include } from './include.ts'
import type { SchemaName } from './schemas.ts'
import type { Streams } from './stream.ts'

/** What visitors are served, apart from the API: a page, the bar by itself, and the files that both load. */
export interface Site {
  /** Renders the page at `/`. Without this function, `/` returns 404. */
  page?: ((snapshot: Snapshot, reader: Reader) => Resource) | undefined
  /** The bar of the embedded element, or that of the page at `/`. */
  bars(kind: BarKind, snapshot: Snapshot): Bars
  /** The response with the bar in one language, as JSON. */
  bar(kind: BarKind, snapshot: Snapshot, tag: string): Resource
  /** The same as HTML, for pages that loaded an earlier version of the script. */
  fragment(snapshot: Snapshot, tag: string): Resource
  /** The bar as a declarative shadow root, for a server that makes the page (contract R15). */
  include(snapshot: Snapshot, include: Include): Resource
  /** The script that the script tag loads, with the bar in all languages if the snapshot is known. */
  script(snapshot: Snapshot | undefined): Resource
  asset(name: Asset): Resource
}

export const ASSETS = ['page.js', 'placard.css', 'page.css'] as const

export type Asset = (typeof ASSETS)[number]

/** The parts of a request on which the language of the page at `/` depends. */
export interface Reader {
  lang: string | null
  acceptLanguage: string | null
}

/** Facts about the host, for `placard doctor` (contract R12). */
export type HostFacts = Pick<Facts, 'node' | 'publicUrl' | 'purge'> &
  Pick<Facts['streams'], 'wanted' | 'fileLimit'>

/** The parts of a service that its route handlers use. */
export interface Service {
  store: Store
  showing: Showing
  commands: Commands
  streams: Streams
  guard: Guard
  share: Share
  webhooks: {
    receive(request: Request): Promise<Response>
    mismatches(): number
    connected(): number
  }
  /** Asks Stripe about coupons. `undefined` without a Stripe key. */
  couponWatcher?: CouponWatcher | undefined
  /** Whether the service accepts notifications, which requires a signing secret. */
  notifications: boolean
  /** How many trusted proxies are in front of the service (contract A2). */
  trustProxy: number
  /** Returns the client address under which the limiter counts a request (contract A2). */
  addressOf(from: Sender): string
  /** The id that tells services apart, so that a command doesn't send a secret to the wrong service. */
  serviceId?: string | undefined
  /** Returns the host's metrics in the Prometheus text format. Without this function, `/metrics` returns 404. */
  metrics?: (() => Promise<string>) | undefined
  host?: (() => HostFacts) | undefined
  site?: Site | undefined
  /** Returns whether there is an icon with this name (contract A16). Never rejects. */
  knowsIcon(name: string): Promise<boolean>
  /** Removes secrets from text. */
  conceal(text: string): string
  clock: Clock
  log: Log
}

/** Facts about a request that a web-standard `Request` lacks. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
  /** Ends the connection immediately, even if data is waiting to be sent. */
  hangUp?: (() => void) | undefined
}

export interface Call {
  /** Records the pattern of the route that handles the request, such as `/api/events/{id}`, for the log. */
  matched(route: string): void
  /** Records the problem behind an error response, for the log. */
  failed(problem: Problem): void
}

/** A request that has matched a route. */
export interface Arrival {
  request: Request
  /** The client address under which the limiter counts the request (contract A2). */
  address: string
  /** The value of `{id}` in the path. */
  id: string
  /** The name that the request's secret begins with; `null` if it has none, or the request needs no secret (A4). */
  holder: string | null
  hangUp?: RequestInfo['hangUp']
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Routes by method and path, such as `GET /api/events`. In a path, `{id}` matches the last segment. */
export type Routes = Readonly<Record<`${Method} /${string}`, Route>>

/** A route: its guard, its handler, and its description in the OpenAPI document. */
export interface Route {
  /**
   * `read` and `write` routes need a bearer token; the methods of `Guard` document how requests to them are counted.
   * `signed` requests come from Stripe, and the handler verifies their signature.
   */
  guard: 'open' | 'read' | 'write' | 'signed'
  /** Pages from any origin may read this path: its responses and preflights allow that (contract R2, R5). */
  readable?: true
  /** Whether a service has this route. Default: every service does. */
  exists?(service: Service): boolean
  handle(arrival: Arrival, service: Service): Response | Promise<Response>

  /** Absent for pages and their files, which the OpenAPI document leaves out. */
  operationId?: string
  summary?: string
  description?: string
  /** Query parameters with their descriptions. */
  query?: Record<string, string | { description: string; schema: object }>
  /** Accepts `If-Match` and `Placard-Actor` (contract A17, R8). */
  authored?: true
  /** Accepts `If-None-Match` and may return 304. */
  conditional?: true
  /** The name of the request body's schema. A name that ends in `?` marks an optional body. */
  body?: SchemaName | `${SchemaName}?`
  /** The successful responses, by status. */
  answers?: Record<number, ResponseSpec>
  /** The statuses of the route's errors, besides those that its guard implies. */
  problems?: readonly ProblemStatus[]
}

/** A response: its description, its body's schema or text media type, and the headers that only this response has. */
type ResponseSpec = readonly [
  description: string,
  body?: SchemaName | readonly SchemaName[] | `text/${string}`,
  headers?: HeaderNames,
]

export interface Row extends Route {
  method: string
  path: string
}
