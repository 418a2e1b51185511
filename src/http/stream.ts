import { inBackground } from '../core/clock.ts'
import { callBack, describeError, type Log, rootCause } from '../core/log.ts'
import { memoize } from '../core/once.ts'
import { Problem } from '../core/problem.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { BarKind, Bars } from './site.ts'

/** How many subscribers to notify in one turn of the event loop. Reads are answered between turns. */
const BATCH = 300
/** How often open streams are checked. At every third check, each stream gets an `alive` event. */
const SWEEP_MS = 5_000
const SWEEPS_PER_BEAT = 3
/** A stream is dropped when more than this many bytes are waiting to be sent. */
export const MAX_WAITING_BYTES = 1024 * 1024
/** A stream is also dropped once its bytes have waited this long. With checks every 5 s, that takes at most 30 s. */
const MAX_WAITING_MS = 24_000

/** The connection to one open page, for writing messages. */
export interface Sink {
  /** Sends a message, or queues it. If this throws, the stream is ended. */
  write(chunk: Uint8Array<ArrayBuffer>): void
  /** How many bytes are still waiting to be sent. */
  waiting(): number
  /** Ends the connection, even if bytes are still waiting. */
  close(): void
}

/** The bars that a page requests from a stream: `?bar=de,fr&has=ID`, or `?page=de&has=ID`. */
export interface WantedBars {
  /** Which of the two bars the page shows. */
  kind: BarKind
  /** For each language, the tags that suit it, best first (see `choicesFor`). */
  languages: readonly (readonly string[])[]
  /** The id of the bars that the page shows; empty if it shows none. */
  has: string
}

/** A client that follows the stream, usually an open page. */
interface Subscriber {
  sink: Sink
  address: string
  bars: WantedBars | undefined
  /** The id of the last message; empty before the first. */
  sent: string
  /** Since when bytes have been waiting to be sent, by the monotonic clock. */
  waitingSince: number | undefined
}

/** A state, and its messages, each encoded once for all subscribers. */
interface State {
  snapshot: Snapshot
  /** By what the message carries: a bar, only its id, or the event. */
  encoded: Map<string, Uint8Array<ArrayBuffer>>
  /** The messages for subscribers that want the same bars: one for each language. */
  lists: WeakMap<WantedBars, readonly Uint8Array<ArrayBuffer>[]>
}

const utf8 = new TextEncoder()
const encode = (id: string, data: string) => utf8.encode(`id: ${id}\ndata: ${data}\n\n`)
const ALIVE = utf8.encode('event: alive\ndata: 1\n\n')
const defer = globalThis.setImmediate ?? ((work: () => void) => setTimeout(work, 0))

/** The open streams of a service, for hosts that write to the connections themselves (contract R4). */
export type Streams = ReturnType<typeof createStreams>

