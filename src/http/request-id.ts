const PROCESS = `${crypto.randomUUID().slice(0, 18)}-`
let count = 0

/**
 * The id of a request in the log (contract R6). A proxy's id is kept if it looks like one, so that both logs can be
 * joined. Our own are numbered within the process, because a random number takes too long for a read. They aren't
 * decimal, because the engine caches decimal strings, which burdens its garbage collector.
 */
export function requestIdOf(given: string | null): string {
  if (given !== null && /^[\w.-]{1,64}$/.test(given)) return given
  count++
  return PROCESS + count.toString(36)
}
