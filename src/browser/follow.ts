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
  /** Gets the new HTML, parsed; its scripts have not run. */
  show(html: Document): void
}

/** The node that answers may not know yet what the stream's node named. It does within 1 s (contract R3). */
const RETRIES = [300, 700, 1500, 3000]
/** After a refusal, an EventSource stays closed. The waits grow, so that not all readers return at one moment. */
const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000

/** Returns how to stop. */
export function follow({ source, stream, state, show }: FollowOptions): () => void {
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
      const html = request?.status === 200 ? request.response : null
      const now = html?.querySelector('[data-state]')?.getAttribute('data-state')
      if (html && now !== state) {
        state = now
        show(html)
      }
      if (!html || (wanted && now !== wanted)) {
        const pause = RETRIES[tries]
        if (pause) retry = setTimeout(() => load(wanted, tries + 1), pause) as unknown as number
      }
    }
    // The browser makes this a conditional request, with the ETag of the last answer.
    request.open('GET', source)
    request.send()
  }

  function listen() {
    clearTimeout(timer)
    events?.close()
    if (!stream) return
    events = new EventSource(stream)
    events.onopen = () => {
      wait = FIRST_WAIT
    }
    events.onmessage = ({ lastEventId }) => {
      const latest = lastEventId.replaceAll('"', '')
      if (latest !== state) load(latest)
    }
    events.onerror = () => {
      if (events?.readyState !== 2) return
      timer = setTimeout(listen, wait * (0.5 + Math.random())) as unknown as number
      wait = Math.min(wait * 2, LONGEST_WAIT)
    }
  }

  function visible() {
    if (document.hidden) return
    load()
    if (events?.readyState === 2) listen()
  }

  document.addEventListener('visibilitychange', visible)
  if (state === undefined) load()
  listen()

  return () => {
    document.removeEventListener('visibilitychange', visible)
    // An aborted request plans another, so this comes before the timer is cleared.
    request?.abort()
    clearTimeout(retry)
    clearTimeout(timer)
    events?.close()
  }
}
