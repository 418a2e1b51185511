import { Problem } from '../core/problem.ts'

/** The address of a request. Next.js passes every request on with the host `localhost`, so only the header tells. */
export function originOf({ headers, url }: Request): string {
  const { protocol, host } = new URL(url)
  const named = `${protocol}//${headers.get('host') ?? host}`
  return URL.canParse(named) ? new URL(named).origin : `${protocol}//${host}`
}

/**
 * Refuses a request that another site may have sent (contract O3). Browsers say where a request comes from, and pages
 * can't change that.
 *
 * @param own the address at which people reach the service: `https://example.com`, with or without a path
 * @throws Problem `forbidden`
 */
export function assertSameOrigin({ headers, url }: Request, own: string): void {
  const site = headers.get('sec-fetch-site')
  if (site !== null) {
    if (site === 'same-origin') return
  } else {
    const origin = headers.get('origin')
    if (origin !== null && URL.canParse(origin)) {
      const from = new URL(origin)
      const ours = new URL(own)
      if (from.origin === ours.origin) return
      // Over http, an attacker in between could have sent it in the name of a host that uses https.
      const host = headers.get('host') ?? new URL(url).host
      if (from.host === host && from.host !== ours.host) return
    }
  }
  throw new Problem('forbidden', 'This request did not come from the admin itself')
}
