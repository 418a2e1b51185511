import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../src/core/problem.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { madeUpId } from '../src/stripe/notification-types.ts'
import { documented } from './documented.ts'
import { coupon, current, makePlacard, notify, STRIPE_SECRET, sign } from './harness.ts'

const OTHER_SECRET = 'whsec_the-secret-after-rotation'
const make = (options = {}) => documented(makePlacard(sqliteStore(':memory:'), options))
type Mount = ReturnType<typeof make>

const deliver = (mount: Mount, body: Uint8Array<ArrayBuffer> | string, signature: string) =>
  mount.fetch('/api/webhooks', { method: 'POST', headers: { 'Stripe-Signature': signature }, body })

describe('signature', () => {
  it('contract W1: 1,000 one-byte changes of a signed notification are 1,000 × 400', async () => {
    const mount = make()
    const payload = JSON.stringify(coupon('created', { name: 'Añadido 🎉' }))
    const signature = sign(payload, STRIPE_SECRET, mount.now())
    const bytes = new TextEncoder().encode(payload)
    const statuses = new Map<number, number>()
    for (let round = 0; round < 1_000; round++) {
      const changed = bytes.slice()
      const at = round % bytes.length
      changed[at] = ((changed[at] ?? 0) + 1 + Math.floor(Math.random() * 255)) % 256
      const { status } = await deliver(mount, changed, signature)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([[400, 1_000]])
    expect(await current(mount)).toBeNull()
    expect((await deliver(mount, bytes, signature)).status).toBe(200)
    await mount.close()
  })

  it('contract W1: the signature covers the raw bytes, added and left-out ones included', async () => {
    const mount = make()
    const payload = JSON.stringify(coupon('created', { name: 'Raw bytes' }))
    const signature = sign(payload, STRIPE_SECRET, mount.now())
    const formatted = JSON.stringify(JSON.parse(payload), null, 2)
    for (const body of [`\ufeff${payload}`, ` ${payload}`, `${payload}\n`, formatted, '', '{}']) {
      expect((await deliver(mount, body, signature)).status).toBe(400)
    }
    expect(await current(mount)).toBeNull()
    await mount.close()
  })

  it('contract W1: 5 minutes of tolerance, in both directions', async () => {
    const mount = make()
    for (const [seconds, status] of [
      [0, 200],
      [-299, 200],
      [-300, 200],
      [-301, 400],
      [-86_400, 400],
      [299, 200],
      [300, 200],
      [301, 400],
      [86_400, 400],
    ] as const) {
      const payload = JSON.stringify(coupon('created', { name: 'Just in time' }))
      const signature = sign(payload, STRIPE_SECRET, mount.now() + seconds * 1_000)
      expect((await deliver(mount, payload, signature)).status, `${seconds} s`).toBe(status)
    }
    await mount.close()
  })

  it('contract W1: a header with several times is held to the one that was signed', async () => {
    const mount = make()
    const payload = JSON.stringify(coupon('created', { name: 'Two times' }))
    const future = sign(payload, STRIPE_SECRET, mount.now() + 3_600_000)
    const now = Math.floor(mount.now() / 1_000)
    for (const header of [`t=${now},${future}`, `${future},t=${now}`, `${future}, t=${now}`]) {
      expect((await deliver(mount, payload, header)).status).toBe(400)
    }
    await mount.close()
  })

  it('contract W1: several secrets are valid at once, for rotation', async () => {
    const mount = make({ stripeWebhookSecret: `${STRIPE_SECRET}, ${OTHER_SECRET}` })
    for (const secret of [STRIPE_SECRET, OTHER_SECRET]) {
      const payload = JSON.stringify(coupon('created', { name: 'Rotation' }))
      const response = await deliver(mount, payload, sign(payload, secret, mount.now()))
      expect(response.status).toBe(200)
    }
    const payload = JSON.stringify(coupon('created', { name: 'Rotation' }))
    const both = `${STRIPE_SECRET},${OTHER_SECRET}`
    for (const secret of [both, 'whsec_an-entirely-different-one']) {
      const response = await deliver(mount, payload, sign(payload, secret, mount.now()))
      expect(response.status).toBe(400)
    }
    await mount.close()
  })

  it('contract W1: while Stripe signs with two secrets, one that is known is enough', async () => {
    const mount = make()
    const payload = JSON.stringify(coupon('created', { name: 'Two signatures' }))
    const [known, unknown] = [STRIPE_SECRET, OTHER_SECRET].map((secret) =>
      sign(payload, secret, mount.now()),
    )
    const header = `${unknown},${known?.split(',')[1]}`
    expect((await deliver(mount, payload, header)).status).toBe(200)
    await mount.close()
  })

  it('contract W1: without STRIPE_WEBHOOK_SECRET it is 503 that names the variable, signed or not', async () => {
    for (const stripeWebhookSecret of [undefined, '']) {
      const mount = make({ stripeWebhookSecret })
      const payload = JSON.stringify(coupon('created', { name: 'Open door' }))
      const signatures = [sign(payload, STRIPE_SECRET, mount.now()), '']
      const empty = `t=${Math.floor(mount.now() / 1_000)},v1=`
      for (const signature of [...signatures, empty]) {
        const response = await deliver(mount, payload, signature)
        expect(response.status).toBe(503)
        expect((await response.json()).error).toContain('STRIPE_WEBHOOK_SECRET')
      }
      expect(await current(mount)).toBeNull()
      await mount.close()
    }
  })

  it("contract W1, R12: that none of Stripe's is taken is said once, however many are refused, until one is taken", async () => {
    const mount = make()
    const wrong = { ...mount, stripeSecret: OTHER_SECRET }
    const refuse = async (times: number) => {
      for (let count = 0; count < times; count++) {
        expect((await notify(wrong, coupon('created'))).status).toBe(400)
      }
    }
    const said = () => mount.log.lines.filter(({ level }) => level === 'warn').length
    const refused = async () => {
      const headers = { Authorization: `Bearer ${mount.apiSecret}` }
      return (await (await mount.fetch('/api/doctor', { headers })).json()).mismatches
    }
    // Strangers can make these without a secret.
    for (const signature of ['', 'v1=0', sign('{}', OTHER_SECRET, mount.now() - 301_000)]) {
      expect((await deliver(mount, '{}', signature)).status).toBe(400)
    }
    expect([said(), await refused()]).toEqual([0, 0])
    await refuse(20)
    mount.clock.advance(2 * 3_600_000)
    await refuse(5)
    // One that is made up is signed with our secret, and says nothing about Stripe's.
    await notify(mount, coupon('deleted', {}, undefined, madeUpId()))
    expect([said(), await refused()]).toEqual([1, 25])
    await notify(mount, coupon('deleted'))
    expect([said(), await refused()]).toEqual([1, 0])
    await refuse(1)
    expect([said(), await refused()]).toEqual([2, 1])
    await notify(mount, coupon('deleted'))
    await refuse(1)
    expect([said(), await refused()]).toEqual([2, 1])
    mount.clock.advance(3_600_000)
    await refuse(2)
    expect([said(), await refused()]).toEqual([3, 3])
    await notify(wrong, coupon('deleted'), { 'User-Agent': 'placard-doctor' })
    expect(await refused()).toBe(3)
    const log = JSON.stringify(mount.log.lines)
    expect(log).toContain('set it to the signing secret of their destination')
    for (const secret of [OTHER_SECRET, STRIPE_SECRET, 'v1=']) expect(log).not.toContain(secret)
    await mount.close()
  })

  it('contract W1: signed rubbish is answered, warned of or refused, and does nothing', async () => {
    const mount = make()
    for (const rubbish of [
      'null',
      '[]',
      '1',
      '""',
      '{}',
      '{"type":1}',
      '{"type":"coupon.created"}',
    ]) {
      const response = await notify(mount, rubbish)
      expect(await response.json()).toMatchObject({ received: true, outcome: 'ignored' })
    }
    expect((await notify(mount, 'no JSON')).status).toBe(400)
    expect(await current(mount)).toBeNull()
    await mount.close()
  })

  it('contract W1: a thin event is one warning in the log, which names it', async () => {
    const mount = make()
    await notify(mount, { id: 'evt_thin', object: 'v2.core.event', type: 'v1.coupon.created' })
    expect(mount.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        level: 'warn',
        fields: { notification: 'evt_thin' },
        message: expect.stringContaining('thin event'),
      },
    ])
    await mount.close()
  })

  it('contract W4: a coupon with nothing to show is one warning in the log', async () => {
    const mount = make()
    const notification = coupon('created')
    Object.assign(notification.data.object, { percent_off: null })
    await notify(mount, notification)
    await notify(mount, coupon('created', { featured: false }))
    const warnings = mount.log.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toEqual([
      expect.objectContaining({ fields: { notification: notification.id } }),
    ])
    await mount.close()
  })
})

