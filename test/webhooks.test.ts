import { describe, expect, it } from 'vitest'
import { simulatedId } from '../src/stripe/notification-types.ts'
import { documented } from './documented.ts'
import {
  answerOf,
  coupon,
  current,
  historyOf,
  inMemory,
  notify,
  readOwned,
  STRIPE_SECRET,
  sign,
} from './harness.ts'

const OTHER_SECRET = 'whsec_the-secret-after-rotation'
const make = (options = {}) => documented(inMemory(options))
type Mount = ReturnType<typeof make>

const deliver = async (mount: Mount, body: Uint8Array<ArrayBuffer> | string, signature: string) => {
  const headers = { 'Stripe-Signature': signature }
  return (await mount.fetch('/api/webhooks', { method: 'POST', headers, body })).status
}
const PAYLOAD = JSON.stringify(coupon('created', { name: 'Añadido 🎉' }))
const signed = (mount: Mount, secret = STRIPE_SECRET, seconds = 0) =>
  sign(PAYLOAD, secret, mount.now() + seconds * 1_000)
const warnings = (mount: Mount) => mount.log.lines.filter(({ level }) => level === 'warn')

describe('signed notifications', () => {
  it('contract W1: are verified as raw bytes, so each of 100 single-byte changes gets 400', async () => {
    const mount = make()
    const bytes = new TextEncoder().encode(PAYLOAD)
    const statuses = new Map<number, number>()
    for (let round = 0; round < 100; round++) {
      const changed = bytes.slice()
      const at = Math.floor((round / 100) * bytes.length)
      changed[at] = ((changed[at] ?? 0) + 1 + Math.floor(Math.random() * 255)) % 256
      const status = await deliver(mount, changed, signed(mount))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([[400, 100]])
    const formatted = JSON.stringify(JSON.parse(PAYLOAD), null, 2)
    for (const body of [`\ufeff${PAYLOAD}`, ` ${PAYLOAD}`, `${PAYLOAD}\n`, formatted, '', '{}']) {
      expect(await deliver(mount, body, signed(mount))).toBe(400)
    }
    expect(await current(mount)).toBeNull()
    expect(await deliver(mount, bytes, signed(mount))).toBe(200)
  })

  it('contract W1: may have a signed time that is up to 5 minutes off, in either direction', async () => {
    const mount = make()
    const at = (seconds: number) => deliver(mount, PAYLOAD, signed(mount, STRIPE_SECRET, seconds))
    for (const seconds of [-300, 300]) expect(await at(seconds)).toBe(200)
    for (const seconds of [-301, -86_400, 301, 86_400]) expect(await at(seconds)).toBe(400)
    const now = Math.floor(mount.now() / 1_000)
    const future = signed(mount, STRIPE_SECRET, 3_600)
    for (const header of [`t=${now},${future}`, `${future},t=${now}`, `${future}, t=${now}`]) {
      expect(await deliver(mount, PAYLOAD, header)).toBe(400)
    }
  })

  it('contract W1: may use any of several secrets, for rotation, and one of two signatures is enough', async () => {
    const both = make({ stripeWebhookSecret: `${STRIPE_SECRET}, ${OTHER_SECRET}` })
    for (const [secret, status] of [
      [STRIPE_SECRET, 200],
      [OTHER_SECRET, 200],
      [`${STRIPE_SECRET},${OTHER_SECRET}`, 400],
      ['whsec_an-entirely-different-one', 400],
    ] as const) {
      expect(await deliver(both, PAYLOAD, signed(both, secret))).toBe(status)
    }
    const mount = make()
    const [, known] = signed(mount).split(',')
    expect(await deliver(mount, PAYLOAD, `${signed(mount, OTHER_SECRET)},${known}`)).toBe(200)
  })

  it.each([undefined, ''])(
    'contract W1: get a 503 that names STRIPE_WEBHOOK_SECRET if that is %j, whether they are valid or not',
    async (stripeWebhookSecret) => {
      const mount = make({ stripeWebhookSecret })
      for (const signature of [signed(mount), '', `t=${Math.floor(mount.now() / 1_000)},v1=`]) {
        const answer = await answerOf(notify(mount, PAYLOAD, { 'Stripe-Signature': signature }))
        const error = expect.stringContaining('STRIPE_WEBHOOK_SECRET')
        expect(answer).toMatchObject({ status: 503, error })
      }
      expect(await current(mount)).toBeNull()
    },
  )

  it('contract W1, R12: lead to one warning an hour if their secret is unknown, however many arrive', async () => {
    const mount = make()
    const wrong = { ...mount, stripeSecret: OTHER_SECRET }
    const refuse = async (times: number) => {
      for (let count = 0; count < times; count++) {
        expect((await notify(wrong, coupon('created'))).status).toBe(400)
      }
    }
    const told = async () => [
      warnings(mount).length,
      (await (await readOwned(mount, '/api/doctor')).json()).mismatches,
    ]
    // Strangers can produce these without a secret.
    for (const signature of ['', 'v1=0', signed(mount, OTHER_SECRET, -301)]) {
      expect(await deliver(mount, '{}', signature)).toBe(400)
    }
    expect(await told()).toEqual([0, 0])
    await refuse(20)
    mount.clock.advance(2 * 3_600_000)
    await refuse(5)
    // A simulated notification is signed with our secret, so it says nothing about Stripe's.
    await notify(mount, coupon('deleted', {}, undefined, simulatedId()))
    expect(await told()).toEqual([2, 25])
    await notify(mount, coupon('deleted'))
    await refuse(1)
    expect(await told()).toEqual([2, 1])
    mount.clock.advance(3_600_000)
    await refuse(2)
    expect(await told()).toEqual([3, 3])
    await notify(wrong, coupon('deleted'), { 'User-Agent': 'placard-doctor' })
    expect(await told()).toEqual([3, 3])
    const log = JSON.stringify(mount.log.lines)
    expect(log).toContain("set the variable to their destination's signing secret")
    for (const secret of [OTHER_SECRET, STRIPE_SECRET, 'v1=']) expect(log).not.toContain(secret)
  })

  it("contract W1, R12: are ignored with a reason of their own, and with a single warning, if they are a connected account's", async () => {
    const mount = make()
    await notify(mount, coupon('created', { name: 'Ours' }))
    const reason = 'connected_account'
    const kinds = [
      coupon('created', { name: 'Theirs' }),
      coupon('updated', { name: 'Theirs' }),
      coupon('deleted', { name: 'Theirs' }),
      { ...coupon('created'), type: 'checkout.session.completed' },
    ]
    for (const kind of kinds) {
      for (const account of ['acct_1Connected', '', 7]) {
        const answer = await answerOf(notify(mount, { ...kind, account }))
        expect(answer).toEqual({ status: 200, received: true, outcome: 'ignored', reason })
      }
    }
    expect(await current(mount)).toMatchObject({ text: 'Ours' })
    expect(await historyOf(mount)).toHaveLength(1)
    expect(warnings(mount)).toMatchObject([{ message: expect.stringContaining('Your account') }])
    expect(await (await readOwned(mount, '/api/doctor')).json()).toMatchObject({ connected: 12 })
    // In an organization, an event of the owner's own account has a context but no account.
    const own = { ...coupon('created', { name: 'Ours too' }), account: null, context: 'acct_1Own' }
    expect(await answerOf(notify(mount, own))).toMatchObject({ outcome: 'published' })
  })

  it('contract W1: get 200 or 400 and change nothing if they contain garbage', async () => {
    const mount = make()
    const ignored = ['null', '[]', '1', '""', '{}', '{"type":1}', '{"type":"coupon.created"}']
    for (const rubbish of ignored) {
      const response = await notify(mount, rubbish)
      expect(await response.json()).toMatchObject({ received: true, outcome: 'ignored' })
    }
    expect((await notify(mount, 'no JSON')).status).toBe(400)
    expect(await current(mount)).toBeNull()
  })
})

describe('the log gets a single warning for', () => {
  const named = (metadata: Record<string, string>) =>
    coupon('created', { coupon: 'FRIDAY', name: 'Black Friday', metadata })
  const nameless = coupon('created')
  Object.assign(nameless.data.object, { percent_off: null })
  const unusable = named({ placard_link: 'javascript:alert(1)', placard_icon: 'ticket' })
  const texts = { placard_text: 'A third off', placard_text_de: 'Ein Drittel weniger' }
  const doubtful = named({ ...texts, placard_link: 'pricing', placard_icon: 'tikcet' })
  const asMeant = { text: 'A third off', translations: { de: 'Ein Drittel weniger' } }

  it.each<[string, { id: string }, object | null, object]>([
    [
      'contract W1: a thin event',
      Object.assign({ id: 'evt_thin' }, { object: 'v2.core.event', type: 'v1.coupon.created' }),
      ...([null, { message: expect.stringContaining('thin event') }] as const),
    ],
    ['contract W4: a coupon with nothing to show', nameless, null, {}],
    [
      "contract T5: metadata that can't be used",
      ...([unusable, { slug: '#coupon', icon: 'ticket' }] as const),
      { fields: { coupon: 'FRIDAY', faults: [expect.stringMatching(/^placard_link must be a/)] } },
    ],
    [
      'contract T5, A16: metadata that may not show as meant',
      ...([doubtful, { ...asMeant, slug: 'pricing', icon: 'tikcet' }] as const),
      {
        fields: {
          coupon: 'FRIDAY',
          warnings: [
            expect.stringContaining('There is no icon "tikcet"'),
            expect.stringContaining('The link has no leading slash'),
          ],
        },
      },
    ],
  ])('%s', async (_, notification, shown, line) => {
    const mount = make({ knowsIcon: (name: string) => name === 'ticket' })
    await notify(mount, notification)
    await notify(mount, coupon('created', { featured: false }))
    const event = await current(mount)
    expect(event).toEqual(shown && expect.objectContaining(shown))
    expect(warnings(mount)).toMatchObject([{ fields: { notification: notification.id }, ...line }])
  })
})

describe('invalidation', () => {
  it('contract W6, W7, spec 6: the tag `event` is invalidated after the change shows and before the response, even for a repeated notification', async () => {
    const seen: unknown[] = []
    const mount: Mount = make({
      onChange: async (tag: string) => {
        seen.push([tag, (await current(mount))?.text])
      },
    })
    const up = coupon('created', { name: 'On the page' })
    for (let round = 1; round <= 3; round++) {
      await notify(mount, up)
      expect(seen).toEqual(Array(round).fill(['event', 'On the page']))
    }
    await notify(mount, coupon('deleted'))
    expect(seen.at(-1)).toEqual(['event', undefined])
  })

  it('contract W7: a failing hook gives 503, and the redelivery runs it again', async () => {
    let calls = 0
    const mount = make({
      onChange: async () => {
        if (++calls <= 2) throw new Error('the cache said no')
      },
    })
    const notification = coupon('created', { name: 'Stored once' })
    const error = 'The write is stored, but a cache could not be purged; repeat the request'
    const failed = { status: 503, error }
    for (const answer of [failed, failed, { status: 200, outcome: 'published' }]) {
      expect(await answerOf(notify(mount, notification))).toMatchObject(answer)
    }
    expect(calls).toBe(3)
    const [failure] = mount.log.lines.filter(({ level }) => level === 'error')
    expect(JSON.stringify(failure)).toContain('the cache said no')
  })
})
