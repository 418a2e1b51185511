import { parse } from 'hono/utils/cookie'

/** Which language a person chose, and what they are called in the history. The page's own script sets the name. */
export const LANGUAGE_COOKIE = 'placard-lang'
export const NAME_COOKIE = 'placard-name'
/** How the bar stands on their site: what the composer's preview shows. */
export const SITE_COOKIE = 'placard-site'

export function cookieIn(request: Request, name: string): string | undefined {
  return parse(request.headers.get('cookie') ?? '', name)[name]
}

/**
 * The cookie of a session (contract O2). Browsers give cookies to every port of a host, so each port has a name of its
 * own: two services on one machine would sign each other out.
 *
 * @param url how people reach the service
 * @param base the path of the admin. Another server of the host needn't get it; `__Host-` wants the whole host
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
