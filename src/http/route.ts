import type { Problem } from '../core/problem.ts'
import type { HeaderNames, ProblemStatus } from './components.ts'
import type { SchemaName } from './schemas.ts'

/** What the runtime knows about a request that the request itself doesn't say. */
export interface RequestInfo {
  /** The peer's address. */
  address?: string | undefined
  /** Ends the connection at once, even if something is still to be sent. */
  hangUp?: (() => void) | undefined
}

/** What is known of a request while it is answered. */
export interface Call {
  requestId: string
  /** Says why it is answered with an error, for the log. */
  failed(problem: Problem): void
}

/** A request that has found its route. */
export interface Arrival {
  request: Request
  /** Whose request it is, for the limits (contract A2). */
  address: string
  /** What the path has for `{id}`. */
  id?: string | undefined
  hangUp?: RequestInfo['hangUp']
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Routes by method and path: `GET /api/events`. In a path, `{id}` stands for a segment. */
export type Routes<Service> = Readonly<Record<`${Method} /${string}`, Route<Service>>>

/** Who may use a route, what answers it, and what the OpenAPI document says of it. */
export interface Route<Service> extends Partial<Operation> {
  /**
   * `read` and `write` need the bearer, and count as the methods of `Guard` say. Stripe signs what it sends (`signed`), and
   * the handler verifies that.
   */
  guard: 'open' | 'read' | 'write' | 'signed'
  /** Pages of every origin may read it: its answers say so, and a preflight for it is answered (contract R2, R5). */
  readable?: true
  /** Machines ask for it past the proxy, so it says nothing about visitors. */
  probe?: true
  /** Whether a service has it. Default: each does. */
  exists?(service: Service): boolean
  /** Runs behind the guard. */
  handle: (arrival: Arrival, service: Service) => Response | Promise<Response>
}

/** What the document says of a route. Pages and their files have none of it, and aren't in the document. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  /** Parameters of the query, each with what it means. */
  query?: Record<string, string | { description: string; schema: object }>
  /** It takes `If-Match` and `Placard-Actor` (contract A17, R8). */
  authored?: true
  /** It takes `If-None-Match` and has a 304. */
  conditional?: true
  /** The schema of the request's body. One that ends in `?` may be lacking. */
  body?: SchemaName | `${SchemaName}?`
  /** What it answers when nothing is wrong, by status. */
  answers: Record<number, Answer>
  /** The statuses of errors that don't follow from the guard. */
  problems?: readonly ProblemStatus[]
}

/** What it means; the schema of its body, or the type of a text; headers beside those that follow from the route. */
type Answer = readonly [
  description: string,
  body?: SchemaName | readonly SchemaName[] | `text/${string}`,
  headers?: HeaderNames,
]

export interface Row<Service> extends Route<Service> {
  method: string
  path: string
}

/** The rows of a table, each with its method and its path. */
export const rowsOf = <Service>(routes: Routes<Service>): Row<Service>[] =>
  Object.entries(routes).map(([name, route]) => {
    const [method = '', path = ''] = name.split(' ')
    return { method, path, ...route }
  })
