import type { Clock } from '../core/clock.ts'
import { describeError, type Log } from '../core/log.ts'
import type { Problem, ProblemCode } from '../core/problem.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { Call, RequestInfo } from './route.ts'

/** The messages of these are ours. Others may quote the client, and are logged by their codes. */
const SAYS_WHY: readonly ProblemCode[] = [
  'invalid_signature',
  'body_too_large',
  'unavailable',
  'not_purged',
]

/** Gives a request its id, has it answered, and logs it, unless it is a successful read (contract R6). */
export type Responder = (
  request: Request,
  info: RequestInfo,
  handle: (call: Call) => Response | Promise<Response>,
  /** Whether the request changes nothing. Default: by its method. */
  isRead?: boolean,
) => Promise<Response>

export function createResponder({
  clock,
  log,
  refusals,
  conceal,
}: {
  clock: Clock
  log: Log
  refusals: RefusalLog
  conceal: (text: string) => string
}): Responder {
  return async (request, info, handle, isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method)) => {
    const started = clock.monotonic()
    const { headers } = request
    const requestId = requestIdOf(conceal(headers.get('x-request-id') ?? ''))
    let problem: Problem | undefined
    const failed = (why: Problem) => {
      problem = why
    }
    const response = await handle({ requestId, failed })
    response.headers.set('X-Request-Id', requestId)
    const { status } = response
    if (isRead && status < 400) return response
    const ms = Math.round(clock.monotonic() - started)
    const fields = { requestId, ...refusals.describe(request), status, ms }
    if (status < 400) log.info(fields, 'request')
    else if (problem?.code === 'internal') {
      log.error({ ...fields, error: describeError(problem.cause) }, problem.message)
    } else if (problem?.status === 503 && problem.cause !== undefined) {
      log.error({ ...fields, error: describeError(problem) }, problem.message)
    } else {
      const { address } = info
      const says = problem && SAYS_WHY.includes(problem.code)
      const why = says ? problem?.message : problem?.details.code
      const reason = why !== undefined && { reason: why }
      const sender = { address, forwarded: headers.get('x-forwarded-for') }
      refusals.note(sender, { ...fields, ...reason }, 'request')
    }
    return response
  }
}

const PROCESS = `${crypto.randomUUID().slice(0, 18)}-`
let count = 0

/**
 * The id of a request in the log (contract R6). A proxy's id is kept if it looks like one, so that both logs can be
 * joined. Our own are numbered within the process, because a random number takes too long for a read. They aren't
 * decimal, because the engine caches decimal strings, which burdens its garbage collector.
 */
export function requestIdOf(given: string | null): string {
  if (given !== null && /^[\w.-]{1,64}$/.test(given)) return given
  count++
  return PROCESS + count.toString(36)
}
