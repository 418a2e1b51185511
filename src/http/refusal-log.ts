import { type Clock, later } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Sender } from './client-address.ts'

/** An address that is refused again in this time gets no line of its own. */
const WINDOW_MS = 10_000
/** Addresses that are told apart in a window. All others share a line, so that no flood fills the log. */
const MAX_ADDRESSES = 1_000
const OTHERS = 'others'
/** Characters of a path that are logged. A path may have 16 KiB, and its sender must not fill the log with it. */
const MAX_PATH = 200

/**
 * Logs requests that were refused (contract R6). Anybody can send as many as a connection carries, so an address gets a
 * line for the first one, and then a line for each window with how many followed.
 */
export interface RefusalLog {
  note(sender: Sender, fields: { status: number; [name: string]: unknown }, message?: string): void
  /** What the log may have of a request: never its query, and no secret in its path. */
  describe(request: { method?: string | undefined; url?: string | undefined }): {
    method: string | undefined
    path: string
  }
  close(): void
}

/** @param background whether anything happens between two requests. If not, the next refusal logs what is counted */
export function createRefusalLog(options: {
  log: Log
  clock: Clock
  conceal: (text: string) => string
  addressOf: (from: Sender) => string
  background: boolean
}): RefusalLog {
  const { log, clock, conceal, addressOf, background } = options
  /** Statuses, and how many had each, by address. */
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
      // It may go on, and then its next request is one of many, too.
      noted.set(address, {})
    }
    cancel()
    if (background && noted.size > 0) cancel = later(clock, WINDOW_MS, endWindow)
  }

  return {
    note(sender, fields, message = 'refused a request') {
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
    describe({ method, url = '' }) {
      // The path of an unusual target, such as `*`, is not worth a line of its own either.
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
