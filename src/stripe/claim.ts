import type { Clock } from '../core/clock.ts'
import type { Offers } from '../store/store.ts'
import { MAX_WAIT_MS, type Quiet } from './client.ts'

/** How long a claim lasts unless a request renews it. A request takes 4 s at most. */
const CLAIM_MS = 10_000
/** The longest delay before a request to Stripe. A longer stored delay is ignored: the clock may have been set back. */
const FURTHEST_MS = { limited: 60_000, unlimited: 700_000 }

/** Thrown when another node has taken over the claim. That node sends the remaining requests. */
export class ClaimLost extends Error {}

/** A node's turn to ask. Each request first renews the claim, and rejects with ClaimLost if another node has it. */
export interface Turn extends Quiet {
  /** The memory that all nodes share, as it was when the turn began. */
  memory: Memory
  /**
   * Ends the claim.
   *
   * @param failures how many consecutive requests got no answer
   * @returns how many ms to wait before the next turn: 0 if there was a trigger, or another node took over the claim
   */
  end(nextMs: number, failures: number): Promise<number>
}

export type Memory = Awaited<ReturnType<Offers['recall']>>

/**
 * The claim to ask Stripe, held by one node at a time (contract T3). All nodes share one row, and a node claims it with
 * one update, so no node holds a lock while it asks Stripe.
 */
export function createClaims(store: Offers, clock: Clock) {
  const recall = () => store.recall(clock.now())

  async function keep(ms: number): Promise<void> {
    const memory = await recall()
    const until = memory.time + Math.ceil(ms)
    if (ms <= quietMs(memory)) return
    const { not_before } = memory
    if (!(await store.remember({ not_before: until }, { not_before }))) await keep(ms)
  }

  /**
   * Claims the shared row if a request to Stripe is due.
   *
   * @param key identifies the API key
   * @param early whether to claim the row before a request is due
   */
  async function claim(key: string, early: boolean): Promise<Turn | { waitMs: number }> {
    const terms = { key, early, lastsMs: CLAIM_MS, furthestMs: FURTHEST_MS }
    const claimed = await store.claim(terms, clock.now())
    if (claimed) return turn(claimed)
    const { due_at, time } = await recall()
    return { waitMs: Math.max(0, due_at - time) }
  }

  function turn(memory: Memory): Turn {
    let token = memory.due_at
    let isTriggered = false

    async function renew(): Promise<number> {
      const now = await recall()
      if (now.due_at !== token && now.due_at !== 0) throw new ClaimLost()
      const due_at = now.time + CLAIM_MS
      if (!(await store.remember({ due_at }, { due_at: now.due_at }))) return renew()
      // A trigger sets `due_at` to 0. Renewing the claim overwrites that, so the trigger is remembered here.
      isTriggered ||= now.due_at === 0
      token = due_at
      return quietMs(now)
    }

    return {
      memory,
      leftMs: renew,
      keep,
      async end(nextMs, failures) {
        const { time } = await recall()
        const waitMs = isTriggered ? 0 : Math.ceil(nextMs)
        // Write `failures` only if it has changed, because each write waits for the disk.
        if (failures !== memory.failures) await store.remember({ failures })
        return (await store.remember({ due_at: time + waitMs }, { due_at: token })) ? waitMs : 0
      },
    }
  }

  return { claim, quiet: { keep, leftMs: async () => quietMs(await recall()) } }
}

function quietMs({ not_before, time }: Memory): number {
  const ms = Math.max(0, not_before - time)
  // A longer wait than we accept from Stripe means that the clock was set back.
  return ms > MAX_WAIT_MS ? 0 : ms
}

/** One day less than the 30 days for which Stripe keeps events, so that we never ask for a deleted event. */
const KEPT_MS = 29 * 86_400_000

/** The id of the last notification that Stripe delivered, unless Stripe has deleted that event by now. */
export function heardIn({ heard_event, heard_at, time }: Memory): string | null {
  return heard_at > time - KEPT_MS ? heard_event : null
}
