/** How long Next may keep rendered output, in seconds: the argument of `cacheLife`. */
export interface Life {
  stale: number
  revalidate: number
  expire: number
}

/** After this time, Next renders a page again in the background, as a safety net. The value is Next's own default. */
const REVALIDATE_S = 900
/** Next treats output with a lifetime below this as dynamic, so such output needs a `<Suspense>` boundary. */
const LEAST_EXPIRE_S = 300
const YEAR_S = 31_536_000
/** How long a page may take to render (contract N4). Next counts a page's life only from the end of its rendering. */
const RENDERING_S = 5

/** The life of output that should soon be renewed: rendered by a build, or while the database didn't answer. */
export const SHORT: Life = { stale: LEAST_EXPIRE_S, revalidate: 1, expire: LEAST_EXPIRE_S }

/**
 * The life of a build's output that should be a dynamic hole in its page. If a page has no hole when it is built, Next
 * assumes that the page never will. If the page has a hole later, a browser that requests the page again gets only
 * part of the page, and shows an error.
 *
 * With a life of zero, Next doesn't store the output. If it did, Next would report a cache miss as soon as another page
 * read the output.
 */
export const HOLE: Life = { stale: LEAST_EXPIRE_S, revalidate: 0, expire: 0 }

/** A safety net: the life of output that a process drops on each change. @param left ms until the next start or end */
export function watchedLife(left: number): Life {
  const life = Math.min(Math.max(1, Math.ceil(left / 1000)), YEAR_S)
  return {
    stale: LEAST_EXPIRE_S,
    revalidate: Math.min(life, REVALIDATE_S),
    expire: Math.max(life, LEAST_EXPIRE_S),
  }
}

/**
 * The life of output that must expire by the next start or end, because the process may miss it (contract A9, A14).
 *
 * Next may render a page from cached output that is up to `revalidate` old, but counts the page's full `expire` from
 * the page's own rendering. So `revalidate` and `expire` must add up to the time left. Next rejects an `expire` below
 * `revalidate`, and the page fails. In the five minutes before a start or end, the output is a dynamic hole instead.
 *
 * @param left ms until the next start or end
 * @param stale whether the output shows only the last known state. Stale output must be renewed as soon as the database
 *   answers, and Next must stop serving it soon after
 */
export function unwatchedLife(left: number, stale = false): Life {
  const seconds = Math.min(left / 1000, YEAR_S)
  const whole = Math.floor(seconds) - RENDERING_S
  if (whole > LEAST_EXPIRE_S) {
    if (stale) return SHORT
    const revalidate = Math.min(whole - LEAST_EXPIRE_S, Math.floor(whole / 2), REVALIDATE_S)
    return { stale: LEAST_EXPIRE_S, revalidate, expire: whole - revalidate }
  }
  const rest = Math.min(Math.max(0, Math.floor(seconds)), LEAST_EXPIRE_S - 1)
  return { stale: LEAST_EXPIRE_S, revalidate: stale ? Math.min(1, rest) : rest, expire: rest }
}

/**
 * The lifetime of output whose only purpose is to make its page render again just after the next start or end. Without
 * this output, a page that Next cached without the bar would never get the bar, because Next ignores the lifetime and
 * the tags of output that it doesn't cache.
 *
 * @param left ms until the next start or end
 */
export function renewalLife(left: number): Life {
  const next = Math.max(1, Math.floor(left / 1000) + 1)
  return { stale: LEAST_EXPIRE_S, revalidate: Math.min(next, REVALIDATE_S), expire: YEAR_S }
}
