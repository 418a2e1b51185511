/**
 * Rendered output by locale, tagged `event`: it is all dropped when what is showing changes,
 * ends included, since the snapshot is another object then.
 *
 * Cost: a request is one comparison and one look-up; a change is one render for each variant asked for.
 * Bounded by the number of locales, because keys are those rather than what requests name.
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
