import { Problem } from '../problem.ts'

const REALM = 'Bearer realm="placard"'

/**
 * Makes the check of the `Authorization` header (contract A4).
 *
 * Compares digests under a key of this process: they have one length whatever was sent, and where they
 * first differ tells nothing about the secret. Every secret is compared, so that time tells neither which.
 *
 * @returns a function that rejects with Problem `unauthorized`
 */
export function createAuthorize(
  secrets: readonly string[],
): (authorization: string | null) => Promise<void> {
  const utf8 = new TextEncoder()
  const key = crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.sign('HMAC', await key, utf8.encode(text)))
  const expected = Promise.all(secrets.map(digest))

  return async (authorization) => {
    const token = /^bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw refusal(REALM)
    const sent = await digest(token)
    let matches = false
    for (const secret of await expected) {
      let difference = 0
      for (const [index, byte] of sent.entries()) difference |= byte ^ (secret[index] ?? 0)
      matches = difference === 0 || matches
    }
    if (!matches) throw refusal(`${REALM}, error="invalid_token"`)
  }
}

function refusal(challenge: string): Problem {
  return new Problem('unauthorized', 'Unauthorized', { headers: { 'WWW-Authenticate': challenge } })
}
