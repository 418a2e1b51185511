/**
 * The id under which a request stands in the log (contract R6). A proxy's is taken over, so that its log and
 * ours can be joined; anything that isn't like one is not.
 */
export function requestIdOf(given: string | null): string {
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}
