import { type Clock, later } from '../core/clock.ts'
import { describeError, type Log } from '../core/log.ts'
import type { Problem, ProblemCode } from '../core/problem.ts'
import type { Sender } from './client-address.ts'
import type { Call, RequestInfo } from './route.ts'

/** The problems whose messages are logged, because they never quote the client. */
const SAYS_WHY: readonly ProblemCode[] = [
  'invalid_signature',
  'body_too_large',
  'unavailable',
  'not_purged',
]

export type Responder = ReturnType<typeof createResponder>

/** Creates a function that passes a request to a handler, and gives it an id in the log. */
export function createResponder(options: { clock: Clock; log: Log; refusals: RefusalLog }) {
  const { clock, log, refusals } = options
  /**
   * Handles a request, and logs it unless it is a successful read (contract R6).
   *
   * @param isRead whether the request changes nothing. Default: depends on its method
   */
  return async (
    request: Request,
    { address }: RequestInfo,
    handle: (call: Call) => Response | Promise<Response>,
    isRead = /^(GET|HEAD|OPTIONS)$/.test(request.method),
  ): Promise<Response> => {
    const started = clock.monotonic()
    let route: string | undefined
    const matched = (pattern: string) => {
      route = pattern
    }
    let problem: Problem | undefined
    const failed = (why: Problem) => {
      problem = why
    }
    const response = await handle({ matched, failed })
    const { status } = response
    if (isRead && status < 400) return response
    const { headers } = request
    const requestId = requestIdOf(headers.get('x-request-id'))
    response.headers.set('X-Request-Id', requestId)
    const ms = Math.round(clock.monotonic() - started)
    const fields = { requestId, method: request.method, route, status, ms }
    const sender = { address, forwarded: headers.get('x-forwarded-for') }
    if (status < 400) log.info(fields, 'request')
    else if (problem?.code === 'internal') {
      log.error({ ...fields, error: describeError(problem.cause) }, problem.message)
    } else if (problem && status === 503 && problem.cause !== undefined) {
      refusals.note(sender, { ...fields, error: describeError(problem) }, problem.message)
    } else {
      const says = problem && SAYS_WHY.includes(problem.code)
      const reason = says ? problem?.message : problem?.details.code
      refusals.note(sender, { ...fields, ...(reason !== undefined && { reason }) }, 'request')
    }
    return response
  }
}

/**
 * Returns the id of a request in the log (contract R6). A plausible id from a proxy is kept, so that the proxy's log
 * and ours can be correlated.
 */
export function requestIdOf(given: string | null): string {
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}

/** How long an address's further rejected requests are counted before the count is logged. */
const WINDOW_MS = 10_000
/** How many addresses get their own log line in a window. All others share one line, so no flood can fill the log. */
const MAX_ADDRESSES = 1_000

/** What happened to the counted requests, by the level at which they are logged. */
const OUTCOMES = { info: 'were rejected', error: 'failed' }

interface Noted {
  address: string
  level: keyof typeof OUTCOMES
  statuses: Record<number, number>
}

export type RefusalLog = ReturnType<typeof createRefusalLog>

/**
 * Logs rejected requests (contract R6). Anyone can send any number of them, so an address's first rejected request gets
 * a log line, and then one line per window says how many more came. Requests that fail for the same reason, such as a
 * database that is down, are logged in the same way.
 *
 * @param background whether the process keeps running between two requests. If not, the next rejection logs the counts
 */
export function createRefusalLog(options: {
  log: Log
  clock: Clock
  addressOf: (from: Sender) => string
  background: boolean
}) {
  const { log, clock, addressOf, background } = options
  /** The number of further requests by status, for each address and cause of failure. */
  let noted = new Map<string, Noted>()
  let since = Number.NEGATIVE_INFINITY
  let cancel = () => {}

  function endWindow() {
    const before = noted
    noted = new Map()
    since = clock.monotonic()
    for (const [key, { address, level, statuses }] of before) {
      const count = Object.values(statuses).reduce((sum, one) => sum + one, 0)
      if (count === 0) continue
      log[level]({ address, count, statuses }, `more requests ${OUTCOMES[level]}`)
      // This address may send more, so its next rejected requests are counted instead of logged.
      noted.set(key, { address, level, statuses: {} })
    }
    cancel()
    if (background && noted.size > 0) cancel = later(clock, WINDOW_MS, endWindow)
  }

  return {
    note(sender: Sender, fields: { status: number; [name: string]: unknown }, message: string) {
      const { status, error } = fields
      const level = error === undefined ? 'info' : 'error'
      if (clock.monotonic() - since >= WINDOW_MS) endWindow()
      const from = addressOf(sender)
      const cause = JSON.stringify(error)
      const isRoom = noted.has(`${cause} ${from}`) || noted.size < MAX_ADDRESSES
      const address = isRoom ? from : 'others'
      const key = `${cause} ${address}`
      const statuses = noted.get(key)?.statuses
      if (statuses) {
        statuses[status] = (statuses[status] ?? 0) + 1
        return
      }
      if (background && noted.size === 0) cancel = later(clock, WINDOW_MS, endWindow)
      noted.set(key, { address, level, statuses: {} })
      // Somebody may be guessing the secret, so this line has the client's address.
      const isGuess = status === 401 || status === 429
      log[level]({ ...fields, ...(isGuess && { address: from }) }, message)
    },
    close() {
      endWindow()
      cancel()
    },
  }
}
