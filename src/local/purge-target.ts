/** The cache in front of the service, and its credential: `PURGE` and `PURGE_TOKEN` (contract R13). */
export interface PurgeTarget {
  kind: keyof typeof FORMS
  /** The address of a cache, or the id of a Cloudflare zone or a Fastly service. */
  place: string
  token: string | undefined
}

const FORMS = {
  varnish: /^varnish:(https?:\/\/[^/?#@]+\/?)$/i,
  cloudflare: /^cloudflare:([\w-]+)$/,
  fastly: /^fastly:([\w-]+)$/,
  post: /^(https:\/\/[^@#]+)$/i,
}

/** Reads `PURGE`. @returns `undefined` if the text matches no known form */
export function purgeTarget(text: string, token?: string): PurgeTarget | undefined {
  for (const kind of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    const place = FORMS[kind].exec(text)?.[1]
    if (place !== undefined && (!place.includes(':') || URL.canParse(place))) {
      return { kind, place, token }
    }
  }
  return undefined
}

export function purgeProblem(text: string): string | undefined {
  if (purgeTarget(text)) return undefined
  return 'must be varnish:http://HOST:PORT, cloudflare:ZONE, fastly:SERVICE or https://…'
}
