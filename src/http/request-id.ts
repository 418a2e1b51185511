const PROCESS = `${crypto.randomUUID().slice(0, 18)}-`
let count = 0

/**
 * The id under which a request stands in the log (contract R6). A proxy's is taken over, so that its log and
 * ours can be joined; anything that isn't like one is not. Ours are numbered within the process: a read can't
 * afford a random number; and not in decimal: the engine keeps such strings for a while, and its collector would
 * carry them along.
 */
export function requestIdOf(given: string | null): string {
  if (given !== null && /^[\w.-]{1,64}$/.test(given)) return given
  count++
  return PROCESS + count.toString(36)
}
