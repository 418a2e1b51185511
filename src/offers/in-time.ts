import { type Clock, within } from '../core/clock.ts'
import type { Offers as StoredOffers } from '../store/store.ts'
import type { StripeClient } from '../stripe/client.ts'
import type { Report } from './report.ts'
import { WAIT_MS } from './retrieve.ts'

interface Waiting {
  store: StoredOffers
  client: StripeClient
  clock: Clock
}

/**
 * Obeys what Stripe has asked of another node, or of the process before this one (contract T3). Where the database is away,
 * that is not known, and whoever asks has other things to notice it by.
 */
export async function keepQuiet({ store, client, clock }: Waiting): Promise<void> {
  client.keepQuiet(await store.quietMs(clock.now()).catch(() => 0))
}

/** Asks, and waits no longer than somebody may have to. @returns `undefined` without an answer by then */
export async function inTime<T>(
  asking: Waiting & { report: Report },
  question: () => Promise<T>,
): Promise<T | undefined> {
  let result: T | undefined
  const done = keepQuiet(asking)
    .then(question)
    .then((it) => {
      result = it
    })
  try {
    await within(WAIT_MS, done, 'Stripe')
  } catch (error) {
    done.catch(() => {})
    asking.report.unanswered('coupons', error)
  }
  return result
}
