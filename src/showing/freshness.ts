import { inBackground } from '../core/clock.ts'

/** Memory is served for at most this long after a change is heard of: other nodes have to show it within 1 s. */
const LATE_MS = 900

/**
 * Whether memory may be served (contract R3).
 *
 * What is heard is counted: each change, and each switch between hearing and not hearing. A load covers what was heard
 * before it began and nothing later, because what it read may be older than a change that was heard meanwhile.
 */
export function createFreshness() {
  let hearing = false
  let heard = 0
  /** How much of what was heard memory covers, and how much it must cover to be served. */
  let covered = -1
  let required = 0

  return {
    fresh: () => hearing && covered >= required,
    hearing: () => hearing,
    /** Whether memory covers all that was heard, so that nothing newer is known of. */
    settled: () => hearing && covered === heard,

    /** What a load that begins now will cover. Give it to {@link cover} once the load has succeeded. */
    heard: () => heard,
    cover(upTo: number) {
      covered = upTo
    },
    /** A load has failed. Until one succeeds, memory may be out of date. */
    doubt() {
      covered = -1
    },

    change() {
      const change = ++heard
      // A switch requires all that came before it at once, so an earlier change must not lower the number.
      inBackground(setTimeout(() => (required = Math.max(required, change)), LATE_MS))
    },
    setHearing(yes: boolean) {
      hearing = yes
      required = ++heard
    },
  }
}
