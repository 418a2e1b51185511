import { describe, expect, it } from 'vitest'
import { clear, coupon, current, DRAFT, type Mount, notify, publish, sign } from '../harness.ts'
import { sharedMount } from './mount.ts'

const JSON_DRAFT = JSON.stringify(DRAFT)
const utf8 = (text: string) => new TextEncoder().encode(text)
const padded = (bytes: number) => JSON_DRAFT.padEnd(bytes)

/** What a body and its signature have to be before its fields are looked at, seen from outside. */
export function bodiesSuite(name: string, make: () => Promise<Mount>): void {
  describe(`bodies, ${name}`, () => {
    const mount = sharedMount(make)

    const refused = async (response: Response, status: number) => {
      expect(response.status).toBe(status)
      expect((await response.json()).error).toEqual(expect.any(String))
      expect(await current(mount)).toBeNull()
    }

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON ; charset="utf-8"',
    ])('contract A5: takes Content-Type %s', async (type) => {
      expect((await publish(mount, JSON_DRAFT, { 'Content-Type': type })).status).toBe(201)
    })

    it.each([
      'text/plain',
      'application/json;charset=latin1',
      'application/json; version=1',
      'application/json, text/plain',
      'application/problem+json',
    ])('contract A5: answers 415 to Content-Type %s', async (type) => {
      await refused(await publish(mount, JSON_DRAFT, { 'Content-Type': type }), 415)
    })

    it('contract A5: answers 415 to a body without a Content-Type', async () => {
      await refused(await publish(mount, utf8(JSON_DRAFT), { 'Content-Type': undefined }), 415)
    })

    it.each(['gzip', 'identity'])(
      'contract A5: answers 415 to any Content-Encoding: %s',
      async (encoding) => {
        await refused(await publish(mount, JSON_DRAFT, { 'Content-Encoding': encoding }), 415)
      },
    )

    it('contract A5: takes 16 KiB and answers 413 to a byte more, by counted bytes', async () => {
      expect((await publish(mount, padded(16_384))).status).toBe(201)
      await clear(mount)
      await refused(await publish(mount, padded(16_385)), 413)
      // Half as many characters as bytes.
      await refused(await publish(mount, { ...DRAFT, text: 'é'.repeat(8_190) }), 413)
    })

    it('contract A5: counts a body that comes in pieces and names no length', async () => {
      const pieces = (bytes: number) =>
        new ReadableStream({
          start(controller) {
            const all = utf8(padded(bytes))
            for (let at = 0; at < bytes; at += 1_000) controller.enqueue(all.slice(at, at + 1_000))
            controller.close()
          },
        })
      const send = (bytes: number) =>
        mount.fetch('/api/events', {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${mount.apiSecret}`,
            'Content-Type': 'application/json',
            'X-Forwarded-For': `172.16.0.${bytes % 256}`,
          },
          body: pieces(bytes),
          duplex: 'half',
        } as RequestInit)
      await refused(await send(16_385), 413)
      await refused(await send(200_000), 413)
      expect((await send(16_384)).status).toBe(201)
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
      [
        'a repeated key within translations',
        JSON_DRAFT.replace('{', '{"translations":{"de":"Text","de":"Text"},'),
      ],
      [
        '__proto__ within translations',
        JSON_DRAFT.replace('{', '{"translations":{"__proto__":""},'),
      ],
      ['__proto__, escaped', JSON_DRAFT.replace('{', '{"\\u005f_proto__":null,')],
    ])('contract A5: answers 400 to a body that is %s', async (_, body) => {
      await refused(await publish(mount, body), 400)
    })

    it('contract A5: a value that looks like a key, or has braces, is no repeated key', async () => {
      const text = 'text "text": {"type":[ \\\\'
      await publish(mount, `{"text":${JSON.stringify(text)},"type":"post","slug":"#text"}`)
      expect(await current(mount)).toMatchObject({ text })
    })

    it.each([
      ['lists', '['.repeat(16_000)],
      ['closed lists', `{"text":${'['.repeat(8_100)}${']'.repeat(8_100)}}`],
      ['closed objects', `${'{"a":'.repeat(2_700)}1${'}'.repeat(2_700)}`],
      ['expiresAt', `{"expiresAt":${'['.repeat(8_100)}${']'.repeat(8_100)}}`],
      ['quotes', `{"a":"${'\\"'.repeat(8_000)}`],
      ['keys', `{${Array.from({ length: 1_600 }, (_, key) => `"${key}":1`).join()}}`],
    ])('contract A5: refuses nested or crowded %s in under 50 ms', async (_, body) => {
      /** The least of some rounds, as a busy machine adds to each; no more of them than it takes to be below the bound. */
      const least = async (body: string, bound: number, rounds: number) => {
        let least = Number.POSITIVE_INFINITY
        for (let round = 0; round < rounds && least > bound; round++) {
          const started = performance.now()
          await refused(await publish(mount, body), 400)
          least = Math.min(least, performance.now() - started)
        }
        return least
      }
      // A mount may have to wake and to connect for any request.
      const bound = 50 + (await least('{}', 0, 3))
      expect(await least(body, bound, 20)).toBeLessThan(bound)
    })

    it('contract W1: a signature that is missing, bad or of something else is 400 and stores nothing', async () => {
      const payload = JSON.stringify(coupon('created', { name: 'Signed well' }))
      const now = mount.now()
      const good = sign(payload, mount.stripeSecret, now)
      const bad = [
        undefined,
        ' ',
        good.replace('v1=', 'v0='),
        good.replace(/t=(\d+)/, (_, at) => `t=${Number(at) + 1}`),
        sign(payload, mount.apiSecret, now),
        sign(`${payload} `, mount.stripeSecret, now),
        sign(payload, `${mount.stripeSecret}x`, now),
        `t=NaN,${good.split(',')[1]}`,
      ]
      for (const signature of bad) {
        const response = await notify(mount, payload, { 'Stripe-Signature': signature })
        expect(response.status, signature).toBe(400)
        expect(await response.json()).toEqual({
          error: expect.any(String),
          code: 'invalid_signature',
        })
      }
      expect(await current(mount)).toBeNull()
      expect((await notify(mount, payload, { 'Stripe-Signature': good })).status).toBe(200)
      expect(await current(mount)).toMatchObject({ text: 'Signed well' })
    })
  })
}
