/**
 * Follows what is showing, for the embedded element and the page at `/`.
 *
 * Both hold HTML that the service rendered. `data-state` in it names the state that it shows, by the ETag of
 * `GET /api/events`. When the stream names another state, the HTML is loaded again.
 */

export interface FollowOptions {
  /** Where the HTML is: `/embed.html?lang=de`. */
  source: string
  /** `/api/events/stream`. Without it, the HTML is only loaded again when the page comes back into view. */
  stream: string | undefined
  /** The state that is on the page already. Without it, the HTML is loaded at once. */
  state?: string | undefined
  /** Stops it. */
  signal?: AbortSignal | undefined
  /** Gets what has the state in the new HTML, parsed; its scripts have not run. */
  show(part: HTMLElement): void
  /** Called each second while no stream tells of an end. Then the reader's clock has to do. */
  untold?: () => unknown
}

/**
 * The node that answers may not know yet what the stream's node named. It does within 1 s (contract R3). It is asked again
 * after 0.3, 0.6, 1.2 and 2.4 s.
 */
const RETRY = 300
const RETRIES = 4
/**
 * After a refusal, an EventSource stays closed. The waits grow, so that not all readers return at one moment. A page that is
 * looked at asks meanwhile, once a minute.
 */
const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000

export function follow(options: FollowOptions): void {
  const { source, stream, signal, show, untold } = options
  let { state } = options
  let events: EventSource | undefined
  let request: XMLHttpRequest | undefined
  let timer = 0
  let wait = FIRST_WAIT
  let retry = 0

  function load(wanted?: string, tries = 0) {
    request?.abort()
    clearTimeout(retry)
    // XMLHttpRequest gives a parsed document, which `require-trusted-types-for` allows.
    request = new XMLHttpRequest()
    request.responseType = 'document'
    request.onloadend = () => {
      const html: Document | null = request?.status === 200 ? request.response : null
      const part = html?.querySelector<HTMLElement>('[data-state]')
      const now = part?.dataset.state
      // A page without it isn't the service's: a proxy that asks for a password, say. What is up stays up.
      if (now && now !== state) {
        state = now
        show(part)
      }
      if (tries < RETRIES && (!now || (wanted && now !== wanted))) {
        retry = setTimeout(() => load(wanted, tries + 1), RETRY << tries) as unknown as number
      }
    }
    // The browser makes this a conditional request, with the ETag of the last answer.
    request.open('GET', source)
    request.send()
  }

  function listen() {
    clearTimeout(timer)
    events?.close()
    events = new EventSource(stream as string)
    events.onopen = () => {
      wait = FIRST_WAIT
    }
    events.onmessage = ({ lastEventId }) => {
      const latest = lastEventId.slice(1, -1)
      if (latest !== state) load(latest)
    }
    events.onerror = () => {
      if (events?.readyState !== 2) return
      timer = setTimeout(listenAgain, wait * (0.5 + Math.random())) as unknown as number
      wait = Math.min(wait * 2, LONGEST_WAIT)
    }
  }

  /** Whether somebody looks at a page that is told nothing. */
  const isDeaf = () => !document.hidden && stream && events?.readyState !== 1
  const listenAgain = () => isDeaf() && listen()

  // A browser has six connections to a service without HTTP/2, for all tabs together. Most tabs are hidden.
  const look = () => {
    if (document.hidden) events?.close()
    else load()
    listenAgain()
  }

  let seconds = 0
  const ticking = setInterval(() => {
    if (events?.readyState !== 1) untold?.()
    // Past its last retry, so that a service that is down gets one request.
    if (++seconds % 60 === 0 && isDeaf()) load('', RETRIES)
  }, 1000)
  document.addEventListener('visibilitychange', look, { signal: signal as AbortSignal })
  if (state === undefined) load()
  listenAgain()

  signal?.addEventListener('abort', () => {
    // An aborted request plans another, so this comes before the timer is cleared.
    request?.abort()
    clearTimeout(retry)
    clearTimeout(timer)
    clearTimeout(ticking)
    events?.close()
  })
}
