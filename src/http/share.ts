import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import { extendResource, type Resource, toResponse } from './answer.ts'

/** Marks a document with how long a shared cache may keep it (contract R13). Cost: one look at the clock. */
export type Share = (resource: Resource, snapshot: Snapshot) => Resource

/** Nothing may be kept. */
export const unshared: Share = (resource) => resource

export interface ShareOptions {
  /** How long a shared cache may keep a document, in seconds; 0: not at all. */
  maxAge: number
  settled(): boolean
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * A document may be kept until its announcement ends at most. Starts play no part, because the lifetime would reveal
 * them: the cache is purged at a start.
 */
export function createShare({ maxAge, settled, now }: ShareOptions): Share {
  if (maxAge === 0) return unshared
  /** The lifetime changes at most once a second, and only before an end. */
  const marked = new WeakMap<Resource, { seconds: number; resource: Resource }>()
  return (resource, { event, stale }) => {
    if (stale || !settled()) return resource
    const end = event?.expiresAt ?? Number.POSITIVE_INFINITY
    const seconds = Math.min(maxAge, Math.floor((end - now()) / 1000))
    if (seconds < 1) return resource
    const before = marked.get(resource)
    if (before?.seconds === seconds) return before.resource
    const one = { seconds, resource: extendResource(resource, lifetime(seconds)) }
    marked.set(resource, one)
    return one.resource
  }
}

/** Browsers ignore these, and revalidate because of `Cache-Control` (RFC 9213). */
function lifetime(seconds: number): Record<string, string> {
  const maxAge = `max-age=${seconds}`
  return { 'CDN-Cache-Control': maxAge, 'Surrogate-Control': maxAge }
}

/** Answers with a document of what shows now (spec 4.2, contract R1 to R3, R13). */
export async function show(
  { showing, share }: { showing: Pick<Showing, 'read'>; share: Share },
  request: Request,
  resourceOf: (snapshot: Snapshot) => Resource,
): Promise<Response> {
  const snapshot = await showing.read()
  return toResponse(share(resourceOf(snapshot), snapshot), request)
}
