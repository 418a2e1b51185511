/**
 * Rendered output by locale and variant, tagged `event`: it is all dropped when what is showing changes,
 * ends included, since the snapshot is another object then.
 *
 * Cost: a request is one comparison and one look-up; a change is one render for each variant asked for.
 * Bounded by the number of locales, because names come from those rather than from requests.
 */
export function createPageCache<State extends object, Page>() {
  let state: State | undefined
  let pages = new Map<string, Page>()
  return (now: State, name: string, draw: () => Page): Page => {
    if (now !== state) {
      state = now
      pages = new Map()
    }
    let page = pages.get(name)
    if (page === undefined) {
      page = draw()
      pages.set(name, page)
    }
    return page
  }
}
