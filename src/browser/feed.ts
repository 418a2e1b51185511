import type { Tree } from '../core/tree.ts'
import { follow, type Message } from './follow.ts'

/**
 * What a page knows of the bar: its trees by canonical language tag; `''` is for all other languages. If the service
 * sends another `id`, the trees are out of date.
 */
export interface State {
  /** Missing while nothing is known. */
  id?: string | undefined
  /** The trees received so far; `null` for a bar that is already in the page as HTML. */
  trees: Record<string, Tree | null>
  /** The tags of all trees, including those not received yet. Default: the tags in `trees` */
  langs?: string[] | undefined
}

/** The body of `GET /embed.json`, and a message of the stream. Without a tree, it confirms the state that the page has. */
interface News {
  id: string
  lang?: string
  langs?: string[]
  tree?: Tree
}

export interface Follower {
  /** The tags to try for the language around the bar, best first. */
  langs: string[]
  /** The tree that is shown, as JSON. Missing while it isn't known. */
  tree?: string | undefined
  show(tree: Tree): void
  /**
   * Hides the bar if its announcement has ended by the reader's clock. Called every second while the stream is silent.
   *
   * @returns whether the bar is hidden
   */
  hide(): unknown
}

/** Adds a follower. @returns a function that removes it */
export type Feed = (follower: Follower) => () => void

/**
 * Keeps bars current, for the embedded elements and the page at `/`. The stream's messages carry the bar, so the page
 * needn't request it after a change. Behind some proxies, the stream stays silent for good. The page then requests the
 * bar whenever it has opened the stream in vain: about once a minute, and when the page returns to view.
 *
 * All elements share a stream: without HTTP/2, a browser opens only six connections to a service across all tabs.
 *
 * @param bar the address of the bar, to which its language is added
 * @param stream the address of the stream, to which its languages are added; without one, the bar follows no stream
 * @param state the state that came with the page or the script
 */
export function createFeed(
  bar: string,
  stream: string | false,
  state: State = { trees: {} },
): Feed {
  /** An array, because old pages have a `Map` and a `Set` of their own. */
  let followers: Follower[] = []
  /** The languages for which the stream carries bars. */
  let carried = ''
  /** The last message of the current connection, if it has sent any. */
  let latest: Message | undefined
  /** Counts messages and requests: each makes the responses to earlier requests obsolete. */
  let count = 0

  const languages = () =>
    followers.map((one) => one.langs[0]).filter((one, i, all) => all.indexOf(one) === i)

  const [listen, hangUp] = follow(
    () => {
      // Without an id, the service sends all bars.
      return `${stream}${carried}&has=${followers.every(isKnown) ? state.id : ''}`
    },
    (message) => {
      if (message) {
        count++
        tell(JSON.parse(message.data))
      } else if (!latest && !document.hidden) ask()
      latest = message
    },
    () => (stream ? listen() : ask()),
  )

  function tell(news: News) {
    if (news.id !== state.id) state = { ...news, trees: {} }
    if (news.tree) state.trees[news.lang as string] = news.tree
    followers.forEach(update)
  }

  /** The tag of the follower's own bar. A bar with another tag may arrive first, but it is for other elements. */
  const tagFor = ({ langs }: Follower) =>
    langs.find((one) => (state.langs ?? Object.keys(state.trees)).includes(one)) as string

  const isKnown = (one: Follower) => tagFor(one) in state.trees

  function update(one: Follower) {
    const tree = state.trees[tagFor(one)]
    const text = JSON.stringify(tree)
    // After news for another language, this follower's bar is missing or unchanged.
    if (!tree || text === one.tree) return
    one.tree = text
    one.show(tree)
  }

  /** Requests the bar in each language. A message that arrives before the response is newer than it. */
  function ask() {
    const request = ++count
    for (const lang of languages()) {
      fetch(bar + lang)
        .then((response) => response.json())
        .then(
          (news: News) => {
            // A response without a tree may be an error.
            if (news.tree && (request === count || news.id === state.id)) tell(news)
          },
          () => {},
        )
    }
  }

  /** Whether the bar that came with the page or the script counts as current without the stream's confirmation. */
  let isFresh = true
  /** In a new task, because a router may remove an element and add the next one in the same task. */
  const settle = () => {
    setTimeout(() => {
      isFresh = false
      if (followers.length) return
      // Without followers, nothing needs the stream. Without the stream, the known bar would go out of date.
      hangUp()
      state = { trees: {} }
    })
  }
  if (document.readyState === 'complete') settle()
  else addEventListener('load', settle)

  setInterval(() => {
    if (latest) return
    for (const one of followers) {
      if (one.hide()) {
        // The announcement may still be live by the service's clock. Once the page has forgotten it, the service's next
        // response shows it again.
        one.tree = undefined
        state = { trees: {} }
      }
    }
  }, 1_000)

  return (follower) => {
    followers.push(follower)
    update(follower)
    if (!(isKnown(follower) && (isFresh || latest))) ask()
    // In a task, so that the elements of a page share one request.
    setTimeout(() => {
      if (!followers.length) return
      const wanted = languages().join()
      if (carried && carried !== wanted) hangUp()
      carried = wanted
      if (stream) listen()
    })
    return () => {
      followers = followers.filter((one) => one !== follower)
      settle()
    }
  }
}
