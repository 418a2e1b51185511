/**
 * Rendered output by locale. All of it is dropped when what is showing changes, even by an end, because the snapshot is
 * another object then.
 *
 * Cost: a request is one comparison and one look-up, and a change is one rendering for each variant that is asked for.
 * The number of locales bounds it, because requests choose among those.
 */
export function createPageCache<State extends object, Key, Page>() {
  let state: State | undefined
  let pages = new Map<Key, Page>()
  return (now: State, key: Key, render: () => Page): Page => {
    if (now !== state) {
      state = now
      pages = new Map()
    }
    let page = pages.get(key)
    if (page === undefined) {
      page = render()
      pages.set(key, page)
    }
    return page
  }
}