/** Keeps open pages up to date through `GET /api/events/stream` (contract R4). */
export function createStreams(options: {
  showing: Showing
  maxStreams: number
  monotonic: () => number
  log: Log
  /** Returns the bars that messages carry. Without this function, a page that asks for bars gets the event. */
  barsOf?: ((kind: BarKind, snapshot: Snapshot) => Bars) | undefined
}) {
  const { showing, maxStreams, monotonic, log, barsOf } = options
  const subscribers = new Set<Subscriber>()
  /** The subscribers of each client address, oldest first. */
  const byAddress = new Map<string, Set<Subscriber>>()
  let sweeper: ReturnType<typeof setInterval> | undefined
  let latest: State | undefined
  /** Why streams were dropped since the last change. Each cause is logged once, because it may affect every stream. */
  const causes = new Set<string>()
  let sweeps = 0
  let closed = false

  /** Sends a subscriber the latest state, unless it has that state. */
  function notify(subscriber: Subscriber) {
    guard(subscriber, () => send(subscriber))
  }

  function send(subscriber: Subscriber) {
    if (!latest) return
    const { snapshot, encoded, lists } = latest
    const { bars: wanted, sent } = subscriber
    if (!barsOf || !wanted) {
      const { etag, body } = snapshot
      if (sent === etag) return
      subscriber.sent = etag
      // `data` is the body of `GET /api/events`, `id` its ETag.
      const event = () => encode(etag, new TextDecoder().decode(body))
      return write(subscriber, memoize(encoded, '', event))
    }
    const { kind, has } = wanted
    const bars = barsOf(kind, snapshot)
    const { id } = bars
    if (sent === id) return
    subscriber.sent = id
    if (sent === '' && has === id) {
      const onlyId = () => encode(id, JSON.stringify({ id }))
      return write(subscriber, memoize(encoded, kind, onlyId))
    }
    const list = memoize(lists, wanted, () => {
      const all = new Set(wanted.languages.map((choices) => bars.of(choices)))
      return Array.from(all, ({ lang, json }) =>
        memoize(encoded, `${kind} ${lang}`, () => encode(id, json)),
      )
    })
    for (const chunk of list) write(subscriber, chunk)
  }

  /**
   * Sends each subscriber the latest state, even if it has changed since this round began. Otherwise, a page that
   * opened during the round would go back to the older state. Subscribers notified before the change get the new state
   * in the next round.
   */
  async function broadcast(snapshot: Snapshot) {
    latest = { snapshot, encoded: new Map(), lists: new WeakMap() }
    causes.clear()
    let count = 0
    for (const subscriber of subscribers) {
      notify(subscriber)
      if (++count % BATCH === 0) await new Promise<void>(defer)
    }
  }

  function sweep() {
    const beats = ++sweeps % SWEEPS_PER_BEAT === 0
    const now = monotonic()
    for (const subscriber of subscribers) guard(subscriber, () => check(subscriber, now, beats))
  }

  function check(subscriber: Subscriber, now: number, beats: boolean) {
    const waiting = subscriber.sink.waiting()
    if (waiting === 0) subscriber.waitingSince = undefined
    else subscriber.waitingSince ??= now
    const { waitingSince } = subscriber
    const tooLong = waitingSince !== undefined && now - waitingSince >= MAX_WAITING_MS
    if (waiting > MAX_WAITING_BYTES || tooLong) {
      log.info({ waiting }, 'dropped a stream whose client had stopped reading')
      end(subscriber)
    } else if (beats) write(subscriber, ALIVE)
  }

  function write(subscriber: Subscriber, chunk: Uint8Array<ArrayBuffer>) {
    guard(subscriber, () => subscriber.sink.write(chunk))
  }

  /** If a subscriber's sink or its bars fail, ends only that subscriber's stream. */
  function guard(subscriber: Subscriber, work: () => unknown) {
    callBack(work, (error) => {
      if (!subscribers.has(subscriber)) return
      end(subscriber)
      const cause = rootCause(error)
      if (causes.has(cause)) return
      causes.add(cause)
      log.warn({ error: describeError(error) }, 'dropped streams that could not be sent a message')
    })
  }

  function end(subscriber: Subscriber) {
    leave(subscriber)
    callBack(
      () => subscriber.sink.close(),
      () => {},
    )
  }

  function leave(subscriber: Subscriber) {
    if (!subscribers.delete(subscriber)) return
    if (subscribers.size === 0) clearInterval(sweeper)
    const own = byAddress.get(subscriber.address)
    own?.delete(subscriber)
    if (own?.size === 0) byAddress.delete(subscriber.address)
  }

  /**
   * Finds the stream to end so that this address can open one: the newest stream of the address with the most streams,
   * if that address has over twice as many as this one (contract R4). An address never loses its only stream; otherwise,
   * pages would evict each other.
   */
  function evictedBy(address: string): Subscriber | undefined {
    let most: Set<Subscriber> | undefined
    let least = Math.max(1, 2 * (byAddress.get(address)?.size ?? 0))
    for (const own of byAddress.values()) {
      if (own.size <= least) continue
      most = own
      least = own.size
    }
    return most && [...most].at(-1)
  }

  const isFull = () => subscribers.size >= maxStreams
  showing.subscribe(broadcast)

  return {
    /**
     * Sends a subscriber the current state immediately and on every change, until the returned function is called.
     *
     * @param address the client address (contract A2), by which `open` chooses a stream to evict. Default: unknown
     * @param bars the bars that the messages carry. Default: the messages carry the event
     * @throws Problem `unavailable` after `close`, and at the limit. At the limit, the response has `Connection: close`
     */
    open(sink: Sink, address = '', bars?: WantedBars): () => void {
      if (closed) throw Problem.unavailable('The service is stopping; try again')
      if (isFull()) {
        const evicted = evictedBy(address)
        if (!evicted) throw Problem.full('Too many open streams; try again later')
        end(evicted)
      }
      const subscriber: Subscriber = { sink, address, bars, sent: '', waitingSince: undefined }
      if (subscribers.size === 0) sweeper = inBackground(setInterval(sweep, SWEEP_MS))
      subscribers.add(subscriber)
      byAddress.set(address, (byAddress.get(address) ?? new Set()).add(subscriber))
      notify(subscriber)
      return () => leave(subscriber)
    },
    /** Whether {@link open} would accept another stream from this client address. */
    hasRoom: (address = ''): boolean => !closed && (!isFull() || evictedBy(address) !== undefined),
    /** How many streams are open. */
    get size(): number {
      return subscribers.size
    },
    /** How many streams may be open. */
    max: maxStreams,
    /** Ends all streams, and rejects new ones. */
    close(): void {
      closed = true
      for (const subscriber of subscribers) end(subscriber)
    },
  }
}
