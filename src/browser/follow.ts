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
export const MINUTE = 60_000

/**
 * @param address the address of the stream; `''` for none
 * @param hear called with each message, and with an empty id when the connection is lost or closed
 * @param seen called when the page returns to view. A hidden page holds no connection, because without HTTP/2, a
 *   browser opens only six connections to a service, shared by all tabs
 * @returns a function that connects if the page is in view, and one that disconnects
 */
export function follow(
  address: string,
  hear: (id: string, data?: string) => unknown,
  seen: () => unknown,
  signal?: AbortSignal,
): [listen: () => unknown, hangUp: () => void] {
  let events: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = MINUTE

  function plan(again: number) {
    clearTimeout(timer)
    timer = setTimeout(open, again)
  }

  const isAlive = () => plan(MINUTE)

  function open() {
    events?.close()
    events = new EventSource(address)
    isAlive()
    listen(events, isAlive, signal, 'alive')
    events.onmessage = (message) => {
      isAlive()
      wait = FIRST_WAIT
      hear(message.lastEventId, message.data)
    }
    events.onerror = () => {
      events?.close()
      plan(Math.min(wait + wait * Math.random(), MINUTE))
      wait *= 2
      hear('')
    }
  }

  function hangUp() {
    events = events?.close() as undefined
    clearTimeout(timer)
    hear('')
  }

  listen(document, () => (document.hidden ? hangUp() : seen()), signal, 'visibilitychange')
  return [() => address && !document.hidden && !events && open(), hangUp]
}
