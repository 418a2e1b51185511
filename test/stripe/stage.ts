import type { PlacardOptions } from '../../src/placard-options.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import {
  current,
  type DirectMount,
  type ManualClock,
  makePlacard,
  manualClock,
  notify,
} from '../harness.ts'
import { type FakeStripe, KEY, startFakeStripe } from './fake.ts'
import type { StripeEvent } from './shapes.ts'

/** A clock with timers of its own. What is planned happens at its instant, and when a test lets time pass. */
export interface TimedClock extends ManualClock {
  later(ms: number, work: () => unknown): () => void
  /** Lets time pass, and waits for all that happens meanwhile. */
  pass(ms: number): Promise<void>
}

export function timedClock(start?: number): TimedClock {
  const clock = manualClock(start)
  const timers = new Set<{ at: number; work: () => unknown }>()
  /** What follows from an answer is done in turns of the event loop. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...clock,
    later(ms, work) {
      const timer = { at: clock.monotonic() + Math.max(0, ms), work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async pass(ms) {
      const end = clock.monotonic() + ms
      for (;;) {
        await settle()
        const [next] = [...timers].sort((a, b) => a.at - b.at)
        if (!next || next.at > end) break
        timers.delete(next)
        clock.advance(Math.max(0, next.at - clock.monotonic()))
        await next.work()
      }
      clock.advance(Math.max(0, end - clock.monotonic()))
    },
  }
}

export interface Stage {
  clock: TimedClock
  stripe: FakeStripe
  /** A node with a key, on the database of the stage unless another is given. */
  start(options?: Partial<PlacardOptions>, store?: Store): Promise<DirectMount>
  /** Delivers what Stripe noted. @returns the answer */
  tell(mount: DirectMount, event: StripeEvent): Promise<{ outcome: string; reason?: string }>
  /** The text that is up, on all surfaces. */
  up(mount: DirectMount): Promise<string | null>
  close(): Promise<void>
}

/**
 * @param open opens the database, once for each node. Default: one in memory, for one node
 * @param aheadMs how far our clock is ahead of Stripe's
 */
export async function makeStage(
  open: () => Store = () => sqliteStore(':memory:'),
  aheadMs = 0,
): Promise<Stage> {
  const clock = timedClock()
  const stripe = await startFakeStripe(() => clock.now() - aheadMs)
  const mounts: DirectMount[] = []
  return {
    clock,
    stripe,
    async start(options = {}, store = open()) {
      const asking = { stripe: { apiKey: KEY, apiUrl: stripe.url }, ...options }
      const mount = makePlacard(store, asking, clock)
      mounts.push(mount)
      await mount.placard.snapshot()
      await clock.pass(1_000)
      return mount
    },
    async tell(mount, event) {
      const response = await notify(mount, event)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      const { received: _, ...rest } = await response.json()
      await clock.pass(0)
      return rest
    },
    up: async (mount) => (await current(mount))?.text ?? null,
    async close() {
      await Promise.all(mounts.map((mount) => mount.close()))
      await stripe.close()
      const lines = mounts.flatMap(({ log }) => log.lines)
      const faults = lines.filter(({ message }) => message === 'could not ask Stripe')
      if (faults.length > 0) throw new Error(`A fault of our own: ${JSON.stringify(faults)}`)
    },
  }
}
