import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { RequestInfo } from './app.ts'
import type { RefusalLog } from './refusal-log.ts'
import { requestIdOf } from './request-id.ts'

/** Names a request, has it answered, and logs it, unless it is a read that went well (contract R6). */
export type Responder = (
  request: Request,
  info: RequestInfo,
  handle: (requestId: string) => Response | Promise<Response>,
  /** Whether it changes nothing. Default: by its method. */
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
    const response = await handle(requestId)
    response.headers.set('X-Request-Id', requestId)
    const { status } = response
    if (isRead && status < 400) return response
    const ms = Math.round(clock.monotonic() - started)
    const fields = { requestId, ...refusals.describe(request), status, ms }
    if (status < 400) log.info(fields, 'request')
    else {
      const { address } = info
      refusals.note({ address, forwarded: headers.get('x-forwarded-for') }, fields, 'request')
    }
    return response
  }
}
