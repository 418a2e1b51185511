import type { Snapshot } from '../showing/snapshot.ts'
import { CACHE_HEADERS, createResource, type Resource } from './answer.ts'

export const EVENTS_PATH = '/api/events'

const resources = new WeakMap<Snapshot, Resource>()

/** The document of `GET /api/events` (contract R1 to R3). Cost: one look-up. */
export function eventResource(snapshot: Snapshot): Resource {
  let resource = resources.get(snapshot)
  if (!resource) {
    resource = createResource(snapshot.body, snapshot.etag, {
      'Content-Type': 'application/json',
      'X-Content-Type-Options': 'nosniff',
      ...CACHE_HEADERS,
      'Access-Control-Allow-Origin': '*',
      ...staleness(snapshot),
    })
    resources.set(snapshot, resource)
  }
  return resource
}

/** The header of an answer that may be out of date, because the database can't be reached (contract R3). */
export function staleness({ stale }: Snapshot): Record<string, string> {
  return stale ? { 'Placard-Stale': '1' } : {}
}
