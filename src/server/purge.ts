import { CACHE_TAG } from '../core/cache-tag.ts'
import { later, systemClock } from '../core/clock.ts'
import { describeError, type Log } from '../core/log.ts'
import type { PurgeTarget } from '../local/purge-target.ts'
import type { Placard } from '../placard.ts'

/** How long the cache in front of the service may keep an unpurged response, in seconds (contract R13). */
export const SHARED_MAX_AGE_S = 60
/** A cache may store a response that was on its way during the purge, so the cache is purged again after this time. */
const AGAIN_MS = 2_000
/** How long the cache may take to respond to a purge. */
const TIMEOUT_MS = 5_000

export type Purger = ReturnType<typeof createPurger>

/**
 * Purges the cache in front of the service twice, 2 s apart. Failed purges are retried until the cache's copies have
 * expired. The log reports when purges begin to fail, and when they work again.
 */
export function createPurger(
  target: PurgeTarget,
  log: Log,
  { fetch = globalThis.fetch, clock = systemClock, timeoutMs = TIMEOUT_MS } = {},
) {
  let running: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined
  /** Whether a purge was requested since the last one began. */
  let asked = false
  /** The monotonic time by which all outdated copies in the cache have expired. */
  let keptUntil = 0
  let cancel = () => {}
  let closed = false

  function enqueue(): Promise<void> {
    queued ??= running = next(running)
    return queued
  }

  async function next(before: Promise<void>): Promise<void> {
    await before.catch(() => {})
    // A write and the subscription in `follow` each request a purge for the same change. After this wait, one purge
    // serves both.
    await new Promise(setImmediate)
    queued = undefined
    const isRepeat = !asked
    asked = false
    try {
      await send(fetch, target, timeoutMs)
    } catch (error) {
      if (!purger.failure) {
        log.error({ error: describeError(error) }, 'could not purge the cache')
      }
      purger.failure = (error as Error).message
      purger.failures++
      if (clock.monotonic() < keptUntil) again()
      throw error
    }
    if (purger.failure) log.info({}, 'purged the cache after earlier failures')
    purger.failure = undefined
    if (!isRepeat) again()
  }

  function again() {
    cancel()
    if (!closed) cancel = later(clock, AGAIN_MS, () => enqueue().catch(() => {}))
  }

  const purger = {
    /** The reason why the last purge failed, if it did. The text contains no secret. */
    failure: undefined as string | undefined,
    failures: 0,
    /** Resolves when the cache has dropped all responses with our tag. Until a purge starts, all calls share it. */
    purge() {
      asked = true
      keptUntil = clock.monotonic() + SHARED_MAX_AGE_S * 1000
      return enqueue()
    },
    /**
     * Purges on changes by other nodes too, because the cache may have fetched a response from a node that hadn't read
     * the change. Also purges at once, because a previous process may have ended between a write and its purge.
     */
    follow(placard: Pick<Placard, 'subscribe'>) {
      // Ignores the rejection, because `next` logs failures and retries failed purges.
      const purge = () => void purger.purge().catch(() => {})
      placard.subscribe(purge)
      purge()
    },
    close() {
      closed = true
      cancel()
    },
  }
  return purger
}

async function send(fetch: typeof globalThis.fetch, target: PurgeTarget, timeoutMs: number) {
  const [url, request] = requestFor(target)
  const { host } = new URL(url)
  let answer: Response
  let text: string
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    answer = await fetch(url, { ...request, redirect: 'manual', signal })
    text = await answer.text()
  } catch (cause) {
    throw new Error(`PURGE: ${host} does not answer`, { cause })
  }
  const { ok, status } = answer
  // Cloudflare can respond with 200 and report the failure only in the body.
  if (ok && !(target.kind === 'cloudflare' && !/"success":\s*true/.test(text))) return
  const refused = ok || status === 401 || status === 403
  throw new Error(`PURGE: ${host} answered ${status}${refused ? '. Is PURGE_TOKEN right?' : ''}`)
}

function requestFor({ kind, place, token }: PurgeTarget): [url: string, RequestInit] {
  const bearer: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` }
  if (kind === 'varnish') {
    return [place, { method: 'PURGE', headers: { ...bearer, 'Surrogate-Key': CACHE_TAG } }]
  }
  if (kind === 'fastly') {
    const url = `https://api.fastly.com/service/${place}/purge/${CACHE_TAG}`
    return [url, { method: 'POST', headers: { 'Fastly-Key': token ?? '' } }]
  }
  const zone = `https://api.cloudflare.com/client/v4/zones/${place}/purge_cache`
  const headers = { ...bearer, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ tags: [CACHE_TAG] })
  return [kind === 'cloudflare' ? zone : place, { method: 'POST', headers, body }]
}
