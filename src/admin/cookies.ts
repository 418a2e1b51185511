import { parse } from 'hono/utils/cookie'

/** The language that a person chose. The page's script sets their name in the history, and their time zone. */
export const LANGUAGE_COOKIE = 'placard-lang'
export const NAME_COOKIE = 'placard-name'
export const ZONE_COOKIE = 'placard-zone'
/** The look of the bar on their site, for the composer's preview. */
export const SITE_COOKIE = 'placard-site'

export function cookieIn(request: Request, name: string): string | undefined {
  return parse(request.headers.get('cookie') ?? '', name)[name]
}

/**
 * The cookie of a session (contract O2). Browsers send cookies to every port of a host, so each port has its own name.
 * Otherwise two services on one machine would sign each other out.
 *
 * @param url the address at which people reach the service
 * @param base the path of the admin, to which the cookie is limited; with `__Host-`, it must be for the whole host
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
