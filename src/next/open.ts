import { unfailing } from '../log.ts'
import { type NextPlacardOptions, type NextState, open, toConsole, watch } from './cache.ts'

/** What the bundles of one process share. */
interface Shared {
  state?: NextState
  /** `watch` was called: done as soon as there is something to watch. */
  watching: boolean
  /** When opening failed last, as `performance.now()` has it. */
  failedAt: number
  /** What the log says about that; once, however often it fails. */
  logged?: string
}

const SHARED = Symbol.for('placard.next')
/** While it can't be opened, requests try again, no more often than this. */
const RETRY_MS = 5_000

/**
 * Opens the service when it is first needed. A site that can't have the announcement goes on without it: nothing here
 * throws.
 */
export function opener(configure: () => NextPlacardOptions): {
  /** Nothing while it can't be opened. */
  getState(): NextState | undefined
  watch(): void
} {
  // Next evaluates a module once for each bundle that it is part of. Two services would mean that a page
  // reads from one what was not yet heard of a write through the other, and keeps it.
  const scope = globalThis as { [SHARED]?: Shared }
  scope[SHARED] ??= { watching: false, failedAt: Number.NEGATIVE_INFINITY }
  const shared = scope[SHARED]

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
      // Its database is open already. Each attempt would leave one behind.
      options?.store?.close().catch(() => {})
      const problem = `pages go without the announcement, /api answers 503: ${reason(error)}`
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

/** Names the environment variable to look at. What is wrong with a secret does so itself. */
export function reason(error: unknown): string {
  const message = rootOf(error)
  if (/^[A-Z_]+ must /.test(message)) return message
  return `the database can't be opened (${message}). Is DATABASE_URL right, or the path in placard.ts?`
}

/** Only the deepest cause says what is the matter with a database; a refused connection says it by its code alone. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return rootOf(error.cause)
  return error.message || String('code' in error ? error.code : error.name)
}
