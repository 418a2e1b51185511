import { parse } from 'hono/utils/cookie'

/** Which language a person chose. It says nothing about them, so scripts may read it. */
export const LANGUAGE_COOKIE = 'placard-lang'

export function cookieIn(request: Request, name: string): string | undefined {
  return parse(request.headers.get('cookie') ?? '', name)[name]
}

/**
 * The cookie of a session (contract O2). Browsers give cookies to every port of a host, so each port has a name of its
 * own: two services on one machine would sign each other out.
 *
 * @param url how people reach the service
 */
export function sessionCookie(url: string) {
  const { protocol, port } = new URL(url)
  const secure = protocol === 'https:'
  const name = secure ? `__Host-placard${port && `-${port}`}` : `placard-${port || '80'}`
  const rest = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  return {
    name,
    set: (token: string) => `${name}=${token}; ${rest}`,
    clear: `${name}=; Max-Age=0; ${rest}`,
  }
}
