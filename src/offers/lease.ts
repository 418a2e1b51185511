import type { Clock } from '../core/clock.ts'
import type { OfferTurn, Offers as StoredOffers, TurnEnd } from '../store/store.ts'
import type { StripeClient } from '../stripe/client.ts'

/** How long a node has for its turn, from its last question on. A question takes 4 s at most. */
export const LEASE_MS = 10_000

/** Another node has the turn by now, and asks what is left. */
export class TurnLost extends Error {}

/** Holds a turn for as long as there is something to ask, because another node asks too once the lease is over. */
export function holdTurn(
  { store, client, clock }: { store: StoredOffers; client: StripeClient; clock: Clock },
  turn: OfferTurn,
) {
  let { token } = turn
  let rang = false

  const held =
    <Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const renewed = await store.renewTurn(token, LEASE_MS, clock.now())
      if (!renewed) throw new TurnLost('another node has the turn')
      token = renewed.token
      rang ||= renewed.rang
      return ask(...args)
    }

  return {
    /** Asks only while this node has the turn. @throws TurnLost */
    client: {
      ...client,
      coupon: held(client.coupon),
      knowsEvent: held(client.knowsEvent),
      events: held(client.events),
    },
    /** @returns when the next turn comes, in ms */
    async end(end: Omit<TurnEnd, 'token' | 'quietMs'>): Promise<number> {
      const nextMs = rang ? 0 : end.nextMs
      await store.endTurn({ ...end, nextMs, token, quietMs: client.quietMs() }, clock.now())
      return nextMs
    },
  }
}
