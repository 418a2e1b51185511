import { type Clock, later } from './core/clock.ts'
import { describeError, type Log } from './core/log.ts'

/**
 * Nodes that share a database notice a start at the same instant. They spread out over this time, so that one stores it
 * and the others find it stored. Readers don't wait for them.
 */
const SPREAD_MS = 250
/** When to check that the caches were purged for a start or an end, and when to retry after a failure. */
const CHECK_MS = 6_000
/** How often to look for starts and ends whose node died before it purged the caches. */
const SWEEP_MS = 60_000

/** How often to try a write while writes fail. */
const RETRY_MS = 10_000

/**
 * Stores starts and ends when they are due. Nobody waits for it, because readers compute the same result (contract
 * A14).
 */
export interface Timekeeper {
  /** Says that something is due. May be called repeatedly. */
  due(): void
  close(): void
}

/** @param background whether the process does anything between two requests. If not, this never works by itself */
export function createTimekeeper(
  recordTransitions: () => Promise<boolean>,
  clock: Clock,
  log: Log,
  background: boolean,
): Timekeeper {
  let cancel = () => {}
  let soon = false
  let failing = false
  let closed = false

  function plan(ms: number, once: boolean) {
    cancel()
    if (background && !closed) cancel = later(clock, ms, () => work(once))
  }

  async function work(once: boolean) {
    soon = false
    let left = false
    try {
      left = await recordTransitions()
      failing = false
    } catch (error) {
      const message = 'could not store a start or an end, or purge a cache'
      if (!failing) log.warn({ error: describeError(error) }, message)
      failing = true
    }
    if (!soon) plan(failing || left || !once ? CHECK_MS : SWEEP_MS, true)
  }

  // An earlier process may have died between storing a start and purging the caches.
  plan(CHECK_MS, true)
  return {
    due() {
      if (soon) return
      soon = true
      plan(Math.random() * SPREAD_MS, false)
    },
    close() {
      closed = true
      cancel()
    },
  }
}

/**
 * Tries a write every 10 s while writes fail, so that the store notices when they work again (contract R3).
 *
 * @returns a function that stops this
 */
export function retryWrites(
  writable: () => boolean,
  recordTransitions: () => Promise<unknown>,
  clock: Clock,
): () => void {
  let closed = false
  let cancel = () => {}

  function plan() {
    if (!closed) cancel = later(clock, RETRY_MS, work)
  }

  async function work() {
    // The cause was logged when the write failed.
    if (!writable()) await recordTransitions().catch(() => {})
    plan()
  }

  plan()
  return () => {
    closed = true
    cancel()
  }
}
