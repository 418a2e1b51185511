import type { Clock } from '../core/clock.ts'
import type { Offers } from '../store/store.ts'
import type { RetryAfter } from './client.ts'
import { LEASE_MS, LONGEST_WAIT_MS, MAX_RETRY_AFTER_MS } from './intervals.ts'

/** Thrown when another node has taken over the lease. That node sends the remaining requests. */
export class LeaseLost extends Error {}

/** Lets one node at a time ask Stripe. Each request first renews the lease, and rejects with LeaseLost if it is gone. */
export interface Lease extends RetryAfter {
  /** The memory that all nodes share, as it was when the node acquired the lease. */
  memory: Memory
  /**
   * Releases the lease.
   *
   * @param failures how many consecutive requests got no answer
   * @returns how many ms to wait before the next poll: 0 after a trigger, or if another node took over the lease
   */
  release(nextMs: number, failures: number): Promise<number>
}

export type Memory = Awaited<ReturnType<Offers['recall']>>

/**
 * Creates leases on requests to Stripe (contract T3). All nodes share one row, and a node acquires the lease with one
 * update, so no node holds a lock while it asks Stripe.
 */
export function createLeases(store: Offers, clock: Clock) {
  const recall = () => store.recall(clock.now())

  async function keep(ms: number): Promise<void> {
    const memory = await recall()
    const until = memory.time + Math.ceil(ms)
    if (ms <= retryAfterMs(memory)) return
    const { not_before } = memory
    if (!(await store.remember({ not_before: until }, { not_before }))) await keep(ms)
  }

  /**
   * Acquires the lease if a request to Stripe is due.
   *
   * @param key identifies the API key
   * @param early whether to acquire the lease before a request is due
   */
  async function acquire(key: string, early: boolean): Promise<Lease | { waitMs: number }> {
    const terms = { key, early, lastsMs: LEASE_MS, longestWaitMs: LONGEST_WAIT_MS }
    const memory = await store.acquireLease(terms, clock.now())
    if (memory) return lease(memory)
    const { due_at, time } = await recall()
    return { waitMs: Math.max(0, due_at - time) }
  }

  function lease(memory: Memory): Lease {
    let token = memory.due_at
    let isTriggered = false

    async function renew(): Promise<number> {
      const now = await recall()
      if (now.due_at !== token && now.due_at !== 0) throw new LeaseLost()
      const due_at = now.time + LEASE_MS
      if (!(await store.remember({ due_at }, { due_at: now.due_at }))) return renew()
      // A trigger sets `due_at` to 0. Renewing the lease overwrites that, so the trigger is remembered here.
      isTriggered ||= now.due_at === 0
      token = due_at
      return retryAfterMs(now)
    }

    return {
      memory,
      leftMs: renew,
      keep,
      async release(nextMs, failures) {
        const { time } = await recall()
        const waitMs = isTriggered ? 0 : Math.ceil(nextMs)
        // Write `failures` only if it has changed, because each write waits for the disk.
        if (failures !== memory.failures) await store.remember({ failures })
        return (await store.remember({ due_at: time + waitMs }, { due_at: token })) ? waitMs : 0
      },
    }
  }

  const retryAfter: RetryAfter = { keep, leftMs: async () => retryAfterMs(await recall()) }
  return { acquire, retryAfter }
}

function retryAfterMs({ not_before, time }: Memory): number {
  const ms = Math.max(0, not_before - time)
  // A longer wait than we respect means that the clock was set back.
  return ms > MAX_RETRY_AFTER_MS ? 0 : ms
}
