import { CACHE_TAG } from '../core/cache-tag.ts'
import type { Snapshot } from '../showing/snapshot.ts'

/** With these headers, caches revalidate before each use, and shared caches can be purged by tag (contract R2, W7). */
export const CACHE_HEADERS = {
  'Cache-Control': 'no-cache',
  'Cache-Tag': CACHE_TAG,
  'Surrogate-Key': CACHE_TAG,
  'Cache-Groups': `"${CACHE_TAG}"`,
} as const

export const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** Returns the header that marks a response as possibly stale, while the database is unreachable (contract R3). */
export function staleness({ stale }: Pick<Snapshot, 'stale'>): Record<string, string> {
  return stale ? { 'Placard-Stale': '1' } : {}
}

/** A Content-Security-Policy for pages that load nothing from other origins, and have no inline code. */
export const pagePolicy = (formAction: "'self'" | "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')

/** A response in JSON that no cache stores. */
export const uncached = (body: object): Response => Response.json(body, { headers: NO_STORE })
