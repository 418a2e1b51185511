import { follow, MINUTE } from './follow.ts'

/**
 * Keeps the announcement current, for the embedded elements and the page at `/`.
 *
 * They contain HTML from the service. Its `data-state` names the state that it shows, by the ETag of `GET /api/events`.
 * When the stream names another state, they request the HTML again.
 */

export interface Follower {
  /** The address of the HTML: `/embed.html?lang=de`. */
  source: string
  /** `/api/events/stream`. Without it (`''`), the HTML is requested again only when the page returns to view. */
  stream: string
  /** The state that the page already shows. Without it, the HTML is requested immediately. */
  state?: string | undefined
  /** Shows the part of the new HTML that has the state. It is parsed, and its scripts have not run. */
  show(part: HTMLElement): void
  /**
   * Called every second while the page is behind the stream's latest state. Until it catches up, the reader's clock
   * decides whether the announcement has ended.
   */
  untold(): unknown
}

/**
 * A node other than the stream's may respond before it knows the new state. It learns it within 1 s (contract R3), so
 * the request is repeated after 0.3, 0.6, 1.2 and 2.4 s.
 */
const RETRY = 300
const RETRIES = 4

/** All elements share a stream: without HTTP/2, a browser opens only six connections to a service, for all tabs. */
const streams: Record<string, typeof keepCurrent> = {}

/** @returns a function that stops the follower */
export function keepCurrent(follower: Follower): () => void {
  const { stream } = follower
  streams[stream] ??= createStream(stream)
  return streams[stream](follower)
}

/**
 * Creates a function that joins a stream. The stream lasts as long as the page, but is connected only while something
 * follows it.
 */
function createStream(address: string): typeof keepCurrent {
  const followers = new Map<Follower, (tries?: number) => void>()
  /** The last state that the stream named; empty without one. */
  let named = ''
  const [listen, hangUp] = follow(
    address,
    (id) => {
      named = id.slice(1, -1)
      if (id) load()
    },
    load,
  )

  /** Reloads the HTML of each follower that isn't in the state that the stream named. */
  function load(tries?: number) {
    for (const [one, ask] of followers) if (one.state !== named) ask(tries)
  }

  setInterval(() => {
    for (const [one] of followers) if (one.state !== named) one.untold()
  }, 1_000)
  // Each page's minute starts when it opens, which spreads the requests. Counting from `RETRIES` leaves no retry, so a
  // service that is down gets one request.
  setInterval(() => address && !document.hidden && load(RETRIES), MINUTE)

  return (follower) => {
    const request = new XMLHttpRequest()
    let planned: ReturnType<typeof setTimeout> | undefined

    const ask = (tries = 0) => {
      clearTimeout(planned)
      // `open` cancels a request in flight. The browser makes this one conditional, with the ETag of the last response.
      request.open('GET', follower.source)
      // XMLHttpRequest gives a parsed document, which `require-trusted-types-for` allows.
      request.responseType = 'document'
      request.timeout = MINUTE
      request.onloadend = () => {
        const part: HTMLElement | undefined = request.response?.querySelector('[data-state]')
        const now = part?.dataset.state
        // A page without the part isn't the service's; it may be a proxy's sign-in page. Then the current bar stays.
        if (part && now !== follower.state) {
          follower.state = now
          follower.show(part)
        }
        if (tries < RETRIES && (!now || (named && now !== named))) {
          planned = setTimeout(ask, RETRY << tries, tries + 1)
        }
        if (followers.size) listen()
      }
      request.send()
    }

    followers.set(follower, ask)
    // The page's state is current unless the stream has already named one.
    if (follower.state && !named) listen()
    else ask()

    return () => {
      followers.delete(follower)
      if (!followers.size) hangUp()
    }
  }
}

/**
 * Replaces an old bar with a new one: element.css fades one into the other while the width eases. If either is missing,
 * the change is immediate. A wider bar is clipped at first, because a changing width would shift the text in it.
 */
export function swap(place: Element, content: Iterable<Node>): void {
  const shown = () => place.querySelector<HTMLElement>('.placard:not([hidden])')
  const before = shown()
  const width = before?.offsetWidth ?? 0
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
