import { expect, it } from 'vitest'
import { answerOf, coupon, current, DRAFT, type Mount, notify, publish } from '../harness.ts'

/** `POST /api/webhooks`, as clients see it. */
export function notifications(mount: Mount): void {
  const answered = { status: 200, received: true }
  const published = { ...answered, outcome: 'published' }

  it('contract W2, W3, spec 4.4, 6: a featured coupon is published with #coupon and no icon, and an update replaces it', async () => {
    const up = coupon('created', { name: 'Black Friday' })
    expect(await answerOf(notify(mount, up))).toEqual(published)
    expect(await current(mount)).toEqual({
      id: expect.any(String),
      text: 'Black Friday',
      type: 'coupon',
      slug: '#coupon',
      timestamp: expect.stringMatching(/^\d+$/),
    })
    expect(await answerOf(notify(mount, coupon('updated', { name: 'Now 30' })))).toEqual(published)
    expect(await current(mount)).toMatchObject({ type: 'coupon', text: 'Now 30' })
  })

  it('contract W3, spec 6: deleting any featured coupon removes the coupon announcement', async () => {
    await publish(mount)
    await notify(mount, coupon('created', { name: 'First one' }))
    const deleted = coupon('deleted', { name: 'Another one' })
    expect(await answerOf(notify(mount, deleted))).toEqual({ ...answered, outcome: 'withdrawn' })
    expect(await current(mount)).toMatchObject({ type: 'post' })
    await publish(mount, { ...DRAFT, type: 'coupon' })
    await notify(mount, coupon('deleted', { valid: false }))
    expect(await current(mount)).toMatchObject({ type: 'post' })
  })

  it.each([
    ['no metadata entry', {}],
    ['no metadata', undefined],
    ['metadata null', null],
    ['isFeatured as a boolean', { isFeatured: true }],
    ['isFeatured "TRUE"', { isFeatured: 'TRUE' }],
    ['isFeatured "true "', { isFeatured: 'true ' }],
    ['isFeatured "false"', { isFeatured: 'false' }],
    ['only similar keys', { featured: 'true', isfeatured: 'true' }],
    ['isFeatured within __proto__', JSON.parse('{"__proto__":{"isFeatured":"true"}}')],
  ])("contract W3: a coupon with %s isn't featured, so it is ignored", async (_, metadata) => {
    await notify(mount, coupon('created', { name: 'Stays up' }))
    for (const type of ['created', 'updated', 'deleted'] as const) {
      const notification = coupon(type, { name: 'Not featured' })
      const object = { ...notification.data.object, metadata }
      const answer = await answerOf(notify(mount, { ...notification, data: { object } }))
      expect(answer).toMatchObject({ status: 200, outcome: 'ignored', reason: expect.any(String) })
      expect(await current(mount)).toMatchObject({ text: 'Stays up' })
    }
  })

  it.each(['coupon.expired', 'couponXcreated', 'promotion_code.created'])(
    'contract W3, spec 6: a notification of the type %s has no effect',
    async (type) => {
      const notification = { ...coupon('created', { name: 'No no' }), type }
      const answer = await answerOf(notify(mount, notification))
      const reason = 'not_a_coupon_notification'
      expect(answer).toEqual({ ...answered, outcome: 'ignored', reason })
      expect(await current(mount)).toBeNull()
    },
  )

  it.each([
    ['a coupon without a name shows its percentage', { name: null, percentOff: 25.5 }, '25.5% off'],
    ['a coupon without a name shows a whole percentage', { percentOff: 25 }, '25% off'],
    [
      'a coupon without a name shows its amount',
      { amountOff: 1000, currency: 'usd' },
      '$10.00 off',
    ],
    [
      'an amount may be in a currency without a minor unit',
      { amountOff: 500, currency: 'jpy' },
      '¥500 off',
    ],
    ['an amount may be in the thousands', { amountOff: 123_456, currency: 'gbp' }, '£1,234.56 off'],
    ["a name under 3 characters doesn't show", { name: 'XY', percentOff: 10 }, '10% off'],
    ["a name of white space doesn't show", { name: '     ', percentOff: 10 }, '10% off'],
    ['a name is trimmed', { name: '  Summer  ', percentOff: 10 }, 'Summer'],
  ])('contract W4: %s', async (_, options, text) => {
    expect(await answerOf(notify(mount, coupon('created', options)))).toEqual(published)
    expect(await current(mount)).toMatchObject({ text })
  })

  it.each([
    ['no discount', { percent_off: null }],
    ['an amount without its currency', { percent_off: null, amount_off: 500 }],
    ['an unknown currency', { percent_off: null, amount_off: 500, currency: 'euros' }],
    ['a discount of zero', { percent_off: 0 }],
  ])('contract W4: a nameless coupon with %s is ignored, with a reason', async (_, parts) => {
    const notification = coupon('created')
    const object = { ...notification.data.object, ...parts }
    const answer = await answerOf(notify(mount, { ...notification, data: { object } }))
    expect(answer).toEqual({ ...answered, outcome: 'ignored', reason: 'no_displayable_text' })
    expect(await current(mount)).toBeNull()
  })

  it('contract W5: redeem_by becomes expiresAt, and a redeem_by after the last possible date is harmless', async () => {
    for (const redeemBy of [8.64e12 + 1, Number.MAX_SAFE_INTEGER]) {
      const answer = await answerOf(notify(mount, coupon('created', { name: 'Never', redeemBy })))
      expect(answer).toMatchObject({ status: 200, outcome: 'ignored' })
    }
    await notify(mount, coupon('created', { name: 'The very last', redeemBy: 8.64e12 }))
    expect(await current(mount)).toMatchObject({ expiresAt: '8640000000000000' })
  })

  it('contract W6: a notification with a known id but another type counts as a new one', async () => {
    const up = coupon('created', { name: 'Same id' })
    await notify(mount, up)
    const down = { ...coupon('deleted'), id: up.id }
    expect(await answerOf(notify(mount, down))).toEqual({ ...answered, outcome: 'withdrawn' })
    expect(await current(mount)).toBeNull()
  })

  it('contract W6: 50 concurrent repeats of one notification get 200 and have one effect', async () => {
    const notification = coupon('created', { name: 'Fifty times' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => answerOf(notify(mount, notification))),
    )
    expect(answers).toEqual(answers.map(() => published))
    const first = await current(mount)
    expect(await answerOf(notify(mount, notification))).toEqual(published)
    expect(await current(mount)).toEqual(first)
  })
}
