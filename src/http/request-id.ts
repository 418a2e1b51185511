const PROCESS = `${crypto.randomUUID().slice(0, 18)}-`
let count = 0

/**
 * The id of a request in the log (contract R6). The id that a proxy gave it is kept, so that its log and ours can be
 * joined, unless it doesn't look like an id. Our own are numbered within the process, because a random number costs too
 * much for a read. They are not decimal, because the engine caches decimal strings, and its garbage collector would have
 * to carry them along.
 */
export function requestIdOf(given: string | null): string {
  if (given !== null && /^[\w.-]{1,64}$/.test(given)) return given
  count++
  return PROCESS + count.toString(36)
}
