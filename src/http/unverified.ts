import { Problem } from '../core/problem.ts'

/** Bodies are counted in blocks of this size. A body's first block also covers its connection and its request. */
const BLOCK = 16 * 1024
/** The limit for all bodies together: 2 MiB, or 128 small bodies. */
const MAX_BLOCKS = 128
/** A body that is being read, so its signature can't be checked yet. */
export interface UnverifiedBody {
  grow(bytes: number): void
  /** Releases the body's share of the limit, once the body is verified or rejected. */
  leave(): void
}

interface PendingBody {
  bytes: number
  drop: (why: Problem) => void
}

/**
 * Limits the memory of bodies whose signature can't be checked until they are complete (contract W1). Over the limit,
 * the oldest body is dropped. So senders that never finish can't keep out a sender that does.
 *
 * Each chunk costs one pass over the pending bodies (at most 129).
 */
export function createUnverifiedBodies() {
  /** The pending bodies, oldest first. */
  const bodies = new Set<PendingBody>()

  const blocks = () => [...bodies].reduce((sum, { bytes }) => sum + blocksOf(bytes), 0)

  function makeRoom() {
    while (blocks() > MAX_BLOCKS) {
      const [oldest] = bodies
      if (!oldest) return
      bodies.delete(oldest)
      oldest.drop(Problem.full('Too many notifications at once; try again'))
    }
  }

  return {
    /** Accepts a callback, because an `AbortSignal` uses more memory than the request of a small body. */
    enter(drop: PendingBody['drop']): UnverifiedBody {
      const body = { bytes: 0, drop }
      bodies.add(body)
      makeRoom()
      return {
        grow(bytes) {
          body.bytes += bytes
          makeRoom()
        },
        leave: () => void bodies.delete(body),
      }
    },
  }
}

function blocksOf(bytes: number): number {
  return 1 + Math.floor(bytes / BLOCK)
}
