import type { Problem } from '../core/problem.ts'
import type { HeaderNames, ProblemStatus } from './openapi-components.ts'
import type { SchemaName } from './openapi-schemas.ts'
import type { ServiceParts } from './service-parts.ts'

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
export interface RouteRequest {
  request: Request
  /** The client address under which the limiter counts the request (contract A2). */
  address: string
  /** The value of `{id}` in the path. */
  id: string
  /** The name that the request's secret begins with; `null` if it has none, or the request needs no secret (A4). */
  secretName: string | null
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
  exists?(service: ServiceParts): boolean
  handle(request: RouteRequest, service: ServiceParts): Response | Promise<Response>

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
  responses?: Record<number, ResponseSpec>
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
