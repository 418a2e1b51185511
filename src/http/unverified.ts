import { Problem } from '../core/problem.ts'

/** Bodies are counted in blocks of this size. A body's first block also covers its connection and its request. */
const BLOCK = 16 * 1024
/** The limit for all bodies together: 2 MiB, or 128 small bodies. */
const MAX_BLOCKS = 128
/** A body that takes longer than this to arrive is considered slow. An honest sender needs less time. */
const SLOW_MS = 1_000
/** Added to the rank of a slow body, so that slow bodies are dropped first. No address can hold this many blocks. */
const SLOW_RANK = 1e9

/** A body that is being read, so its signature can't be checked yet. */
export interface UnverifiedBody {
  grow(bytes: number): void
  /** Releases the body's share of the limit, once the body is verified or rejected. */
  leave(): void
}

interface PendingBody {
  address: string
  since: number
  bytes: number
  drop: (why: Problem) => void
}

/**
 * Limits the memory of bodies whose signature can't be checked until they are complete (contract W1). Over the limit,
 * the oldest body of the address with the most bytes is dropped, but slow bodies are dropped first. So senders that
 * never finish can't keep out a sender that does.
 *
 * Each chunk costs one pass over the pending bodies (at most 129), and dropping a body costs a few passes.
 */
export function createUnverifiedBodies(monotonic: () => number) {
  /** The pending bodies, oldest first. */
  const bodies = new Set<PendingBody>()

  const blocks = () => [...bodies].reduce((sum, { bytes }) => sum + blocksOf(bytes), 0)

  function makeRoom() {
    while (blocks() > MAX_BLOCKS) {
      const body = leastWorthy()
      bodies.delete(body)
      body.drop(Problem.full('Too many notifications at once; try again'))
    }
  }

  function leastWorthy(): PendingBody {
    const heldBy = new Map<string, number>()
    for (const { address, bytes } of bodies) {
      heldBy.set(address, (heldBy.get(address) ?? 0) + blocksOf(bytes))
    }
    const now = monotonic()
    const rank = ({ address, since }: PendingBody) =>
      (now - since >= SLOW_MS ? SLOW_RANK : 0) + (heldBy.get(address) ?? 0)
    return [...bodies].reduce((most, one) => (rank(one) > rank(most) ? one : most))
  }

  return {
    /** Takes a callback instead of an `AbortSignal`, which uses more memory than the request of a small body. */
    enter(address: string, drop: PendingBody['drop']): UnverifiedBody {
      const body = { address, since: monotonic(), bytes: 0, drop }
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
