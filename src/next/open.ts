import { AsyncLocalStorage } from 'node:async_hooks'
import { rootCause, unfailing } from '../core/log.ts'
import {
  type NextPlacardOptions,
  type NextState,
  type Outside,
  open,
  toConsole,
  watch,
} from './cache.ts'

interface Shared {
  state?: NextState
  /** Runs work outside of any request. Set by `watch`; takes effect when the service is opened. */
  outside?: Outside
  /** The time of the last failure to open the service, from `performance.now()`. */
  failedAt: number
  /** The last logged message about a failure to open the service. The same message isn't logged again. */
  logged?: string
}

const SHARED = Symbol.for('placard.next')
/** While the service can't be opened, requests try to open it at most this often. */
const RETRY_MS = 5_000

/** Opens the service when it is first needed. A failure isn't thrown, so that the rest of the site still works. */
export function opener(configure: () => NextPlacardOptions) {
  // Next evaluates a module once for each bundle that contains it. If each bundle had its own service, a page could
  // read the old state from one service after a write through another, and Next would then cache that page.
  const scope = globalThis as { [SHARED]?: Shared }
  scope[SHARED] ??= { failedAt: Number.NEGATIVE_INFINITY }
  const shared = scope[SHARED]

  /** Returns the open service, or `undefined` while it can't be opened. */
  function getState(): NextState | undefined {
    if (shared.state || performance.now() - shared.failedAt < RETRY_MS) return shared.state
    let options: NextPlacardOptions | undefined
    try {
      options = configure()
      shared.state = open(options, shared.outside)
      if (shared.outside) watch(shared.state)
      if (shared.logged) shared.state.log.warn({}, 'the announcement is back')
    } catch (error) {
      shared.failedAt = performance.now()
      // Closes a database that `configure` opened; otherwise, each failed attempt would leave a connection open.
      options?.store?.close().catch(() => {})
      const problem = `pages lack the announcement, and /api answers 503: ${reason(error)}`
      if (problem !== shared.logged) unfailing(options?.log ?? toConsole).error({}, problem)
      shared.logged = problem
    }
    return shared.state
  }

  return {
    getState,
    watch() {
      shared.outside ??= AsyncLocalStorage.snapshot()
      const open = getState()
      if (open) watch(open)
    },
  }
}

/** Explains an error. Adds what to check, unless the message already names a variable or the required Node version. */
export function reason(error: unknown): string {
  const message = rootCause(error)
  if (/^[A-Z_]+ must |^Node /.test(message)) return message
  return `the database can't be opened (${message}). Check DATABASE_URL, or the path in placard.ts`
}
