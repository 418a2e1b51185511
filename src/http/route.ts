import type { Problem } from '../core/problem.ts'
import type { HeaderNames, ProblemStatus } from './components.ts'
import type { SchemaName } from './schemas.ts'

/** What the runtime knows about a request beside the request itself. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
  /** Ends the connection at once, even if data is still to be sent. */
  hangUp?: (() => void) | undefined
}

/** The context of a request while it is answered. */
export interface Call {
  requestId: string
  /** Notes for the log why the answer is an error. */
  failed(problem: Problem): void
}

/** A request that has found its route. */
export interface Arrival {
  request: Request
  /** The sender's address, for the limits (contract A2). */
  address: string
  /** The value of `{id}` in the path. */
  id?: string | undefined
  hangUp?: RequestInfo['hangUp']
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Routes by method and path: `GET /api/events`. In a path, `{id}` stands for a segment. */
export type Routes<Service> = Readonly<Record<`${Method} /${string}`, Route<Service>>>

/** A route: who may use it, its handler, and its description in the OpenAPI document. */
export interface Route<Service> extends Partial<Operation> {
  /**
   * `read` and `write` need the bearer, and count as the methods of `Guard` say. `signed` requests come from Stripe,
   * and the handler verifies them.
   */
  guard: 'open' | 'read' | 'write' | 'signed'
  /** Pages of every origin may read it: its answers allow that, and its preflight is answered (contract R2, R5). */
  readable?: true
  /** Machines request it past the proxy, so it tells nothing about visitors. */
  probe?: true
  /** Whether a service has this route. Default: every service does. */
  exists?(service: Service): boolean
  handle: (arrival: Arrival, service: Service) => Response | Promise<Response>
}

/** The description of a route. Pages and their files have none, and are left out of the document. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  /** Query parameters with their descriptions. */
  query?: Record<string, string | { description: string; schema: object }>
  /** Accepts `If-Match` and `Placard-Actor` (contract A17, R8). */
  authored?: true
  /** Accepts `If-None-Match` and may answer 304. */
  conditional?: true
  /** The schema of the request's body. One that ends in `?` is optional. */
  body?: SchemaName | `${SchemaName}?`
  /** The successful answers, by status. */
  answers: Record<number, Answer>
  /** The statuses of errors that don't follow from the guard. */
  problems?: readonly ProblemStatus[]
}

/** The description; the schema of the body, or the type of a text; headers that don't follow from the route. */
type Answer = readonly [
  description: string,
  body?: SchemaName | readonly SchemaName[] | `text/${string}`,
  headers?: HeaderNames,
]

export interface Row<Service> extends Route<Service> {
  method: string
  path: string
}

/** The rows of a table with their methods and paths. */
export const rowsOf = <Service>(routes: Routes<Service>): Row<Service>[] =>
  Object.entries(routes).map(([name, route]) => {
    const [method = '', path = ''] = name.split(' ')
    return { method, path, ...route }
  })
