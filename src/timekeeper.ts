import { type Clock, later } from './core/clock.ts'
import { describeError, type Log } from './core/log.ts'

/**
 * Nodes that share a database notice a start at the same instant. They spread their writes over this time, so that one
 * stores it and the others find it stored. Readers don't wait for that.
 */
const SPREAD_MS = 250
/**
 * How often to look for changes by a node that died before it purged the caches, and to retry while writes fail
 * (contract R3).
 */
const CHECK_MS = 6_000

/**
 * Stores starts and ends when they are due. Readers don't wait for it, because they compute the same result (contract
 * A14).
 *
 * @param background whether the process does anything between two requests. If not, this never runs by itself
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
    /** Call it when a start or an end is due. It may be called repeatedly. */
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
