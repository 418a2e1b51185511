/** How long Next may keep what it rendered, in seconds: the arguments of `cacheLife`. */
export interface Life {
  stale: number
  revalidate: number
  expire: number
}

/** After this time, Next renders again in the background as a safety net. It is Next's own default. */
const REVALIDATE_S = 900
/** Next treats output with a shorter lifetime as dynamic, so it needs a `<Suspense>` boundary. */
const LEAST_EXPIRE_S = 300
const YEAR_S = 31_536_000
/** How long a page may take to render (contract N4), because Next counts its life only from the end of rendering. */
const RENDERING_S = 5

/** For output that should be renewed soon: that of a build, or of a page rendered while the database didn't answer. */
export const SHORT: Life = { stale: LEAST_EXPIRE_S, revalidate: 1, expire: LEAST_EXPIRE_S }

/**
 * For output of a build that should be a dynamic hole in its page. If a page has no hole when it is built, Next assumes
 * that it never has one. If it does later, a browser that requests the page again gets only a part, and shows an error.
 *
 * Its life is zero, so Next doesn't store it. If Next found it stored for another page, it would report a miss.
 */
export const HOLE: Life = { stale: LEAST_EXPIRE_S, revalidate: 0, expire: 0 }

/** For a process that watches. It drops the output itself, so the life is a safety net. @param left ms until the end */
export function watchedLife(left: number): Life {
  const life = Math.min(Math.max(1, Math.ceil(left / 1000)), YEAR_S)
  return {
    stale: LEAST_EXPIRE_S,
    revalidate: Math.min(life, REVALIDATE_S),
    expire: Math.max(life, LEAST_EXPIRE_S),
  }
}

/**
 * For a process that doesn't watch: output expires at the next start or end (contract A9, A14).
 *
 * Next may render a page from cached output. Such output is at most `revalidate` old, and Next counts the
 * whole `expire` from the page's own rendering. So the two must add up to the time left. Next rejects an `expire` below
 * `revalidate`, and the page fails. So in the last five minutes the output is a dynamic hole, and no page keeps it.
 *
 * @param left ms until the next start or end
 * @param stale whether the output is only the last known. Then it must be renewed as soon as the database answers, and
 *   Next must not serve it much longer
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
 * For output that only makes a page render again, just after the next start or end. Otherwise a page that was kept
 * without the bar would stay as it is, because Next takes neither life nor tags from output that it doesn't keep.
 *
 * @param left ms until the next start or end
 */
export function renewalLife(left: number): Life {
  const next = Math.max(1, Math.floor(left / 1000) + 1)
  return { stale: LEAST_EXPIRE_S, revalidate: Math.min(next, REVALIDATE_S), expire: YEAR_S }
}
