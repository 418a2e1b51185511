import { listen } from './listen.ts'

/**
 * The one follower of the stream: for the embedded elements, the page at `/`, `PlacardLive` and the admin.
 *
 * After a failure it waits for 0.5 to 1 s, then for twice as long each time, up to a minute. The chance in it keeps readers
 * from returning all at one moment. A browser by itself would try every few seconds, and each try is a line in its console.
 * Until the service has offered a stream, each wait is a minute, because it may have none (contract N2).
 */
const FIRST_WAIT = 500
const LONGEST_WAIT = 60_000
/** How long a request may be without an answer. Some proxies never give one, and a browser would wait for ever. */
export const PATIENCE = 45_000

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
  let timer: ReturnType<typeof setTimeout> | 0 | undefined
  let wait = LONGEST_WAIT

  function close(again?: number) {
    clearTimeout(timer)
    timer = again && setTimeout(open, again)
    events?.close()
  }

  function open() {
    close(PATIENCE)
    events = new EventSource(address)
    events.onmessage = ({ lastEventId, data }) => {
      clearTimeout(timer)
      wait = FIRST_WAIT
      hear(lastEventId, data)
    }
    events.onerror = () => {
      close(Math.min(wait * (1 + Math.random()), LONGEST_WAIT))
      wait *= 2
      hear('')
    }
  }

  function hangUp() {
    close()
    events = undefined
    hear('')
  }

  listen(document, () => (document.hidden ? hangUp() : seen()), signal, 'visibilitychange')
  return [() => address && !document.hidden && !events && open(), hangUp]
}
