import { follow, MINUTE } from './follow.ts'
import { warn } from './listen.ts'

/**
 * Keeps the announcement current, for the embedded elements and the page at `/`.
 *
 * The service's HTML has the ETag of `GET /api/events` in `data-state`. When the stream sends a different ETag, the
 * script requests the HTML again.
 */

export interface Follower {
  /** The address of the HTML, with a query: `/embed.html?lang=de`. */
  source: string
  /** The address of the stream. With `''`, the HTML is requested again only when the page returns to view. */
  stream: string
  /** The state that is shown. Without a state, the HTML is requested as soon as the follower is added. */
  state?: string | undefined
  /**
   * Shows the part of the new HTML that has `data-state`, and stores that attribute in `state`. The part is parsed, but
   * its scripts haven't run.
   */
  show(part: HTMLElement): void
  /**
   * Hides the bar if its announcement has ended by the reader's clock. Called every second while the page has no
   * connection, or still doesn't show the state that the stream sent over a second ago.
   *
   * @returns whether the bar is hidden
   */
  hide(): unknown
}

/**
 * A request may reach a node that doesn't know the new state yet. Each node learns of a change within 1 s (contract
 * R3). Until a response has the new state, the script repeats the request: after 0.3 s, then 0.6, 1.2 and 2.4 s.
 */
const RETRY = 300
const RETRIES = 4

/** All elements share a stream: without HTTP/2, a browser opens only six connections to a service across all tabs. */
const streams: Record<string, typeof keepCurrent> = {}

/** The addresses without a bar that a warning has named: a copy of the script, say, doesn't know its service. */
const failed: Record<string, true> = {}

/** @returns a function that stops the follower */
export function keepCurrent(follower: Follower): () => void {
  const { stream } = follower
  streams[stream] ??= createStream(stream)
  return streams[stream](follower)
}

/**
 * Creates a function that adds a follower to a stream. The stream exists as long as the page, but is connected only
 * while it has followers.
 */
function createStream(address: string): typeof keepCurrent {
  /** An array, because old pages have a `Map` of their own. */
  let followers: [one: Follower, ask: (tries?: number) => void][] = []
  /** The state in the stream's last message; empty while there is no connection. */
  let named = ''
  const [listen, hangUp] = follow(
    address,
    (id) => {
      named = id.slice(1, -1)
      if (id) load()
    },
    load,
  )

  /** Reloads the HTML of each follower that doesn't show the stream's latest state. */
  function load(tries?: number) {
    for (const [one, ask] of followers) if (one.state !== named) ask(tries)
  }

  /** The value of `named` a second ago. */
  let before = ''
  setInterval(() => {
    // After a change, waits up to a second for the new HTML: if that has a bar, hiding the old bar now would close the
    // space for a moment. A hidden bar may still be live by the service's clock, so the HTML is requested again.
    for (const [one] of followers)
      if (before === named && one.state !== named && one.hide()) one.state = undefined
    before = named
  }, 1_000)
  // Each page's interval starts when the page opens, which spreads the requests. `load(RETRIES)` counts all
  // retries as used, so a service that is down gets only one request a minute.
  setInterval(() => address && !document.hidden && load(RETRIES), MINUTE)

  return (follower) => {
    const request = new XMLHttpRequest()
    let planned: ReturnType<typeof setTimeout> | undefined

    const ask = (tries = 0) => {
      clearTimeout(planned)
      // `open` cancels a request in flight. The browser sends the new request with the ETag of the last response.
      // After a message, a service worker's cache may still have the previous response, so it gets an address of its own.
      request.open('GET', follower.source + (named && `&state=${named}.${tries}`))
      // XMLHttpRequest parses the document itself, which `require-trusted-types-for` allows.
      request.responseType = 'document'
      request.timeout = MINUTE
      request.onloadend = () => {
        const part: HTMLElement | undefined = request.response?.querySelector('[data-state]')
        const now = part?.dataset.state
        // A document without `data-state` may be a proxy's sign-in page, so the current bar stays.
        if (part && now !== follower.state) follower.show(part)
        if (!part && request.status && !follower.state && !failed[follower.source]) {
          failed[follower.source] = true
          warn(`no bar at ${follower.source}. Load embed.js from the service`)
        }
        if (tries < RETRIES && (!now || (named && now !== named))) {
          planned = setTimeout(ask, RETRY << tries, tries + 1)
        }
        if (followers.length) listen()
      }
      request.send()
    }

    followers.push([follower, ask])
    // The state that came with the page is current unless the stream has already sent one.
    if (follower.state && !named) listen()
    else ask()

    return () => {
      followers = followers.filter(([one]) => one !== follower)
      if (!followers.length) hangUp()
    }
  }
}

/**
 * Replaces an old bar with a new one: element.css fades one into the other while the width eases. If either bar is
 * missing, the change is immediate. If the new bar is wider than the old one, it is clipped and gradually revealed,
 * because a changing width would shift its text.
 */
export function swap(place: Element, content: Iterable<Node>): void {
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const before = shown()
  const width = before?.offsetWidth as number
  place.replaceChildren(...content)
  const after = shown()
  if (!before || !after) return
  after.style.cssText = `--_cut:${(after.offsetWidth - width) / 2}px`
  // Removes an older bar that was still fading.
  before.querySelector('.placard')?.remove()
  before.inert = true
  before.style.cssText = `width:${width}px`
  before.onanimationend = () => before.remove()
  after.append(before)
}
