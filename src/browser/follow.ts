/**
 * Following what is showing from a browser: the embedded element and the page at `/` both do.
 *
 * Each keeps a part of HTML that the service drew, marked with the state that it shows (`data-state`,
 * the ETag of `GET /api/events`). When the stream names another, the part is asked for again.
 */

export interface FollowOptions {
  /** Where the HTML is: `/embed.html?lang=de`. */
  source: string
  /** `/api/events/stream`, or nothing to ask only when the page comes back into view. */
  stream: string | undefined
  /** What is on the page already; without it the HTML is asked for at once. */
  state?: string | undefined
  /** Gets the new HTML, parsed and inert. */
  show(html: Document): void
}

/** A node that lags behind the one that told us is asked again: within 1 s it knows (contract R3). */
const RETRIES = [300, 700, 1500, 3000]
/** After a refusal, an EventSource stays closed; a crowd must not return at one moment. */
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
    // XMLHttpRequest, as it hands out a parsed document: nothing to allow under `require-trusted-types-for`.
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
    // A conditional request: the browser keeps the last answer with its ETag.
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

  function seen() {
    if (document.hidden) return
    load()
    if (events?.readyState === 2) listen()
  }

  document.addEventListener('visibilitychange', seen)
  if (state === undefined) load()
  listen()

  return () => {
    document.removeEventListener('visibilitychange', seen)
    // Aborting ends the request, which would ask again.
    request?.abort()
    clearTimeout(retry)
    clearTimeout(timer)
    events?.close()
  }
}
