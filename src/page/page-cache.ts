/**
 * Rendered output by locale. All of it is dropped when the announcement changes or ends, because the snapshot is then
 * another object.
 *
 * Cost: a request is one comparison and one look-up, and a change is one rendering for each requested variant. There are
 * at most as many as locales, because requests choose among those.
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
