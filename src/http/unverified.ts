import { Problem } from '../problem.ts'

/** Bodies are counted in blocks: beside its bytes, one takes about as much for its connection and its request. */
const BLOCK = 16 * 1024
/** All of them together: 2 MiB, or 128 small ones at a time. */
const MAX_BLOCKS = 128
/** An honest sender is through by then. */
const SLOW_MS = 1_000

/** A body that is being read, and whose signature could not be checked yet. */
export interface UnverifiedBody {
  /** So many bytes more of it are held. */
  grow(bytes: number): void
  /** Aborted, with the Problem to answer, when others need its room more. */
  readonly signal: AbortSignal
  /** It is verified, or refused. */
  leave(): void
}

interface Held {
  address: string
  since: number
  bytes: number
  abort: AbortController
}

/**
 * Room for bodies whose sender can't be known before they have come in whole. When there is too little, a slow one goes;
 * of the slow ones, or else of all, one of the address that holds most; of those, the oldest. So strangers who begin
 * and don't end can't keep out a sender who does.
 *
 * Cost over the limit: one pass over 128 bodies at most for each that goes.
 */
export function createUnverified(monotonic: () => number): {
  enter(address: string): UnverifiedBody
} {
  /** Oldest first. */
  const bodies = new Set<Held>()
  let blocks = 0

  function makeRoom() {
    while (blocks > MAX_BLOCKS) {
      const body = leastWorthy()
      leave(body)
      body.abort.abort(Problem.full('Too many notifications at once; try again'))
    }
  }

  function leastWorthy(): Held {
    const heldBy = new Map<string, number>()
    for (const { address, bytes } of bodies) {
      heldBy.set(address, (heldBy.get(address) ?? 0) + blocksOf(bytes))
    }
    const all = [...bodies]
    const now = monotonic()
    const slow = all.filter(({ since }) => now - since >= SLOW_MS)
    const greed = ({ address }: Held) => heldBy.get(address) ?? 0
    return (slow.length > 0 ? slow : all).reduce((most, one) =>
      greed(one) > greed(most) ? one : most,
    )
  }

  function leave(body: Held) {
    if (bodies.delete(body)) blocks -= blocksOf(body.bytes)
  }

  return {
    enter(address) {
      const body = { address, since: monotonic(), bytes: 0, abort: new AbortController() }
      bodies.add(body)
      blocks += blocksOf(0)
      makeRoom()
      return {
        grow(bytes) {
          if (!bodies.has(body)) return
          blocks += blocksOf(body.bytes + bytes) - blocksOf(body.bytes)
          body.bytes += bytes
          makeRoom()
        },
        signal: body.abort.signal,
        leave: () => leave(body),
      }
    },
  }
}

function blocksOf(bytes: number): number {
  return 1 + Math.floor(bytes / BLOCK)
}
