import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import en from '../locales/messages/en.json' with { type: 'json' }
import type { WireAnnouncement } from '../src/core/announcement.ts'
import type { Issue } from '../src/core/problem.ts'
import { parsePosting } from '../src/core/schema.ts'
import { API_SECRET, coupon, current, DRAFT, inMemory, notify, publish, write } from './harness.ts'

const mount = inMemory()

const bad = fc.constantFrom(
  ...'\0\n\u2028\u202e\u2066\udfff\u200b\ufeff\ud800',
  ...`\\ // javascript: data: <script> " ' __proto__ { } %00 \u{1f389} abc`.split(' '),
)
const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(bad, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ minLength: 3, maxLength: 600 }),
)
const value = fc.oneof({ weight: 4, arbitrary: junk }, fc.jsonValue())

/** Bodies that are nearly valid: some fields are right, some hostile, some missing, some odd. */
const body = fc.record(
  {
    text: fc.oneof(fc.constant('A fine text'), value),
    type: fc.oneof(fc.constantFrom('post', 'coupon', 'product'), value),
    slug: fc.oneof(fc.constant('/fine'), fc.webUrl(), value),
    icon: fc.oneof(fc.constantFrom(null, 'tag'), value),
    expiresAt: fc.oneof(
      fc.constant('2030-01-01T00:00:00Z'),
      fc.integer().map((ms) => ms * 1_000),
      value,
    ),
    startsAt: fc.oneof({ weight: 8, arbitrary: fc.constant('2020-01-01T00:00:00Z') }, junk),
    translations: fc.oneof(
      { weight: 8, arbitrary: fc.constant({ de: 'Ein feiner Text' }) },
      fc.dictionary(fc.string({ maxLength: 8 }), value),
      value,
    ),
    slugs: fc.oneof(
      { weight: 8, arbitrary: fc.constant({ de: '/fein' }) },
      fc.dictionary(fc.string({ maxLength: 8 }), value),
      value,
    ),
  },
  { requiredKeys: [] },
)

/** Checks that the live announcement could have been posted as it is, with nothing left to trim (contract A6 to A9). */
function isLawful({ id: _, timestamp: __, ...shown }: WireAnnouncement, now: number) {
  const { text, slug } = shown
  expect(parsePosting(shown, now).draft).toMatchObject({ text, slug })
}

describe('hostile input', () => {
  it('contract A5 to A11: generated bodies get 201 or 400, never a 5xx, and the live announcement follows the rules', async () => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const before = await current(mount)
        const response = await publish(mount, sent)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        const event = await current(mount)
        if (response.status === 201) {
          expect(event?.id).toBe(response.headers.get('placard-event-id'))
          isLawful(event as WireAnnouncement, mount.now())
        } else {
          expect(response.status).toBe(400)
          expect(event).toEqual(before)
          const { error, issues = [] } = await response.json()
          expect(error).toEqual(expect.any(String))
          // A code without a sentence would be one of zod's own.
          expect(issues.filter(({ code }: Issue) => !(code in en.problems))).toEqual([])
        }
      }),
      { numRuns: 1_500 },
    )
    expect(statuses.get(201)).toBeGreaterThan(20)
    expect(statuses.get(400)).toBeGreaterThan(500)
  })

  it('contract A5: a body of random bytes gets 400, 413 or 415', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(`{"text":"${text}"}`)),
    )
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom('POST' as const, 'DELETE' as const),
        async (raw, method) => {
          const response = await write(mount, method, new Uint8Array(raw))
          expect([400, 413, 415]).toContain(response.status)
        },
      ),
      { numRuns: 600 },
    )
  })

  it('contract A13, R6: a DELETE with a random query gets 200 or 400, never a 5xx', async () => {
    const query = fc.array(
      fc.tuple(fc.constantFrom('type', 'id', 'x', '__proto__', 'constructor', ''), junk),
      { maxLength: 3 },
    )
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async (pairs, encoded) => {
        const raw = pairs
          .map(([name, text]) => {
            const safe = encoded ? encodeURIComponent(text.toWellFormed()) : text
            return `${name}=${safe.replace(/[#\s]/g, '')}`
          })
          .join('&')
        const response = await write(mount, 'DELETE', undefined, {}, `/api/events?${raw}`)
        expect([200, 400]).toContain(response.status)
      }),
      { numRuns: 600 },
    )
  })

  it('contract A4, R6: a random Authorization header gets 401', async () => {
    const header = fc
      .string({
        unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      })
      .filter((text) => !/^[\x7f]|\x7f/.test(text) && !text.includes(API_SECRET))
    await fc.assert(
      fc.asyncProperty(header, fc.constantFrom('', 'Bearer ', 'bearer  '), async (text, scheme) => {
        const response = await publish(mount, DRAFT, { Authorization: `${scheme}${text}` || 'x' })
        expect(response.status).toBe(401)
      }),
      { numRuns: 500 },
    )
  })

  it('contract W4, R6: generated coupons are published or ignored without a 5xx, and the live announcement follows the rules', async () => {
    const odd = fc.record(
      {
        name: fc.oneof(junk, fc.jsonValue()),
        percent_off: fc.oneof(fc.double(), fc.jsonValue()),
        amount_off: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
        currency: fc.oneof(fc.constantFrom('usd', 'JPY', 'kwd', 'zzz', 'xx'), value),
        redeem_by: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.jsonValue()),
        valid: fc.oneof(fc.boolean(), fc.jsonValue()),
        id: fc.oneof(junk, fc.jsonValue()),
      },
      { requiredKeys: [] },
    )
    const around = fc.record(
      { id: fc.oneof(junk, fc.jsonValue()), data: fc.constant(undefined), object: junk },
      { requiredKeys: [] },
    )
    const parts = fc.oneof({ weight: 4, arbitrary: odd }, fc.record({ name: junk }))
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(parts, fc.option(around, { freq: 2 }), async (some, outer) => {
        const notification = coupon('created', { name: 'Hostile' })
        const object = { ...notification.data.object, ...some }
        const response = await notify(mount, { ...notification, data: { object }, ...outer })
        expect(response.status).toBe(200)
        outcomes.add((await response.json()).outcome)
        const event = await current(mount)
        if (event) isLawful(event, mount.now())
      }),
      { numRuns: 1_500 },
    )
    expect([...outcomes].toSorted()).toEqual(['ignored', 'published'])
  })
})
