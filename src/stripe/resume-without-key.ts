import type { Commands } from '../commands.ts'
import type { Board } from '../core/board.ts'
import { describeError, type Log } from '../core/log.ts'

/**
 * Creates a function that resumes a paused offer, for a service whose Stripe key was removed: without a key, no answer
 * from Stripe would ever resume the offer (contract T3). Call the function with each board that is loaded. If resuming
 * fails, the next call tries again.
 */
export function resumeWithoutKey({ resumeOffer }: Pick<Commands, 'resumeOffer'>, log: Log) {
  let isResumed = false
  return ({ paused }: Board) => {
    if (!paused || isResumed) return
    isResumed = true
    resumeOffer().catch((error) => {
      isResumed = false
      log.warn({ error: describeError(error) }, 'could not resume a paused offer')
    })
  }
}
