import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { requestIdOf } from './request-id.ts'

/** Characters of a path that are logged. A path may have 16 KiB, and its sender must not fill the log with it. */
const MAX_PATH = 200

/** Names a request, has it answered, and logs it, unless it is a read that went well (contract R6). */
export type Responder = (
  request: Request,
  handle: (requestId: string) => Response | Promise<Response>,
  /** Whether it changes nothing. Default: by its method. */
  isRead?: boolean,
) => Promise<Response>

export function createResponder({
  clock,
  log,
  conceal,
}: {
  clock: Clock
  log: Log
  conceal: (text: string) => string
}): Responder {
  return async (request, handle, isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method)) => {
    const started = clock.monotonic()
    const requestId = requestIdOf(conceal(request.headers.get('x-request-id') ?? ''))
    const response = await handle(requestId)
    response.headers.set('X-Request-Id', requestId)
    if (!isRead || response.status >= 400) {
      const { method } = request
      const path = shortened(conceal(new URL(request.url).pathname))
      const ms = Math.round(clock.monotonic() - started)
      log.info({ requestId, method, path, status: response.status, ms }, 'request')
    }
    return response
  }
}

function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH - 1)}…` : path
}
