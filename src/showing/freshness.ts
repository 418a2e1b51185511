import { inBackground } from '../core/clock.ts'

/** How long memory may be served after a change is heard of, because other nodes must show a change within 1 s. */
const LATE_MS = 900

/**
 * Whether memory may be served (contract R3).
 *
 * The counter goes up with each change and each time that hearing is lost or back. A load covers the numbers up to its
 * beginning, because its result may be older than a change that came later.
 */
export function createFreshness() {
  let hearing = false
  let heard = 0
  /** Up to which number memory covers the changes, and up to which it must to be served. */
  let covered = -1
  let required = 0

  return {
    fresh: () => hearing && covered >= required,
    hearing: () => hearing,
    /** Whether memory covers all that was heard, so that no newer change is known. */
    settled: () => hearing && covered === heard,

    /** The number that a load which begins now will cover. Pass it to {@link cover} when the load has succeeded. */
    heard: () => heard,
    cover(upTo: number) {
      covered = upTo
    },
    /** A load failed. Until one succeeds, memory may be out of date. */
    doubt() {
      covered = -1
    },

    change() {
      const change = ++heard
      // Hearing again requires everything before it at once, so an earlier change must not lower the number.
      inBackground(setTimeout(() => (required = Math.max(required, change)), LATE_MS))
    },
    setHearing(yes: boolean) {
      hearing = yes
      required = ++heard
    },
  }
}
