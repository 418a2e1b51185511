/** The minimum length of a secret, so that nobody can guess one within the rate limit (contract A4). */
const MIN_LENGTH = 16

/**
 * Parses a comma-separated list of secrets. During a rotation, several secrets are valid.
 *
 * @returns the secrets and, if one of them is invalid, a description of the problem that doesn't contain any secret
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

/** Whether some entries of the list, but not all, are empty, as in `${A},${B}` if one of the variables isn't set. */
export function lacksSecret(list: string): boolean {
  const entries = entriesOf(list)
  return entries.includes('') && entries.some((secret) => secret !== '')
}

const entriesOf = (list: string) => list.split(',').map((secret) => secret.trim())

/** Describes the fault in a list of secrets without repeating any secret; returns `undefined` if the list is valid. */
export function secretsProblem(list: string): string | undefined {
  const { secrets, problem } = parseSecrets(list)
  return problem ?? (secrets.length === 0 ? 'must not be empty' : undefined)
}

/** Describes the fault in a key for Stripe's API without repeating the key; returns `undefined` if the key is valid. */
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

/** Describes the fault in the address to which the Stripe key is sent; returns `undefined` if the address is valid. */
export function stripeUrlProblem(url: string): string | undefined {
  const isHere = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/i.test(url)
  if (isHere || (/^https:\/\/[^/?#@]+\/?$/i.test(url) && URL.canParse(url))) return undefined
  return 'must be https://HOST, or http://localhost:PORT for a stand-in on this machine'
}

/** Parses the list of secrets in a setting. @throws TypeError that names the setting's environment variable */
export function secretsIn(name: string, list: string): string[] {
  const { secrets, problem } = parseSecrets(list)
  if (problem) throw new TypeError(`${name} ${problem}`)
  return secrets
}

/** Checks Stripe's API key and the API's address, if a key is set. @throws TypeError that names the faulty setting */
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
