import { expect, it } from 'vitest'
import { clear, coupon, current, DRAFT, type Mount, notify, publish, sign } from '../harness.ts'

const JSON_DRAFT = JSON.stringify(DRAFT)
const utf8 = (text: string) => new TextEncoder().encode(text)
const padded = (bytes: number) => JSON_DRAFT.padEnd(bytes)

/** The checks of a body and its signature before the body's fields are read, as clients see them. */
export function bodies(mount: Mount): void {
  const refused = async (response: Response, status: number) => {
    expect(response.status).toBe(status)
    expect(await current(mount)).toBeNull()
  }

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON ; charset="utf-8"',
  ])('contract A5: Content-Type %s is accepted', async (type) => {
    expect((await publish(mount, JSON_DRAFT, { 'Content-Type': type })).status).toBe(201)
  })

  it.each([
    ['Content-Type', undefined],
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/json;charset=latin1'],
    ['Content-Type', 'application/json; version=1'],
    ['Content-Type', 'application/json, text/plain'],
    ['Content-Type', 'application/problem+json'],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'identity'],
  ])('contract A5: %s: %s gets 415', async (header, value) => {
    // Bytes, because a string body would get a default Content-Type.
    await refused(await publish(mount, utf8(JSON_DRAFT), { [header]: value }), 415)
  })

  it('contract A5: 16 KiB is accepted, and one byte more gets 413, counted in bytes', async () => {
    expect((await publish(mount, padded(16_384))).status).toBe(201)
    await clear(mount)
    await refused(await publish(mount, padded(16_385)), 413)
    // Half as many characters as bytes.
    await refused(await publish(mount, { ...DRAFT, text: 'é'.repeat(8_190) }), 413)
  })

  it('contract A5: the size limit also applies to a chunked body without a Content-Length', async () => {
    const pieces = (bytes: number) =>
      new ReadableStream({
        start(controller) {
          const all = utf8(padded(bytes))
          for (let at = 0; at < bytes; at += 1_000) controller.enqueue(all.slice(at, at + 1_000))
          controller.close()
        },
      })
    await refused(await publish(mount, pieces(16_385)), 413)
    await refused(await publish(mount, pieces(200_000)), 413)
    expect((await publish(mount, pieces(16_384))).status).toBe(201)
  })

  it.each([
    ['not UTF-8', new Uint8Array([...utf8('{"text":"'), 0xff, 0xfe, ...utf8('"}')])],
    ['half a UTF-8 sequence', utf8('{"text":"é').slice(0, -1)],
    ['a byte order mark', utf8(`\ufeff${JSON_DRAFT}`)],
    ['empty', ''],
    ['not JSON', `${JSON_DRAFT},`],
    ['a list', `[${JSON_DRAFT}]`],
    ['a string', '"text"'],
    ['null', 'null'],
    ['a repeated key', JSON_DRAFT.replace('{', '{"text":"first one",')],
    ['a repeated key, escaped', JSON_DRAFT.replace('{', '{"\\u0074ype":"post",')],
    ['a repeated key after a nested one', JSON_DRAFT.replace('{', '{"type" :[{"type":1}],')],
    ['a repeated unknown key', JSON_DRAFT.replace('{', '{"a":1,"a":1,')],
    ['a repeated key beside braces in strings', '{"text":"}{\\"","slug":"/","text":"abc"}'],
    ['__proto__', JSON_DRAFT.replace('{', '{"__proto__":{"icon":"x"},')],
    ['a repeated language', JSON_DRAFT.replace('{', '{"translations":{"de":"Text","de":"Text"},')],
    ['__proto__ within translations', JSON_DRAFT.replace('{', '{"translations":{"__proto__":""},')],
    ['__proto__, escaped', JSON_DRAFT.replace('{', '{"\\u005f_proto__":null,')],
  ])('contract A5: an invalid body gets 400: %s', async (_, body) => {
    await refused(await publish(mount, body), 400)
  })

  it("contract A5: a value that looks like a key, or has braces, isn't mistaken for a repeated key", async () => {
    const text = 'text "text": {"type":[ \\\\'
    await publish(mount, `{"text":${JSON.stringify(text)},"type":"post","slug":"#text"}`)
    expect(await current(mount)).toMatchObject({ text })
  })

  it.each([
    ['lists', '['.repeat(16_000)],
    ['closed lists', `{"text":${'['.repeat(8_100)}${']'.repeat(8_100)}}`],
    ['closed objects', `${'{"a":'.repeat(2_700)}1${'}'.repeat(2_700)}`],
    ['lists in expiresAt', `{"expiresAt":${'['.repeat(8_100)}${']'.repeat(8_100)}}`],
    ['quotes', `{"a":"${'\\"'.repeat(8_000)}`],
    ['keys', `{${Array.from({ length: 1_600 }, (_, key) => `"${key}":1`).join()}}`],
  ])('contract A5: a body with deeply nested or very many %s gets 400', async (_, body) => {
    await refused(await publish(mount, body), 400)
  })

  it('contract W1: a missing or wrong signature gets 400, and nothing is stored', async () => {
    const payload = JSON.stringify(coupon('created', { name: 'Añadido 🎉' }))
    const signed = (text: string, secret = mount.stripeSecret) => sign(text, secret, mount.now())
    for (const bad of [undefined, signed(`${payload} `), signed(payload, mount.apiSecret)]) {
      const response = await notify(mount, payload, { 'Stripe-Signature': bad })
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_signature'])
    }
    expect(await current(mount)).toBeNull()
    expect((await notify(mount, payload)).status).toBe(200)
    expect(await current(mount)).toMatchObject({ text: 'Añadido 🎉' })
  })
}
