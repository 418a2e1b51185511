import { listen } from './listen.ts'

/**
 * The stream's client, for the embedded elements, the page at `/` and `PlacardLive`.
 *
 * After a failure, the client waits for 0.5 to 1 s, then twice as long each time, up to a minute. The random part keeps
 * clients from reconnecting all at once. `EventSource` itself would retry every few seconds, and log each failure.
 * Until a stream's first message, each wait is a minute, because there may be no stream (contract N2).
 */
const FIRST_WAIT = 500
/**
 * The longest wait, in ms. It is also the timeout of a request and of a silent stream; streams send `alive` every 15 s.
 * Without a timeout, a browser would wait forever if a proxy never answered or a connection died unnoticed.
 */
const MINUTE = 60_000
/** A stream sends its first message at once. If none arrives in this time, a proxy may be holding it back. */
const SILENCE = 3_000

/**
 * @param address returns the address of the stream each time that it is opened
 * @param hear called with each message, and without one when the connection is lost, closed or silent from the start
 * @param seen called when the page returns to view. A hidden page holds no connection, because without HTTP/2, a
 *   browser opens only six connections to a service, shared by all tabs
 * @returns a function that connects if the page is in view, and one that disconnects
 */
export function follow(
  address: () => string,
  hear: (message?: Message) => unknown,
  seen: () => unknown,
  signal?: AbortSignal,
): [listen: () => unknown, hangUp: () => void] {
  let close: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = MINUTE

  /** Schedules the next step, and cancels the one scheduled before. */
  function plan(pause: number, next = open) {
    clearTimeout(timer)
    timer = setTimeout(next, pause)
  }

  function open() {
    close?.()
    close = connect(address(), (event) => {
      if (event.type === 'error') {
        close?.()
        plan(Math.min(wait + wait * Math.random(), MINUTE))
        wait *= 2
        hear()
        return
      }
      plan(MINUTE)
      if (event.type === 'alive') return
      wait = FIRST_WAIT
      hear(event)
    })
    plan(SILENCE, () => {
      plan(MINUTE - SILENCE)
      hear()
    })
  }

  function hangUp() {
    clearTimeout(timer)
    close = close?.() as undefined
    hear()
  }

  listen(document, () => (document.hidden ? hangUp() : seen()), signal, 'visibilitychange')
  return [() => !document.hidden && !close && open(), hangUp]
}

/**
 * Opens a stream, past the site's service worker if there is one. A service worker that copies responses into its cache
 * doesn't notice that the page has closed the stream, so the stream would stay open, and a browser opens only six. No
 * service worker sees the requests of a worker with a `data:` address. If the site's policy forbids that worker, the
 * page opens the stream itself. So does a page that a service worker is about to take over; that service worker may
 * then get the request.
 *
 * @returns a function that closes the stream
 */
function connect(address: string, look: (event: Message) => void): () => void {
  try {
    // Throws on a sandboxed page, and over plain HTTP. The worker has no origin, so it fails with a relative address.
    if (navigator.serviceWorker.controller) {
      // The code and the address have no character that has to be escaped in an address.
      const worker = new Worker(`data:text/javascript,(${relay})("${address}",postMessage)`)
      let close = () => {
        worker.onerror = null
        worker.terminate()
      }
      worker.onmessage = ({ data }) => look(data)
      worker.onerror = () => {
        close = relay(address, look)
      }
      return () => close()
    }
  } catch {
    // The site's policy may forbid the worker.
  }
  return relay(address, look)
}

/** A message of the stream. */
export type Message = Pick<MessageEvent, 'type' | 'data' | 'lastEventId'>

/**
 * Opens a stream and passes on its events. The function's source also runs in a worker, so it must not refer to
 * anything outside itself.
 *
 * @returns a function that closes the stream
 */
function relay(address: string, look: (event: Message) => void): () => void {
  const events = new EventSource(address)
  const pass = ({ type, data, lastEventId }: Message) => look({ type, data, lastEventId })
  events.onmessage = events.onerror = pass as () => void
  events.addEventListener('alive', pass as never)
  return () => events.close()
}