it('contract T5: what can not be used of the metadata is one warning that names it', async () => {
  const mount = make()
  const metadata = { placard_link: 'javascript:alert(1)', placard_icon: 'ticket' }
  const notification = coupon('created', { coupon: 'FRIDAY', name: 'Black Friday', metadata })
  await notify(mount, notification)
  expect(await current(mount)).toMatchObject({ slug: '#coupon', icon: 'ticket' })
  const [warning, ...others] = mount.log.lines.filter(({ level }) => level === 'warn')
  expect(warning?.fields).toEqual({
    notification: notification.id,
    coupon: 'FRIDAY',
    faults: [expect.stringMatching(/^placard_link must be a fragment/)],
  })
  expect(others).toEqual([])
  await mount.close()
})

it('contract T5, A16: what can be used and may not show as meant is one warning too', async () => {
  const mount = make({ knowsIcon: (name: string) => name === 'ticket' })
  const metadata = { placard_link: 'pricing', placard_icon: 'tikcet' }
  await notify(mount, coupon('created', { coupon: 'FRIDAY', name: 'Black Friday', metadata }))
  expect(await current(mount)).toMatchObject({ slug: 'pricing', icon: 'tikcet' })
  const warnings = [
    expect.stringContaining('There is no icon "tikcet"'),
    expect.stringContaining('The link has no leading slash'),
  ]
  expect(mount.log.lines.filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ fields: expect.objectContaining({ coupon: 'FRIDAY', warnings }) }),
  ])
  await mount.close()
})

