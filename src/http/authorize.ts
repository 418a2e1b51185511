import { Problem } from '../problem.ts'

const REALM = 'Bearer realm="placard"'

/**
 * Makes the check of the `Authorization` header (contract A4).
 *
 * Every secret is compared, so that time doesn't tell which of them is close.
 *
 * @returns a function that throws Problem `unauthorized`
 */
export function createAuthorize(
  secrets: readonly string[],
): (authorization: string | null) => void {
  return (authorization) => {
    // What follows the scheme is all of it the token, also where two headers have become one.
    const token = /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw refusal(REALM)
    const matches = secrets.filter((secret) => isSame(token, secret))
    if (matches.length === 0) throw refusal(`${REALM}, error="invalid_token"`)
  }
}

/** Takes as long as what was sent is long, wherever the first difference is. */
function isSame(sent: string, secret: string): boolean {
  let difference = sent.length ^ secret.length
  for (let i = 0; i < sent.length; i++) {
    difference |= sent.charCodeAt(i) ^ secret.charCodeAt(i % secret.length)
  }
  return difference === 0
}

function refusal(challenge: string): Problem {
  return new Problem('unauthorized', 'Unauthorized', { headers: { 'WWW-Authenticate': challenge } })
}
