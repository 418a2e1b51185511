import { inBackground } from '../clock.ts'

/** Memory is served no longer than this after word of a change: other nodes have to show it within 1 s. */
const LATE_MS = 900

/**
 * Whether memory may be served (contract R3).
 *
 * What is heard is counted: word of a change, and each turn from hearing to not hearing or back. A load holds what was
 * heard before it began and nothing more, because what it read may be older than a word that came meanwhile.
 */
export function createFreshness() {
  let hearing = false
  let heard = 0
  /** How much of what was heard memory holds, and how much it must hold to be served. */
  let held = -1
  let required = 0

  return {
    fresh: () => hearing && held >= required,

    /** What a load that begins now will hold: for {@link hold} once it has ended well. */
    heard: () => heard,
    hold(upTo: number) {
      held = upTo
    },
    /** A load has failed: until one succeeds, nothing says that memory still holds what is stored. */
    doubt() {
      held = -1
    },

    change() {
      const change = ++heard
      // Words come in order, but a turn makes all that came before it due at once.
      inBackground(setTimeout(() => (required = Math.max(required, change)), LATE_MS))
    },
    setHearing(yes: boolean) {
      hearing = yes
      required = ++heard
    },
  }
}
