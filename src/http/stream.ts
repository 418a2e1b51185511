import { inBackground } from '../core/clock.ts'
import { callBack, describeError, type Log } from '../core/log.ts'
import { memoize } from '../core/once.ts'
import { Problem } from '../core/problem.ts'
import type { Showing } from '../showing/showing.ts'
import type { Snapshot } from '../showing/snapshot.ts'
import type { BarKind, Bars } from './bars.ts'

/** How many pages to notify in one turn of the event loop. Reads are answered between turns. */
const BATCH = 200
/** How often open streams are checked. At every third check, each stream gets an `alive` event. */
const SWEEP_MS = 5_000
const SWEEPS_PER_BEAT = 3
/** A stream is dropped when more than this many bytes are waiting to be sent. */
export const MAX_WAITING_BYTES = 1024 * 1024
/** A stream is also dropped once its bytes have waited this long. With checks every 5 s, that takes at most 30 s. */
const MAX_WAITING_MS = 24_000

/** The connection to one open page, for writing messages. */
export interface Sink {
  write(chunk: Uint8Array<ArrayBuffer>): void
  /** How many bytes are still waiting to be sent. */
  waiting(): number
  close(): void
}

/** What a page asks of a stream that carries bars: `?bar=de,fr&has=ID`, or `?page=de&has=ID`. */
export interface WantedBars {
  kind: BarKind
  /** For each language, the tags that suit it, best first (see `choicesFor`). */
  languages: readonly (readonly string[])[]
  /** The id of the bars that the page shows; empty if it shows none. */
  has: string
}

interface Page {
  sink: Sink
  address: string
  bars: WantedBars | undefined
  sent: string
  waitingSince: number | undefined
}

const utf8 = new TextEncoder()
const ALIVE = utf8.encode('event: alive\ndata: 1\n\n')
const defer = globalThis.setImmediate ?? ((work: () => void) => setTimeout(work, 0))

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
  const pages = new Set<Page>()
  /** The open pages of each client address, oldest first. */
  const held = new Map<string, Set<Page>>()
  let sweeper: ReturnType<typeof setInterval> | undefined
  /** The latest state, and its messages, each encoded once for all pages. */
  let latest: { snapshot: Snapshot; messages: Map<string, Uint8Array<ArrayBuffer>> } | undefined
  let sweeps = 0
  let closed = false

  /** Sends a page the latest state, unless it has that state. */
  function notify(page: Page) {
    if (!latest) return
    const { snapshot, messages } = latest
    const send = (key: string, text: () => string) =>
      write(
        page,
        memoize(messages, key, () => utf8.encode(`${text()}\n\n`)),
      )
    if (!barsOf || !page.bars) {
      const { etag, body } = snapshot
      if (page.sent === etag) return
      page.sent = etag
      // `data` is the body of `GET /api/events`, `id` its ETag.
      return send('', () => `id: ${etag}\ndata: ${new TextDecoder().decode(body)}`)
    }
    const { kind, languages, has } = page.bars
    const bars = barsOf(kind, snapshot)
    const { id } = bars
    if (page.sent === id) return
    const isFirst = page.sent === ''
    page.sent = id
    if (isFirst && has === id) {
      return send(`${kind} has`, () => `id: ${id}\ndata: ${JSON.stringify({ id })}`)
    }
    for (const bar of new Set(languages.map((choices) => bars.of(choices)))) {
      send(`${kind} ${bar.lang}`, () => `id: ${id}\ndata: ${bar.json}`)
    }
  }

  /**
   * Sends each page the latest state, even if it has changed since this round began. Otherwise, a page that opened
   * during the round would go back to the older state. Pages notified before the change get the new state in the next
   * round.
   */
  async function broadcast(snapshot: Snapshot) {
    latest = { snapshot, messages: new Map() }
    let count = 0
    for (const page of pages) {
      notify(page)
      if (++count % BATCH === 0) await new Promise<void>(defer)
    }
  }

  function sweep() {
    const beats = ++sweeps % SWEEPS_PER_BEAT === 0
    const now = monotonic()
    for (const page of pages) guard(page, () => check(page, now, beats))
  }

  function check(page: Page, now: number, beats: boolean) {
    const waiting = page.sink.waiting()
    if (waiting === 0) page.waitingSince = undefined
    else page.waitingSince ??= now
    const tooLong = page.waitingSince !== undefined && now - page.waitingSince >= MAX_WAITING_MS
    if (waiting > MAX_WAITING_BYTES || tooLong) {
      log.info({ waiting }, 'dropped a stream whose client had stopped reading')
      end(page)
    } else if (beats) write(page, ALIVE)
  }

  function write(page: Page, chunk: Uint8Array<ArrayBuffer>) {
    guard(page, () => page.sink.write(chunk))
  }

  /** If a page's sink fails, ends only that page's stream. */
  function guard(page: Page, work: () => unknown) {
    callBack(work, (error) => {
      if (!pages.has(page)) return
      log.warn({ error: describeError(error) }, 'dropped a stream that could not be written to')
      end(page)
    })
  }

  function end(page: Page) {
    leave(page)
    callBack(
      () => page.sink.close(),
      () => {},
    )
  }

  function leave(page: Page) {
    if (!pages.delete(page)) return
    if (pages.size === 0) clearInterval(sweeper)
    const own = held.get(page.address)
    own?.delete(page)
    if (own?.size === 0) held.delete(page.address)
  }

  /**
   * Finds the page to close so that this address can open one: the newest page of the address with the most pages, if
   * that address has over twice as many pages as this one. An address never loses its only page; otherwise, pages would
   * evict each other.
   */
  function givingWayTo(address: string): Page | undefined {
    let most: Set<Page> | undefined
    let least = Math.max(1, 2 * (held.get(address)?.size ?? 0))
    for (const own of held.values()) {
      if (own.size <= least) continue
      most = own
      least = own.size
    }
    return most && [...most].at(-1)
  }

  const isFull = () => pages.size >= maxStreams
  showing.subscribe(broadcast)

  return {
    /**
     * Sends a page the current state immediately and on every change, until the returned function is called.
     *
     * @param address the client address (contract A2), by which `open` chooses a page to evict. Default: unknown
     * @param bars the bars that the messages carry. Default: the messages carry the event
     * @throws Problem `unavailable` after `close`, and at the limit. At the limit, the response has `Connection: close`
     */
    open(sink: Sink, address = '', bars?: WantedBars): () => void {
      if (closed) throw Problem.unavailable('The service is stopping; try again')
      if (isFull()) {
        const page = givingWayTo(address)
        if (!page) throw Problem.full('Too many open streams; try again later')
        end(page)
      }
      const page: Page = { sink, address, bars, sent: '', waitingSince: undefined }
      if (pages.size === 0) sweeper = inBackground(setInterval(sweep, SWEEP_MS))
      pages.add(page)
      held.set(address, (held.get(address) ?? new Set()).add(page))
      notify(page)
      return () => leave(page)
    },
    /** Whether {@link open} would accept another page from this client address. */
    hasRoom: (address = ''): boolean =>
      !closed && (!isFull() || givingWayTo(address) !== undefined),
    get size(): number {
      return pages.size
    },
    max: maxStreams,
    close(): void {
      closed = true
      for (const page of pages) end(page)
    },
  }
}
