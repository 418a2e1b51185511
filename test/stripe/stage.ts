import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { PlacardOptions } from '../../src/placard-options.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import {
  answerOf,
  current,
  type DirectMount,
  historyOf,
  makePlacard,
  notify,
  tick,
  timedClock,
  undo,
} from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { KEY, startFakeStripe } from './fake.ts'
import type { StoredCoupon, StripeEvent } from './shapes.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export type Stage = Awaited<ReturnType<typeof makeStage>>

/**
 * A fake Stripe and nodes that query it, all with one clock. By default, functions use the node that was started last.
 *
 * @param aheadMs how many ms our clock is ahead of Stripe's
 * @param parts the objects that become the clock and the fake Stripe
 */
export async function makeStage(aheadMs = 0, parts = { clock: {}, stripe: {} }) {
  const clock = Object.assign(parts.clock, timedClock())
  const stripe = await startFakeStripe(() => clock.now() - aheadMs, parts.stripe)
  const mounts: DirectMount[] = []
  const last = () => mounts.at(-1) as DirectMount
  let file = ''
  const database = () => {
    file ||= join(temporaryDirectory(), 'placard.db')
    return file
  }

  /** Creates a node with a key, which hasn't queried Stripe yet. The caller closes the node. */
  function make(options: Partial<PlacardOptions> = {}, store: Store = sqliteStore(database())) {
    const asking = { stripe: { apiKey: KEY, apiUrl: stripe.url }, ...options }
    return makePlacard(store, asking, clock)
  }

  /** Starts a node with a key; by the time this returns, the node has queried Stripe. */
  async function start(...given: Parameters<typeof make>): Promise<DirectMount> {
    const mount = make(...given)
    mounts.push(mount)
    await mount.placard.snapshot()
    await clock.pass(1_000)
    return mount
  }

  /** Delivers a notification to a node, and returns the node's response. */
  async function tell(
    event: StripeEvent,
    mount = last(),
  ): Promise<{ outcome: string; reason?: string }> {
    const response = await notify(mount, event)
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const { received: _, ...rest } = await response.json()
    await clock.pass(0)
    return rest
  }

  return {
    clock,
    stripe,
    make,
    start,
    last,
    tell,
    /** The path of the nodes' database, unless they use another store. */
    database,
    /** Starts a node on which this offer has been live for a minute; by default, the offer has a limit. */
    async offers(parts: Partial<StoredCoupon> = {}) {
      const mount = await start()
      await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100, ...parts }))
      await clock.pass(MINUTE)
      return mount
    },
    /** The text of the live announcement, or `null`. */
    up: async (mount = last()) => (await current(mount))?.text ?? null,
    history: (mount = last()) => historyOf(mount),
    warnings: ({ log } = last()) => log.lines.filter(({ level }) => level !== 'info'),
    /** Undoes a history entry; by default, the latest. */
    undo: (id?: string) => answerOf(undo(last(), id)),
    tick: async (mount = last()) => (await tick(mount)).status,
    /** Makes Stripe stop answering. */
    silence() {
      stripe.trouble = () => 'resets'
    },
    /** Makes Stripe answer again, and waits until the node has asked again. */
    async answer(ms = 31_000) {
      stripe.trouble = () => undefined
      await clock.pass(ms)
    },
    async close() {
      await Promise.all(mounts.map((mount) => mount.close()))
      await stripe.close()
      const lines = mounts.flatMap(({ log }) => log.lines)
      const faults = lines.filter(({ message }) => message === 'could not ask Stripe')
      if (faults.length > 0) throw new Error(`A fault of our own: ${JSON.stringify(faults)}`)
    },
  }
}

/** Makes a new stage for each test of a file, in the same objects, so that tests can destructure `clock` and `stripe`. */
export function stageForEach(): Stage {
  const parts = { clock: {}, stripe: {} }
  const stage = { ...parts } as Stage
  beforeEach(async () => {
    Object.assign(stage, await makeStage(0, parts))
  })
  afterEach(() => stage.close())
  return stage
}
