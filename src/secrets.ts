/** The shortest secret that can't be guessed at the pace that the rate limit allows (contract A4). */
const MIN_LENGTH = 16

/**
 * Reads a list of secrets separated by commas: several are valid at once while they are being rotated.
 *
 * @returns the secrets, and what is wrong with them, in words that don't repeat them
 */
export function parseSecrets(list: string): { secrets: string[]; problem?: string } {
  const secrets = list
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
  if (secrets.some((secret) => !/^[\x21-\x7e]+$/.test(secret))) {
    return { secrets, problem: 'must consist of printable ASCII characters without spaces' }
  }
  if (secrets.some((secret) => secret.length < MIN_LENGTH)) {
    return { secrets, problem: `must have at least ${MIN_LENGTH} characters (each, if several)` }
  }
  return { secrets }
}
