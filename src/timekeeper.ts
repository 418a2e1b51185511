import { type Clock, later } from './core/clock.ts'
import { describeError, type Log } from './core/log.ts'

/**
 * Nodes that share a database notice a start at the same instant. Each node delays its write by a random time up to
 * this limit, so that one node usually stores the start before other nodes try. Readers don't wait for the write.
 */
const SPREAD_MS = 250
/**
 * How often to check for changes by a node that died before it purged the caches, and to retry a failed write
 * (contract R3).
 */
const CHECK_MS = 6_000

/**
 * Stores starts and ends when they are due. Readers don't wait for the timekeeper, because they compute the same result
 * from the clock (contract A14).
 *
 * @param background whether the process keeps running between two requests. If not, the timekeeper sets no timer
 */
export function createTimekeeper(
  recordTransitions: () => Promise<void>,
  clock: Clock,
  log: Log,
  background: boolean,
) {
  let cancel = () => {}
  let soon = false
  let failing = false
  let closed = false

  function plan(ms: number) {
    cancel()
    if (background && !closed) cancel = later(clock, ms, work)
  }

  async function work() {
    soon = false
    try {
      await recordTransitions()
      failing = false
    } catch (error) {
      const message = 'could not record due starts or ends, or purge a cache'
      if (!failing) log.warn({ error: describeError(error) }, message)
      failing = true
    }
    if (!soon) plan(CHECK_MS)
  }

  plan(CHECK_MS)
  return {
    /** Call this when a start or an end is due. Repeated calls lead to one write. */
    due() {
      if (soon) return
      soon = true
      plan(Math.random() * SPREAD_MS)
    },
    close() {
      closed = true
      cancel()
    },
  }
}
