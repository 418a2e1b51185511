import { listen } from './listen.ts'

/**
 * The stream's client, for the embedded elements, the page at `/`, `PlacardLive` and the admin.
 *
 * After a failure it waits for 0.5 to 1 s, then twice as long each time, up to a minute. The random part keeps readers
 * from reconnecting all at once. On its own, a browser would retry every few seconds, and each failed attempt is a line
 * in its console. Until a stream's first message, each wait is a minute: there may be no stream (contract N2).
 */
const FIRST_WAIT = 500
/**
 * The longest wait, in ms. It is also the timeout of a request, and of an open stream, which sends `alive` every 15 s.
 * Some proxies never answer, a connection may die unnoticed, and a browser would wait forever.
 */
export const MINUTE = 60_000

/**
 * @param address of the stream; `''` for none
 * @param hear gets each message, and an empty id when the connection is lost or closed
 * @param seen called when the page returns to view. Out of view, it holds no connection, because without HTTP/2 a
 *   browser opens only six to a service, for all tabs together
 * @returns functions that connect, while the page is in view, and disconnect
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
    events.onmessage = ({ lastEventId, data }) => {
      isAlive()
      wait = FIRST_WAIT
      hear(lastEventId, data)
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
