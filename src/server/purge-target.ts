/** The cache in front and its credential: `PURGE` and `PURGE_TOKEN` (contract R13). */
export interface PurgeTarget {
  kind: 'varnish' | 'cloudflare' | 'fastly' | 'post'
  /** The address of a cache, or the name of a zone or a service. */
  place: string
  token: string | undefined
}

const FORMS = [
  { kind: 'varnish', form: /^varnish:(https?:\/\/[^/?#@]+\/?)$/i },
  { kind: 'cloudflare', form: /^cloudflare:([\w-]+)$/ },
  { kind: 'fastly', form: /^fastly:([\w-]+)$/ },
  { kind: 'post', form: /^(https:\/\/[^@#]+)$/i },
] as const

/** The fault in `PURGE`, or `undefined`. */
export function purgeProblem(text: string): string | undefined {
  const { kind, place = '' } = read(text) ?? {}
  const isAddress = kind === 'varnish' || kind === 'post'
  if (kind !== undefined && (!isAddress || URL.canParse(place))) return undefined
  return 'must be varnish:http://HOST:PORT, cloudflare:ZONE, fastly:SERVICE or https://…'
}

/** The fault in `PURGE_TOKEN`, which goes into a header, or `undefined`. */
export function purgeTokenProblem(token: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(token) ? undefined : 'must be one word of ASCII'
}

/** The fault in the combination of both, or `undefined`. */
export function purgePairProblem(text: string | undefined, token: string | undefined) {
  const kind = text === undefined ? undefined : read(text)?.kind
  const isService = kind === 'cloudflare' || kind === 'fastly'
  return isService && token === undefined ? `is required with PURGE=${kind}:…` : undefined
}

/** @param text in which {@link purgeProblem} finds no fault */
export function purgeTarget(text: string, token: string | undefined): PurgeTarget {
  return { ...(read(text) as Pick<PurgeTarget, 'kind' | 'place'>), token }
}

function read(text: string): Pick<PurgeTarget, 'kind' | 'place'> | undefined {
  for (const { kind, form } of FORMS) {
    const place = form.exec(text)?.[1]
    if (place !== undefined) return { kind, place }
  }
  return undefined
}
