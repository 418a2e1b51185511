import { callBack } from '../core/callback.ts'
import { describeError, type Log } from '../core/log.ts'
import type { Snapshot } from './snapshot.ts'

/** The callbacks for a change. One that fails is reported once, is still called, and affects no other. */
export function createSubscribers(log: Log) {
  const subscribers = new Set<{ listener(snapshot: Snapshot): void; reported: boolean }>()
  let changes = 0

  return {
    add(listener: (snapshot: Snapshot) => void): () => void {
      const subscriber = { listener, reported: false }
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    notify(snapshot: Snapshot) {
      const change = ++changes
      // A copy, because subscribers that join meanwhile already know this change.
      for (const subscriber of [...subscribers]) {
        // A subscriber made a further change, and everyone was already notified of that one.
        if (change !== changes) return
        if (!subscribers.has(subscriber)) continue
        callBack(
          () => subscriber.listener(snapshot),
          (error) => {
            if (subscriber.reported) return
            subscriber.reported = true
            log.error({ error: describeError(error) }, 'a subscriber has failed')
          },
        )
      }
    },
    clear: () => subscribers.clear(),
  }
}
