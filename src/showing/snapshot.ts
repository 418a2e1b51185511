import { type Announcement, hasEnded, toWire, type WireBody } from '../announcement.ts'
import { checksum } from '../checksum.ts'

/**
 * What is showing, finished: a reader has only to write it out.
 * The same object is given until something changes, so that it can be the key of a cache.
 */
export interface Snapshot {
  readonly event: Announcement | null
  /** The body of `GET /api/events`, in UTF-8. */
  readonly body: Uint8Array<ArrayBuffer>
  /** Strong, of the body, quotes included. */
  readonly etag: string
  /** The database can't be reached and this is the last known answer (contract R3). */
  readonly stale: boolean
}

/** What may come to show: one for each stored announcement, newest first, and "none" at the end. */
export type Candidates = readonly [...Snapshot[], Snapshot]

/** @param known what was finished before: the same content stays the same object */
export function finish(stored: readonly Announcement[], known: readonly Snapshot[]): Candidates {
  const finished = (event: Announcement | null) => {
    const snapshot = finishOne(event)
    return known.find(({ etag }) => etag === snapshot.etag) ?? snapshot
  }
  return [...stored.map(finished), finished(null)]
}

function finishOne(event: Announcement | null): Snapshot {
  const wire: WireBody = { event: event && toWire(event) }
  const text = JSON.stringify(wire)
  // An id never stands for two contents, unless a row is edited by hand: the checksum tells those apart too.
  const etag = `"${event?.id ?? 'none'}.${checksum(text)}"`
  return { event, body: new TextEncoder().encode(text), etag, stale: false }
}

/** What shows at an instant. */
export interface Choice {
  /** The newest candidate that has not ended. */
  readonly snapshot: Snapshot
  /** When to choose again, because one of those that are left ends: milliseconds since 1970, or infinity. */
  readonly until: number
  /** The tags of the candidates that have ended. */
  readonly ended: ReadonlySet<string>
}

/**
 * What has ended stays ended, also when the clock steps back. That is remembered of each announcement, not as the
 * latest time seen: after a second with a clock that is a year ahead, nothing could be published that ends within the
 * year.
 *
 * @param before the choice before this one
 */
export function pick(candidates: Candidates, now: number, before?: Choice): Choice {
  const over = ({ event, etag }: Snapshot) =>
    event !== null && (before?.ended.has(etag) || hasEnded(event, now))
  const left = candidates.filter((candidate) => !over(candidate))
  return {
    // "None" never ends.
    snapshot: left[0] as Snapshot,
    until: Math.min(...left.map(({ event }) => event?.expiresAt ?? Number.POSITIVE_INFINITY)),
    ended: new Set(candidates.filter(over).map(({ etag }) => etag)),
  }
}
