import type { Announcement, Draft, Selector } from './announcement.ts'
import type { Clock } from './clock.ts'
import { Problem } from './problem.ts'
import type { Showing } from './showing/showing.ts'
import type { Notice, Receipt, Store } from './store/store.ts'

/** The one tag that every output depending on the announcement carries (spec 1). */
export const TAG = 'event'

/**
 * Drops what a cache in front or beside has under a tag, at once (spec 6: expire 0). Awaited before the write
 * is answered; if it rejects, the write answers 503 and a repeat runs it again (contract W7).
 */
export type InvalidationHook = (tag: typeof TAG) => void | Promise<void>

/** The verbs, and the only writers. Each resolves when the next read shows its effect. */
export interface Commands {
  publish(draft: Draft): Promise<Announcement>
  /** @returns how many announcements came down */
  withdraw(selector: Selector): Promise<number>
  applyNotice(notice: Notice): Promise<Receipt>
}

export function createCommands(
  store: Store,
  showing: Showing,
  invalidate: InvalidationHook,
  clock: Clock,
): Commands {
  /** What was committed, told: to this node's readers and open pages, then to the caches. */
  async function tell(): Promise<void> {
    await showing.refresh()
    try {
      await invalidate(TAG)
    } catch (cause) {
      throw Problem.unavailable('Done, but a cache could not be purged; repeat the request', cause)
    }
  }

  return {
    async publish(draft) {
      const announcement = await store.publish(draft, clock.now())
      await tell()
      return announcement
    },
    async withdraw(selector) {
      const removed = await store.withdraw(selector, clock.now())
      await tell()
      return removed
    },
    async applyNotice(notice) {
      const receipt = await store.applyNotice(notice, clock.now())
      await tell()
      return receipt
    },
  }
}
