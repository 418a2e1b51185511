/** How long a secret must be, so that nobody can guess it at the rate that the limiter allows (contract A4). */
const MIN_LENGTH = 16

/**
 * Parses a comma-separated list of secrets. During a rotation, several are valid.
 *
 * @returns the secrets and, if the list has a fault, its description, which repeats no secret
 */
export function parseSecrets(list: string): { secrets: string[]; problem?: string } {
  const secrets = entriesOf(list).filter((secret) => secret !== '')
  if (secrets.some((secret) => !/^[\x21-\x7e]+$/.test(secret))) {
    return { secrets, problem: 'must consist of printable ASCII characters without spaces' }
  }
  if (secrets.some((secret) => secret.length < MIN_LENGTH)) {
    return { secrets, problem: `must contain only secrets of at least ${MIN_LENGTH} characters` }
  }
  return { secrets }
}

/** Whether some entries of the list are empty, as in `${A},${B}` if one of the variables isn't set. */
export function lacksSecret(list: string): boolean {
  const entries = entriesOf(list)
  return entries.includes('') && entries.some((secret) => secret !== '')
}

const entriesOf = (list: string) => list.split(',').map((secret) => secret.trim())

/** Describes the fault in a list of secrets without repeating any, or returns `undefined`. */
export function secretsProblem(list: string): string | undefined {
  const { secrets, problem } = parseSecrets(list)
  return problem ?? (secrets.length === 0 ? 'must not be empty' : undefined)
}

/** Describes the fault in a key for Stripe's API without repeating it, or returns `undefined`. */
export function stripeKeyProblem(key: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return 'must consist of printable ASCII characters without spaces'
  }
  const kind = key.startsWith('pk_') ? 'a publishable key' : 'the signing secret of a webhook'
  if (/^(pk_|whsec_)/.test(key)) {
    return `must be a restricted key (rk_…) that may read coupons and events, not ${kind}`
  }
  return undefined
}

/** Describes the fault in the address of Stripe's API, to which the key is sent, or returns `undefined`. */
export function stripeUrlProblem(url: string): string | undefined {
  const isHere = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/i.test(url)
  if (isHere || (/^https:\/\/[^/?#@]+\/?$/i.test(url) && URL.canParse(url))) return undefined
  return 'must be https://HOST, or http://localhost:PORT for a stand-in on this machine'
}

/** Parses a setting's secrets. @throws TypeError that names the variable, because hosts use environment variables */
export function secretsIn(name: string, list: string): string[] {
  const { secrets, problem } = parseSecrets(list)
  if (problem) throw new TypeError(`${name} ${problem}`)
  return secrets
}

/** The key for Stripe's API and its address, if a key is set. @throws TypeError that names the variable */
export function usableKey(
  stripe: { apiKey: string | undefined; apiUrl?: string | undefined } | undefined,
) {
  if (!stripe?.apiKey) return undefined
  const { apiKey, apiUrl } = stripe
  const key = stripeKeyProblem(apiKey)
  if (key) throw new TypeError(`STRIPE_API_KEY ${key}`)
  const url = apiUrl === undefined ? undefined : stripeUrlProblem(apiUrl)
  if (url) throw new TypeError(`STRIPE_API_URL ${url}`)
  return { apiKey, apiUrl }
}
