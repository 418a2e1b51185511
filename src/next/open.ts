import { rootCause, unfailing } from '../core/log.ts'
import { type NextPlacardOptions, type NextState, open, toConsole, watch } from './cache.ts'

interface Shared {
  state?: NextState
  /** Whether `watch` was called. It takes effect once the service is open. */
  watching: boolean
  /** When opening last failed, by `performance.now()`. */
  failedAt: number
  /** The message about that failure. It is logged once, no matter how often opening fails. */
  logged?: string
}

const SHARED = Symbol.for('placard.next')
/** While the service can't be opened, requests try again at most this often. */
const RETRY_MS = 5_000

/** Opens the service when it is first needed. Nothing here throws, so the site works without the announcement too. */
export function opener(configure: () => NextPlacardOptions) {
  // Next evaluates a module once for each bundle that contains it. With two services, a page could read from one that
  // hasn't heard of a write through the other, and be cached with the old state.
  const scope = globalThis as { [SHARED]?: Shared }
  scope[SHARED] ??= { watching: false, failedAt: Number.NEGATIVE_INFINITY }
  const shared = scope[SHARED]

  /** The open service, or `undefined` while it can't be opened. */
  function getState(): NextState | undefined {
    if (shared.state || performance.now() - shared.failedAt < RETRY_MS) return shared.state
    let options: NextPlacardOptions | undefined
    try {
      options = configure()
      shared.state = open(options)
      if (shared.watching) watch(shared.state)
      if (shared.logged) shared.state.log.warn({}, 'the announcement is back')
    } catch (error) {
      shared.failedAt = performance.now()
      // `configure` may have opened the database. Each failed attempt would leave one open.
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
      shared.watching = true
      const open = getState()
      if (open) watch(open)
    },
  }
}

/** Says where to look. A message about a secret already names its variable, and one about Node says what is needed. */
export function reason(error: unknown): string {
  const message = rootCause(error)
  if (/^[A-Z_]+ must |^Node /.test(message)) return message
  return `the database can't be opened (${message}). Check DATABASE_URL, or the path in placard.ts`
}
