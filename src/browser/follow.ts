import { listen } from './listen.ts'

/**
 * The one follower of the stream: for the embedded elements, the page at `/`, `PlacardLive` and the admin.
 *
 * After a failure it waits for 0.5 to 1 s, then for twice as long each time, up to a minute. The chance in it keeps readers
 * from returning all at one moment. A browser by itself would try every few seconds, and each try is a line in its console.
 * Until the service has offered a stream, each wait is a minute, because it may have none (contract N2).
 */
const FIRST_WAIT = 500
/**
 * The longest wait, in ms. It is also how long a request may be without an answer, and an open stream silent: it says every
 * 15 s that it is there. Some proxies never answer, a connection may die without a word, and a browser would wait for ever.
 */
export const MINUTE = 60_000

/**
 * @param address of the stream; `''` for none
 * @param hear gets each message, and an empty id when there is no connection any more
 * @param seen called when the page has come back into view. Out of view, it holds no connection: a browser has six to a
 *   service without HTTP/2, for all tabs together
 * @returns what connects, while the page is in view, and what disconnects
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

  /** Opens it anew after a while. */
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
