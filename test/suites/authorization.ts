import { expect, it } from 'vitest'
import { current, DRAFT, type Mount, publish, withdraw } from '../harness.ts'

/** Who may write, as clients see it. */
export function authorization(mount: Mount): void {
  const PLAIN = 'Bearer realm="placard"'
  const INVALID = `${PLAIN}, error="invalid_token"`

  const refused = async (response: Response, ...challenges: string[]) => {
    expect(response.status).toBe(401)
    const { error, code } = await response.json()
    expect(error).toMatch(/^Unauthorized: /)
    const challenge = response.headers.get('www-authenticate')
    expect(challenges).toContain(challenge)
    expect(code === 'wrong_token').toBe(challenge === INVALID)
    expect(code === 'no_token').toBe(challenges.length === 1 && challenge === PLAIN)
    expect(await current(mount)).toBeNull()
  }

  it('contract A4, spec 5, 7: a POST or DELETE without Authorization gets 401, whatever its body', async () => {
    const without = { Authorization: undefined }
    await refused(await publish(mount, DRAFT, without), PLAIN)
    await refused(await withdraw(mount, { type: 'post' }, without), PLAIN)
    const wrong = { ...without, 'Content-Type': 'text/plain' }
    await refused(await publish(mount, 'x'.repeat(20_000), wrong), PLAIN)
  })

  it.each([
    ['Basic', (secret: string) => `Basic ${btoa(`user:${secret}`)}`],
    ['no scheme', (secret: string) => secret],
    ['two tokens', (secret: string) => `Bearer ${secret} ${secret}`],
    ['sent twice', (secret: string) => `Bearer ${secret}, Bearer ${secret}`],
    ['sent twice, the first wrong', (secret: string) => `Bearer x, Bearer ${secret}`],
    ['glued', (secret: string) => `Bearer${secret}`],
    ['another scheme with the same ending', (secret: string) => `Forbearer ${secret}`],
  ])('contract A4: a malformed bearer token gets 401: %s', async (_, header) => {
    const Authorization = header(mount.apiSecret)
    // The contract doesn't say whether something malformed is a token.
    await refused(await publish(mount, DRAFT, { Authorization }), PLAIN, INVALID)
  })

  it.each([
    ['a prefix', (secret: string) => secret.slice(0, -1)],
    ['with a suffix', (secret: string) => `${secret}x`],
    ['another case', (secret: string) => secret.toUpperCase()],
    ['quoted', (secret: string) => `"${secret}"`],
    ['Latin-1 letters', (secret: string) => `${secret.slice(1)}ÿ`],
    ['very long', () => 'x'.repeat(8_000)],
    [
      'percent-encoded',
      (secret: string) => `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`,
    ],
  ])('contract A4: a wrong bearer token gets 401 with invalid_token: %s', async (_, token) => {
    const Authorization = `Bearer ${token(mount.apiSecret)}`
    await refused(await publish(mount, DRAFT, { Authorization }), INVALID)
  })

  it('contract A4: the scheme is case-insensitive, as in RFC 9110', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const Authorization = `${scheme} ${mount.apiSecret}`
      expect((await publish(mount, DRAFT, { Authorization })).status).toBe(201)
    }
  })
}
