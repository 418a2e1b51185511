import type { Snapshot } from '../showing.ts'

/** What to write for a read: decided here once, for every writer there is (contract R1 to R3). */
export interface ReadAnswer {
  status: 200 | 304
  headers: Readonly<Record<string, string>>
  /** `null` with 304. */
  body: Uint8Array<ArrayBuffer> | null
}

const prepared = new WeakMap<Snapshot, { full: ReadAnswer; unchanged: ReadAnswer }>()

/**
 * The answer to `GET /api/events`. Cost: one look-up and, if the client names a tag, one comparison.
 *
 * @param ifNoneMatch the header's value, or `null`
 */
export function answerRead(snapshot: Snapshot, ifNoneMatch: string | null): ReadAnswer {
  let answers = prepared.get(snapshot)
  if (!answers) {
    const shared = {
      ETag: snapshot.etag,
      'Cache-Control': 'no-cache',
      'Cache-Tag': 'event',
      'Surrogate-Key': 'event',
      'Cache-Groups': '"event"',
      'Access-Control-Allow-Origin': '*',
      ...(snapshot.stale && { 'Placard-Stale': '1' }),
    }
    const { body } = snapshot
    answers = {
      full: {
        status: 200,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': String(body.byteLength),
          'X-Content-Type-Options': 'nosniff',
          ...shared,
        },
        body,
      },
      unchanged: { status: 304, headers: shared, body: null },
    }
    prepared.set(snapshot, answers)
  }
  return matches(ifNoneMatch, snapshot.etag) ? answers.unchanged : answers.full
}

/** Compares weakly, as RFC 9110 asks for If-None-Match: proxies turn strong tags into weak ones. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
