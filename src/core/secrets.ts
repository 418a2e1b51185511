/** The minimum length of a secret. Within the rate limit, nobody can guess a secret this long (contract A4). */
const MIN_LENGTH = 16

/** Describes what is wrong with text for a header; returns `undefined` if the text is valid. */
export const printableProblem = (text: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : 'must consist of printable ASCII characters without spaces'

/** Splits a comma-separated list of secrets. During a rotation, several secrets are valid. */
export function splitSecrets(list: string): string[] {
  const entries = list.split(',').map((secret) => secret.trim())
  return entries.filter((secret) => secret !== '')
}

const NAMED = new RegExp(`^([A-Za-z0-9_-]{1,32}):.{${MIN_LENGTH}}`)

/**
 * The name of the person whose secret this is, as in `anna:…`; `null` for the owner's secret (contract A4). The history
 * shows the name, so the part after the name must be long enough to be a secret by itself.
 */
export const nameOf = (secret: string): string | null => NAMED.exec(secret)?.[1] ?? null

/** Chooses the owner's secret if there is one; with a colleague's, the history would show the colleague's name. */
export const ownerSecret = (secrets: readonly string[]): string | undefined =>
  secrets.find((secret) => nameOf(secret) === null) ?? secrets[0]

/** Returns warnings about a valid list of API secrets that probably doesn't mean what its author thinks (contract A4). */
export function secretWarnings(list: string): string[] {
  const entries = list.split(',').map((entry) => entry.trim())
  return [
    entries.includes('') &&
      'EVENT_API_SECRET has an empty entry: is one of the variables in it not set?',
    entries.some((entry) => entry.includes(':') && nameOf(entry) === null) &&
      'EVENT_API_SECRET has an entry with a colon but no name (1 to 32 of A-Z, a-z, 0-9, - and _, before the colon,' +
        " and at least 16 characters after it): it counts as the owner's",
  ].filter((warning) => warning !== false)
}

/** Describes the fault in a list of secrets without repeating any secret; returns `undefined` if the list is valid. */
export function secretsProblem(list: string): string | undefined {
  const secrets = splitSecrets(list)
  if (secrets.length === 0) return 'must not be empty'
  const notPrintable = secrets.map(printableProblem).find(Boolean)
  if (notPrintable) return notPrintable
  if (secrets.every((secret) => secret.length >= MIN_LENGTH)) return undefined
  return `must contain only secrets of at least ${MIN_LENGTH} characters`
}

/** Describes the fault in a key for Stripe's API without repeating the key; returns `undefined` if the key is valid. */
export function stripeKeyProblem(key: string): string | undefined {
  const notPrintable = printableProblem(key)
  if (notPrintable) return notPrintable
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

/** Splits a setting's list of secrets, which may be empty. @throws TypeError that names the environment variable */
export function parseSecrets(name: string, list: string): string[] {
  const secrets = splitSecrets(list)
  const problem = secrets.length > 0 && secretsProblem(list)
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
