import { inBackground } from './clock.ts'
import { describeError, type Log } from './log.ts'

/** Nodes that share a database reach a start at the same instant; readers need none of them to be quick. */
const SPREAD_MS = 250
/** When to look whether the caches were told of a start or an end that was just stored, or try again. */
const AGAIN_MS = 6_000
/** How often to look for what a node stored and did not live to tell, where nothing else gives cause to. */
const SELDOM_MS = 60_000

/** Stores what time brings about. Nobody waits for it: readers compute the same from the board (contract A14). */
export interface Timekeeper {
  /** Something is due; may be called again and again. */
  due(): void
  close(): void
}

export function createTimekeeper(recordTransitions: () => Promise<void>, log: Log): Timekeeper {
  let timer: ReturnType<typeof setTimeout> | undefined
  let soon = false
  let failing = false
  let closed = false

  function plan(ms: number, once: boolean) {
    clearTimeout(timer)
    if (!closed) timer = inBackground(setTimeout(work, ms, once))
  }

  async function work(once: boolean) {
    soon = false
    try {
      await recordTransitions()
      failing = false
    } catch (error) {
      if (!failing) log.warn({ error: describeError(error) }, 'could not store a start or an end')
      failing = true
    }
    if (!soon) plan(failing || !once ? AGAIN_MS : SELDOM_MS, true)
  }

  // What an earlier process stored and did not live to tell is told soon after the start.
  plan(AGAIN_MS, true)
  return {
    due() {
      if (soon) return
      soon = true
      plan(Math.random() * SPREAD_MS, false)
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
