import { type Announcement, hasEnded, toWire, type WireBody } from './announcement.ts'
import type { Clock } from './clock.ts'
import { describeError, type Log } from './log.ts'
import type { Store } from './store/store.ts'

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

export interface Showing {
  /**
   * What is showing now. Cost: one look at the clock. Only while changes by others can't be heard it is a
   * promise, of a read from the database that starts after the call (contract R3).
   *
   * @throws Problem `unavailable` if the database can't be asked and never could
   */
  read(): Snapshot | Promise<Snapshot>

  /** Resolves when {@link read} shows all that was committed before the call. */
  refresh(): Promise<void>

  /** Calls back on every change, ends included, until the function that it returns is called. */
  subscribe(listener: (snapshot: Snapshot) => void): () => void

  close(): void
}

/** After a step of the clock or a sleep of the machine, subscribers learn of an end this late at most. */
const TICK_MS = 1_000

export function createShowing(store: Store, clock: Clock, log: Log): Showing {
  const listeners = new Set<(snapshot: Snapshot) => void>()
  /** One for each stored announcement, newest first, and "none" at the end. */
  let candidates: Snapshot[] = []
  let current: Snapshot | undefined
  let end = Number.POSITIVE_INFINITY
  /** Whether the store hears what others write, and whether memory holds all that was heard of. */
  let hearing = false
  let fresh = false
  let loading: Promise<void> | undefined
  let queued: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Picks the newest candidate that has not ended, and tells the listeners if it is another one. */
  function choose(stale: boolean): Snapshot {
    const now = clock.now()
    const chosen = candidates.find(({ event }) => event === null || !hasEnded(event, now))
    if (!chosen) throw new Error('choose() before anything was loaded')
    const before = current
    if (before?.etag !== chosen.etag || before.stale !== stale) {
      current = stale ? { ...chosen, stale } : chosen
      end = chosen.event?.expiresAt ?? Number.POSITIVE_INFINITY
      if (before?.etag !== chosen.etag) for (const listener of listeners) listener(current)
    }
    watchEnd()
    return current as Snapshot
  }

  /** One timer at most, and only while somebody listens: readers look at the clock themselves. */
  function watchEnd() {
    clearTimeout(timer)
    if (listeners.size === 0 || end === Number.POSITIVE_INFINITY) return
    const wait = Math.max(0, Math.min(end - clock.now(), TICK_MS))
    timer = setTimeout(() => choose(current?.stale ?? false), wait)
    if (typeof timer === 'object') timer.unref()
  }

  async function load(): Promise<void> {
    const heard = hearing
    try {
      const stored = await store.list()
      const known = new Map(candidates.map((candidate) => [candidate.etag, candidate]))
      candidates = [...stored, null].map((event) => {
        const finished = finish(event)
        return known.get(finished.etag) ?? finished
      })
      fresh = heard && hearing
      choose(false)
    } catch (error) {
      fresh = false
      throw error
    }
  }

  /** Callers share a load, but only one that starts after they called. */
  function refresh(): Promise<void> {
    if (!loading) {
      loading = load().finally(() => {
        loading = undefined
      })
      return loading
    }
    queued ??= loading
      .catch(() => {})
      .then(() => {
        queued = undefined
        return refresh()
      })
    return queued
  }

  async function readThrough(): Promise<Snapshot> {
    try {
      await refresh()
    } catch (error) {
      if (candidates.length === 0) throw error
      log.warn({ error: describeError(error) }, 'serving the last known announcement')
      return choose(true)
    }
    return choose(false)
  }

  const refreshLater = () => {
    refresh().catch((error) => log.warn({ error: describeError(error) }, 'could not refresh'))
  }
  store.watch({
    changed: refreshLater,
    hearing(yes) {
      hearing = yes
      fresh = false
      if (yes) refreshLater()
    },
  })

  return {
    read() {
      if (!fresh || !current) return readThrough()
      return clock.now() < end ? current : choose(false)
    },
    refresh,
    subscribe(listener) {
      listeners.add(listener)
      watchEnd()
      return () => {
        listeners.delete(listener)
        watchEnd()
      }
    },
    close() {
      clearTimeout(timer)
      listeners.clear()
    },
  }
}

function finish(event: Announcement | null): Snapshot {
  const wire: WireBody = { event: event && toWire(event) }
  const body = new TextEncoder().encode(JSON.stringify(wire))
  return { event, body, etag: `"${event?.id ?? 'none'}.${checksum(body)}"`, stale: false }
}

/**
 * FNV-1a. An id never stands for two contents, unless a row is edited by hand: this tells those apart too.
 * Web Crypto's digests would do it in another thread, which costs a write a third of its time.
 */
function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(36)
}
