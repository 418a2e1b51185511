import type { Clock } from '../core/clock.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { Resource } from './resource.ts'

/** Adds headers that let a shared cache use a document for a while without revalidation (contract R13). */
export type Share = ReturnType<typeof createShare>

/**
 * The `max-age` for shared caches never runs past the announcement's end. A scheduled start doesn't shorten the
 * lifetime, because that would reveal the schedule; instead, the service purges the cache when the announcement starts.
 *
 * @param maxAge the longest lifetime, in seconds; with 0, shared caches revalidate each time
 * @param settled whether memory has every change that this node knows of. If not, a response must not be shared
 */
export function createShare(maxAge: number, settled: () => boolean, { now }: Clock) {
  /** Documents with headers added. Each is reused until the announcement's end requires a shorter `max-age`. */
  const marked = new WeakMap<Resource, { seconds: number; resource: Resource }>()
  return (resource: Resource, { event, stale }: Snapshot): Resource => {
    if (maxAge === 0 || stale || !settled()) return resource
    const end = event?.expiresAt ?? Number.POSITIVE_INFINITY
    const seconds = Math.min(maxAge, Math.floor((end - now()) / 1000))
    if (seconds < 1) return resource
    const before = marked.get(resource)
    if (before?.seconds === seconds) return before.resource
    // Browsers ignore `CDN-Cache-Control` and `Surrogate-Control`, and revalidate, as `Cache-Control` asks (RFC 9213).
    const lifetime = `max-age=${seconds}`
    const extended = resource.with({
      'CDN-Cache-Control': lifetime,
      'Surrogate-Control': lifetime,
    })
    marked.set(resource, { seconds, resource: extended })
    return extended
  }
}
