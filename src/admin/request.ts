/** Reads the forms, the cookies and the origin of the admin's requests. */
import { parse } from 'hono/utils/cookie'
import { badRequest } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { readBytes, utf8 } from '../http/input.ts'

/** The maximum size of a form: more than a composer with every possible field needs, even percent-encoded. */
const MAX_FORM_BYTES = 1024 * 1024
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** @throws Problem `unsupported_media_type`, `body_too_large`, `invalid_request` */
export async function readForm(request: Request, max = MAX_FORM_BYTES): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(request.headers.get('content-type') ?? '')) {
    const message = 'The body must be a form (application/x-www-form-urlencoded)'
    throw new Problem('unsupported_media_type', message)
  }
  const bytes = await readBytes(request, max)
  try {
    return new URLSearchParams(utf8.decode(bytes))
  } catch (cause) {
    throw badRequest('not_utf8', undefined, cause)
  }
}

export const searchParamsOf = ({ url }: Request): URLSearchParams => new URL(url).searchParams

/**
 * Reads a cookie. The page's script sets `placard-lang` (the chosen language), `placard-zone` (the browser's time zone)
 * and `placard-site` (the settings of the bar on the owner's site).
 */
export function cookieIn(request: Request, name: string): string | undefined {
  return parse(request.headers.get('cookie') ?? '')[name]
}

/**
 * Creates the cookie of a session (contract O2). Browsers send cookies to every port of a host, so the cookie's name
 * contains the port. Otherwise, two services on one machine would sign each other's users out.
 *
 * @param base the admin's path. The cookie is limited to it, except over https: the prefix `__Host-` requires `Path=/`
 */
export function sessionCookie(url: string, base: string) {
  const { protocol, port } = new URL(url)
  const secure = protocol === 'https:'
  const name = secure ? `__Host-placard${port && `-${port}`}` : `placard-${port || '80'}`
  const rest = `Path=${secure ? '/' : base}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  return {
    name,
    set: (token: string) => `${name}=${token}; ${rest}`,
    clear: `${name}=; Max-Age=0; ${rest}`,
  }
}

/** The origin that a request was sent to. Next.js puts `localhost` into every URL, so the `Host` header wins. */
export function originOf({ headers, url }: Request): string {
  const { protocol, host } = new URL(url)
  const named = `${protocol}//${headers.get('host') ?? host}`
  return URL.canParse(named) ? new URL(named).origin : `${protocol}//${host}`
}

/**
 * Rejects a request that another site may have sent (contract O3). Browsers send the origin of a request in headers
 * that pages can't forge.
 *
 * @param own the address at which people reach the service: `https://example.com`, with or without a path
 * @throws Problem `forbidden`
 */
export function assertSameOrigin({ headers, url }: Request, own: string): void {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin') return
  const origin = headers.get('origin') ?? ''
  if (site === null && URL.canParse(origin)) {
    const [from, ours] = [new URL(origin), new URL(own)]
    if (from.origin === ours.origin) return
    // For the host of `own`, the scheme must match too: an attacker on the network could fake that host's http pages.
    const host = headers.get('host') ?? new URL(url).host
    if (from.host === host && from.host !== ours.host) return
    // Compares only the host names, because nginx's `$host` lacks the port. If the names differ, the page may be an
    // attacker's, and the message must not advise anybody to set `PUBLIC_URL` to its address.
    if (from.hostname === URL.parse(`http://${host}`)?.hostname) {
      const message = `The page's address is ${from.origin}, but the request arrived for ${host}`
      const details = { origin: from.origin, host }
      throw new Problem('forbidden', `${message}: set PUBLIC_URL to ${from.origin}`, { details })
    }
  }
  throw new Problem('forbidden', 'This request did not come from a page of the admin')
}
