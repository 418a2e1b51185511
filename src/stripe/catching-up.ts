import type { CaughtUp } from '../store/store.ts'

/** Stripe keeps events for 30 days. */
const KEPT_S = 30 * 86_400
/** An event may be listed a little after others that were created later. */
const OVERLAP_S = 300

/** From when on events are to be listed: never from before the key was first used. All in seconds since 1970. */
export function listFrom({ since, to }: CaughtUp, now: number): number {
  return Math.max(since, to - OVERLAP_S, now - KEPT_S)
}

/**
 * The latest instant at which something of that second can have happened: Stripe's clock has whole seconds, and what we
 * know has happened. Both in milliseconds since 1970.
 */
export function latestInstant(second: number, known: number): number {
  return Math.min(second * 1000 + 999, known)
}

/**
 * Leaves the last publication or deletion of each coupon, and the last that says it can't be redeemed, in their order.
 * Each publication replaces what is up, and each deletion takes it away, so the state after these is the state after all of
 * them. Those without an effect are left out.
 *
 * @param notifications oldest first
 */
export function folded<
  T extends { notification: { coupon: string | null; effect: { kind: string } } },
>(notifications: readonly T[]): T[] {
  const last = new Map<string, T>()
  for (const one of notifications) {
    const { coupon, effect } = one.notification
    if (effect.kind === 'none') continue
    const key = `${effect.kind === 'retract'} ${coupon}`
    // Put behind all that came before it.
    last.delete(key)
    last.set(key, one)
  }
  return [...last.values()]
}
