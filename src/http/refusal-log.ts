import { type Clock, later } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Sender } from './arrivals.ts'

/** How long further refusals of an address share a line. */
const WINDOW_MS = 10_000
/** How many addresses a window tells apart. All others share a line, so that no flood fills the log. */
const MAX_ADDRESSES = 1_000
const OTHERS = 'others'
/** How many characters of a path are logged, because a path may have 16 KiB. */
const MAX_PATH = 200

export type RefusalLog = ReturnType<typeof createRefusalLog>

/**
 * Logs refused requests (contract R6). Anybody can send as many as a connection carries. So an address gets a line for
 * the first one, and then one for each window with the number of others.
 *
 * @param background whether the process does anything between two requests. If not, the next refusal logs the counts
 */
export function createRefusalLog(options: {
  log: Log
  clock: Clock
  conceal: (text: string) => string
  addressOf: (from: Sender) => string
  background: boolean
}) {
  const { log, clock, conceal, addressOf, background } = options
  /** How many refusals had each status, by address. */
  let noted = new Map<string, Record<number, number>>()
  let since = Number.NEGATIVE_INFINITY
  let cancel = () => {}

  function endWindow() {
    const before = noted
    noted = new Map()
    since = clock.monotonic()
    for (const [address, statuses] of before) {
      const count = Object.values(statuses).reduce((sum, one) => sum + one, 0)
      if (count === 0) continue
      log.info({ address, count, statuses }, 'refused more requests')
      // More may follow from this address, and then the next one also counts.
      noted.set(address, {})
    }
    cancel()
    if (background && noted.size > 0) cancel = later(clock, WINDOW_MS, endWindow)
  }

  return {
    note(
      sender: Sender,
      fields: { status: number; [name: string]: unknown },
      message = 'refused a request',
    ) {
      const { status } = fields
      if (clock.monotonic() - since >= WINDOW_MS) endWindow()
      const from = addressOf(sender)
      const address = noted.has(from) || noted.size < MAX_ADDRESSES ? from : OTHERS
      const statuses = noted.get(address)
      if (statuses) {
        statuses[status] = (statuses[status] ?? 0) + 1
        return
      }
      if (background && noted.size === 0) cancel = later(clock, WINDOW_MS, endWindow)
      noted.set(address, {})
      // Somebody may be guessing at the secret.
      const isGuess = status === 401 || status === 429
      log.info({ ...fields, ...(isGuess && { address: from }) }, message)
    },
    /** The loggable parts of a request: never its query, and no secret in its path. */
    describe({ method, url = '' }: { method?: string | undefined; url?: string | undefined }) {
      // An unusual target, such as `*`, has no path worth logging.
      const { pathname } = URL.parse(url, 'http://localhost') ?? { pathname: '' }
      const path = conceal(pathname)
      const isLong = path.length > MAX_PATH
      return { method, path: isLong ? `${path.slice(0, MAX_PATH - 1)}…` : path }
    },
    close() {
      endWindow()
      cancel()
    },
  }
}
