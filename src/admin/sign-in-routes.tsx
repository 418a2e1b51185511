import { badRequest, fill } from '../core/messages.ts'
import { Problem } from '../core/problem.ts'
import { isLoopback, shellCommand } from '../core/shell-command.ts'
import { NO_STORE } from '../http/headers.ts'
import { printable } from '../http/input.ts'
import { DEFAULT_ADMIN_PATH, linkRequestIn } from '../http/links.ts'
import { internalsOf } from '../internals.ts'
import type { Placard } from '../placard.ts'
import { zoneOf } from '../times/parse.ts'
import { html, seeOther } from './answers.ts'
import { appearanceIn } from './appearance.ts'
import { assertSameOrigin, cookieIn, originOf, readForm, sessionCookie } from './request.ts'
import type { Sessions } from './sessions.ts'
import type { NoticeProps } from './views/controls.tsx'
import { Failure, SignIn } from './views/sign-in.tsx'
import type { AdminInfo, Visit } from './visit.ts'
import { type Words, wordsFor } from './words.ts'

export type Handler = (request: Request, info: AdminInfo) => Response | Promise<Response>
type SignedInHandler = (visit: Visit) => Response | Promise<Response>

/** The maximum size of a sign-in form: small, because even a stranger can tie up memory by sending a form slowly. */
const MAX_SIGN_IN_BYTES = 4 * 1024

/**
 * Signs people in and out, and checks their sessions (contract O1 to O3).
 *
 * @param path the admin's path below `url`
 * @param base the admin's path as browsers see it
 */