describe('invalidation', () => {
  it('contract W7, spec 6: the tag event is invalidated before the answer, when the effect can be read', async () => {
    const seen: unknown[] = []
    const mount: Mount = make({
      onChange: async (tag: string) => {
        seen.push([tag, (await current(mount))?.text])
      },
    })
    await notify(mount, coupon('created', { name: 'On the page' }))
    expect(seen).toEqual([['event', 'On the page']])
    await notify(mount, coupon('deleted'))
    expect(seen.at(-1)).toEqual(['event', undefined])
    await mount.close()
  })

  it('contract W6: a repeat invalidates again', async () => {
    let calls = 0
    const mount = make({ onChange: () => void calls++ })
    const notification = coupon('created', { name: 'Again' })
    for (let round = 1; round <= 3; round++) {
      await notify(mount, notification)
      expect(calls).toBe(round)
    }
    await mount.close()
  })

  it('contract W7: if a hook fails it is 503, and the redelivery runs it again', async () => {
    let calls = 0
    const mount = make({
      onChange: async () => {
        if (++calls <= 2) throw new Error('the cache said no')
      },
    })
    const notification = coupon('created', { name: 'Stored once' })
    for (const status of [503, 503, 200]) {
      const response = await notify(mount, notification)
      expect(response.status).toBe(status)
      const body = await response.text()
      expect(body).not.toContain('the cache said no')
      const { outcome, error } = JSON.parse(body)
      if (status === 200) expect(outcome).toBe('published')
      else expect(error).toBe('Stored, but a cache could not be purged; repeat the request')
    }
    expect(calls).toBe(3)
    const causes = JSON.stringify(mount.log.lines.filter(({ level }) => level === 'error'))
    expect(causes.match(/the cache said no/g)?.length).toBeGreaterThanOrEqual(2)
    await mount.close()
  })

  it('contract W2: a store that fails is 503 and nothing is remembered, so that the redelivery works', async () => {
    const store = sqliteStore(':memory:')
    let down = true
    const mount = makePlacard({
      ...store,
      applyNotification: async (...args) => {
        // As a database that is lost before the commit: all or nothing is the store's own promise.
        if (down) throw new StoreUnavailable('no database')
        return store.applyNotification(...args)
      },
    })
    const notification = coupon('created', { name: 'Second try' })
    expect((await notify(mount, notification)).status).toBe(503)
    expect(await current(mount)).toBeNull()
    down = false
    expect(await (await notify(mount, notification)).json()).toMatchObject({ outcome: 'published' })
    expect(await current(mount)).toMatchObject({ text: 'Second try' })
    await mount.close()
  })
})
