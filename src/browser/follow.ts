/**
 * Follows what is showing, for the embedded elements and the page at `/`.
 *
 * They hold HTML that the service rendered. `data-state` in it names the state that it shows, by the ETag of
 * `GET /api/events`. When the stream names another state, the HTML is loaded again.
 */

export interface FollowOptions {
  /** Where the HTML is: `/embed.html?lang=de`. */
  source: string
  /** `/api/events/stream`. Without it (`''`), the HTML is only loaded again when the page comes back into view. */
  stream: string
  /** The state that is on the page already. Without it, the HTML is loaded at once. */
  state?: string | undefined
  /** Stops it. */
  signal?: AbortSignal | undefined
  /** Gets what has the state in the new HTML, parsed; its scripts have not run. */
  show(part: HTMLElement): void
  /** Called each second while what the stream tells of is not on the page. Then the reader's clock has to do for an end. */
  untold(): unknown
}

/**
 * The node that answers may not know yet what the stream's node named. It does within 1 s (contract R3). It is asked again
 * after 0.3, 0.6, 1.2 and 2.4 s.
 */
const RETRY = 300
const RETRIES = 4
/**
 * After a refusal, an EventSource stays closed. The waits grow, so that not all readers return at one moment. A page that is
 * looked at asks meanwhile, once a minute. Each wait is twice the last, give or take half of it.
 */
const FIRST_WAIT = 500
const LONGEST_WAIT = 60_000
/** How long a request may be without an answer. Some proxies never give one, and a browser would wait for ever. */
const PATIENCE = 45_000

/** A browser has six connections to a service without HTTP/2, for all tabs together. So all elements share a stream. */
const streams: Record<string, typeof follow> = {}

export function follow(options: FollowOptions): void {
  const { stream } = options
  streams[stream] ??= createStream(stream)
  streams[stream](options)
}

/** Gives what joins a stream. It lasts as long as the page; while nothing follows it, it holds no connection. */
function createStream(address: string): typeof follow {
  const followers = new Set<FollowOptions>()
  /** What asks a source. Those that have the same share it. */
  const asks: Record<string, ReturnType<typeof createAsk>> = {}
  let events: EventSource | undefined
  /** What the stream has named last. */
  let named = ''
  let timer = 0
  let wait = FIRST_WAIT
  let seconds = 0

  /** Whether somebody looks at a page that wants to be told. */
  const isWatched = () => address && followers.size && !document.hidden

  function hangUp() {
    events?.close()
    events = undefined
    named = ''
  }

  function listenIn(milliseconds: number) {
    clearTimeout(timer)
    timer = setTimeout(listen, milliseconds) as unknown as number
  }

  function listen() {
    if (!isWatched() || events?.readyState === 1) return
    hangUp()
    events = new EventSource(address)
    listenIn(PATIENCE)
    events.onmessage = ({ lastEventId }) => {
      wait = FIRST_WAIT
      named = lastEventId.slice(1, -1)
      load()
    }
    events.onerror = () => {
      named = ''
      // Not while the browser tries again by itself (0).
      if (events?.readyState) {
        wait = Math.min(wait * 2, LONGEST_WAIT)
        listenIn(wait * (0.5 + Math.random()))
      } else listenIn(PATIENCE)
    }
  }

  /** Gets the HTML of those that do not show what the stream has named. */
  function load(tries?: number) {
    for (const { source, state } of followers) {
      asks[source] ??= createAsk(source)
      if (state !== named) asks[source](tries)
    }
  }

  function createAsk(source: string) {
    const request = new XMLHttpRequest()
    let planned = 0

    return function ask(tries = 0, milliseconds = 0) {
      clearTimeout(planned)
      // In a moment at the earliest, because the elements of a page come one after another.
      planned = setTimeout(() => {
        // It takes the place of one that is on its way. The browser makes it conditional, with the ETag of the last answer.
        request.open('GET', source)
        // XMLHttpRequest gives a parsed document, which `require-trusted-types-for` allows.
        request.responseType = 'document'
        request.timeout = PATIENCE
        request.onloadend = () => {
          const html: Document | null = request.response
          const part = html?.querySelector<HTMLElement>('[data-state]')
          const now = part?.dataset.state
          // A page without it isn't the service's: a proxy that asks for a password, say. What is up stays up.
          for (const one of followers) {
            if (now && one.source === source && one.state !== now) {
              one.state = now
              one.show(part.cloneNode(true) as HTMLElement)
            }
          }
          if (tries < RETRIES && (!now || (named && now !== named))) {
            ask(tries + 1, RETRY << tries)
          }
          // Only once all have an answer, or one has asked in vain: the first message would have the others ask twice.
          if (!events && (tries || [...followers].every((one) => one.state))) listen()
        }
        request.send()
      }, milliseconds) as unknown as number
    }
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hangUp()
    else load()
  })
  setInterval(() => {
    for (const one of followers) if (one.state !== named) one.untold()
    // Each page counts from when it was opened, so not all readers ask at one moment. It asks past its last retry, so that
    // a service that is down gets one request.
    if (++seconds % 60 === 0 && isWatched()) load(RETRIES)
  }, 1000)

  return (follower) => {
    followers.add(follower)
    if (follower.state) listen()
    else load()

    follower.signal?.addEventListener('abort', () => {
      followers.delete(follower)
      if (!followers.size) hangUp()
    })
  }
}