export function createSignIn(
  placard: Placard,
  sessions: Sessions,
  { path, base, url }: { path: string; base: string; url: string | undefined },
) {
  const { service } = internalsOf(placard)
  const { guard } = service
  const addressOf = ({ headers }: Request, { address }: AdminInfo) =>
    service.addressOf({ address, forwarded: headers.get('x-forwarded-for') })
  const reached = (request: Request) => url ?? originOf(request)
  const sessionIn = (request: Request) => cookieIn(request, cookieOf(request).name)
  const cookieOf = (request: Request) => sessionCookie(reached(request), base)

  async function visitOf(request: Request, info: AdminInfo, isUse = true): Promise<Visit | null> {
    const token = sessionIn(request)
    if (token === undefined) return null
    const address = addressOf(request, info)
    const session = await guard.lookUp(address, () => sessions.find(token, isUse))
    if (!session) return null
    const words = wordsOf(request)
    // The name isn't a cookie of its own, because a sibling subdomain could set that, and forge the history's author.
    const name = session.name || null
    const asksName = session.name === null
    const look = appearanceIn(cookieIn(request, 'placard-site'))
    const fromElsewhere = service.trustProxy > 0 || !isLoopback(originOf(request))
    const who = { address, name, asksName }
    return { request, info, ...who, words, look, url: reached(request), fromElsewhere }
  }

  function signInPage(request: Request, status = 200, notice?: NoticeProps): Response {
    const option = path === DEFAULT_ADMIN_PATH ? '' : ` --path ${path}`
    const command = shellCommand(`open${option}`, reached(request))
    const words = wordsOf(request)
    return html(<SignIn {...{ words, base, visit: null, notice, command }} />, status)
  }

  return {
    /** Responds with a page of the admin, or with the sign-in page if there is no session. */
    page:
      (render: SignedInHandler): Handler =>
      async (request, info) => {
        const visit = await visitOf(request, info)
        const response = visit ? await render(visit) : signInPage(request)
        // Clears the cookie of an expired session. A visit from a link on another site carries no cookie
        // (SameSite=Strict), so it doesn't clear the cookie of a valid session.
        if (!visit && sessionIn(request) !== undefined) {
          response.headers.append('Set-Cookie', cookieOf(request).clear)
        }
        return response
      },

    /**
     * Responds to a request of the page's script, or with a 401 if there is no session. Requests that a page makes by
     * itself don't extend a session (contract O2).
     */
    part:
      (respond: SignedInHandler, isAsked = true): Handler =>
      async (request, info) => {
        const isUse = isAsked && !new URL(request.url).searchParams.has('unasked')
        if (request.method === 'POST') assertSameOrigin(request, reached(request))
        const visit = await visitOf(request, info, isUse)
        if (!visit) throw new Problem('unauthorized', 'You are signed out')
        return respond(visit)
      },

    /** Handles `POST /admin/links`, which requires the bearer token (contract O1). */
    link: ((request, info) =>
      guard.write(request, addressOf(request, info), async () => {
        const { secret, name } = await linkRequestIn(request)
        const { value, endsAt } = await sessions.create('code', secret, name)
        const link = { url: `${reached(request)}${path}#${value}`, expiresAt: String(endsAt) }
        return Response.json(link, { status: 201, headers: NO_STORE })
      })) satisfies Handler,

    /** `POST /admin/session`: signs in with the code of a link, or with the API secret. */
    signIn: (async (request, info) => {
      assertSameOrigin(request, reached(request))
      const words = wordsOf(request)
      let token: string | null = null
      let fault = words.signIn.usedCode
      try {
        // Counts the request before reading the form, so that the service reads no form from a client over its limit.
        await guard.countStranger(addressOf(request, info))
        const form = await readForm(request, MAX_SIGN_IN_BYTES)
        const code = form.get('code')
        if (code !== null) {
          token = await sessions.redeem(code)
        } else {
          fault = words.signIn.wrongSecret
          const secret = form.get('secret')?.trim() ?? ''
          await guard.authorize(`Bearer ${secret}`)
          token = (await sessions.create('session', secret, null)).value
        }
      } catch (error) {
        const problem = Problem.from(error)
        if (problem.code === 'too_many_requests') {
          const seconds = Number(problem.details.retryAfter)
          const text = fill(words.signIn.tooMany, { seconds })
          const response = signInPage(request, 429, { kind: 'fault', text })
          response.headers.set('Retry-After', String(seconds))
          return response
        }
        if (problem.code !== 'unauthorized') throw error
      }
      if (token === null) {
        // A failed sign-in doesn't end an existing session.
        if (await visitOf(request, info)) return seeOther(base)
        return signInPage(request, 401, { kind: 'fault', text: fault })
      }
      return seeOther(base, cookieOf(request).set(token))
    }) satisfies Handler,

    signOut: (async (request, info) => {
      assertSameOrigin(request, reached(request))
      const token = sessionIn(request)
      if (token !== undefined) {
        await guard.lookUp(addressOf(request, info), () => sessions.end(token))
      }
      return seeOther(base, cookieOf(request).clear)
    }) satisfies Handler,

    /** Stores the person's name, or `''` if they gave none, with their session. A name from a sign-in link stays. */
    async name({ request, asksName }: Visit): Promise<Response> {
      const given = (await readForm(request, MAX_SIGN_IN_BYTES)).get('name')?.trim() ?? ''
      const name = given === '' ? '' : printable(given)
      if (name === undefined) throw badRequest('not_a_name')
      const token = sessionIn(request)
      if (asksName && token !== undefined) await sessions.rename(token, name)
      return new Response(null, { status: 204, headers: NO_STORE })
    },

    /** Responds to a failed request with a page, or with JSON if the client doesn't accept HTML. */
    failed(request: Request, problem: Problem): Response {
      if (!request.headers.get('accept')?.includes('text/html')) return problem.toResponse()
      const words = wordsOf(request)
      const response = html(<Failure {...{ words, base, visit: null, problem }} />, problem.status)
      for (const [name, value] of Object.entries(problem.headers)) response.headers.set(name, value)
      return response
    },
  }
}

function wordsOf(request: Request): Words {
  const chosen = cookieIn(request, 'placard-lang')
  return wordsFor(chosen, request.headers.get('accept-language'), readersZone(request))
}

/** The browser's time zone if the page's script has stored it; otherwise, the time zone of the service. */
function readersZone(request: Request): string {
  try {
    return zoneOf(cookieIn(request, 'placard-zone'))
  } catch {
    return zoneOf(undefined)
  }
}
