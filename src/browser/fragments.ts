import { follow, MINUTE } from './follow.ts'

/**
 * Keeps what is showing current, for the embedded elements and the page at `/`.
 *
 * They hold HTML that the service rendered. `data-state` in it names the state that it shows, by the ETag of
 * `GET /api/events`. When the stream names another state, the HTML is loaded again.
 */

export interface Follower {
  /** Where the HTML is: `/embed.html?lang=de`. */
  source: string
  /** `/api/events/stream`. Without it (`''`), the HTML is only loaded again when the page comes back into view. */
  stream: string
  /** The state that is on the page already. Without it, the HTML is loaded at once. */
  state?: string | undefined
  /** Gets what has the state in the new HTML, parsed; its scripts have not run. */
  show(part: HTMLElement): void
  /** Called each second while what the stream tells of is not on the page. Then the reader's clock has to do for an end. */
  untold(): unknown
  /** Loads the HTML; for this module alone. */
  ask?(tries?: number): void
}

/**
 * The node that answers may not know yet what the stream's node named. It does within 1 s (contract R3). It is asked again
 * after 0.3, 0.6, 1.2 and 2.4 s.
 */
const RETRY = 300
const RETRIES = 4

/** A browser has six connections to a service without HTTP/2, for all tabs together. So all elements share a stream. */
const streams: Record<string, typeof keepCurrent> = {}

/** @returns what stops it */
export function keepCurrent(follower: Follower): () => void {
  const { stream } = follower
  streams[stream] ??= createStream(stream)
  return streams[stream](follower)
}

/** Gives what joins a stream. It lasts as long as the page; while nothing follows it, it holds no connection. */
function createStream(address: string): typeof keepCurrent {
  const followers = new Set<Follower>()
  /** What the stream has named last. Nothing, where there is none. */
  let named = ''
  const [listen, hangUp] = follow(
    address,
    (id) => {
      named = id.slice(1, -1)
      if (id) load()
    },
    load,
  )

  /** Gets the HTML of those that do not show what the stream has named. */
  function load(tries?: number) {
    for (const one of followers) if (one.state !== named) (one as Required<Follower>).ask(tries)
  }

  setInterval(() => {
    for (const one of followers) if (one.state !== named) one.untold()
  }, 1_000)
  // Each page counts from when it was opened, so not all readers ask at one moment. It asks past its last retry, so that a
  // service that is down gets one request.
  setInterval(() => address && !document.hidden && load(RETRIES), MINUTE)

  return (follower) => {
    const request = new XMLHttpRequest()
    let planned: ReturnType<typeof setTimeout> | undefined

    follower.ask = (tries = 0) => {
      clearTimeout(planned)
      // It takes the place of one that is on its way. The browser makes it conditional, with the ETag of the last answer.
      request.open('GET', follower.source)
      // XMLHttpRequest gives a parsed document, which `require-trusted-types-for` allows.
      request.responseType = 'document'
      request.timeout = MINUTE
      request.onloadend = () => {
        const part: HTMLElement | undefined = request.response?.querySelector('[data-state]')
        const now = part?.dataset.state
        // A page without it isn't the service's: a proxy that asks for a password, say. What is up stays up.
        if (part && now !== follower.state) {
          follower.state = now
          follower.show(part)
        }
        if (tries < RETRIES && (!now || (named && now !== named))) {
          planned = setTimeout(follower.ask as never, RETRY << tries, tries + 1)
        }
        if (followers.size) listen()
      }
      request.send()
    }

    followers.add(follower)
    // What came with it is no news where the stream has told more since.
    if (follower.state && !named) listen()
    else follower.ask()

    return () => {
      followers.delete(follower)
      if (!followers.size) hangUp()
    }
  }
}
