import { expect, it } from 'vitest'
import { answerOf, coupon, current, DRAFT, notify, publish, withdraw } from './harness.ts'
import { onEachStore } from './suites/mount.ts'

onEachStore('time', (mount) => {
  const get = (tag?: string | null) =>
    mount.fetch('/api/events', { headers: tag ? { 'If-None-Match': tag } : {} })

  it('contract A9: an announcement is gone from its expiresAt on, even for a read with If-None-Match', async () => {
    const end = mount.clock.now() + 60_000
    await publish(mount, { ...DRAFT, expiresAt: String(end) })
    expect(await current(mount)).toMatchObject({ ...DRAFT, expiresAt: String(end) })
    const tag = (await get()).headers.get('etag')
    mount.clock.advance(59_999)
    expect((await get(tag)).status).toBe(304)
    mount.clock.advance(1)
    const after = await get(tag)
    expect(after.status).toBe(200)
    expect(after.headers.has('placard-stale')).toBe(false)
    expect(await after.json()).toEqual({ event: null })
    expect(await mount.placard.current()).toBeNull()
    expect((await mount.placard.snapshot()).event).toBeNull()
  })

  it("contract A9, A13: an announcement that has ended doesn't count as deleted", async () => {
    const response = await publish(mount, {
      ...DRAFT,
      expiresAt: String(mount.clock.now() + 1_000),
    })
    mount.clock.advance(1_000)
    const byId = await withdraw(mount, { id: response.headers.get('placard-event-id') })
    expect(await byId.json()).toMatchObject({ deleted: 0 })
  })

  it('contract A9: a clock that was far ahead for a moment ends nothing that is published later', async () => {
    const began = mount.clock.now()
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Has no end' })
    mount.clock.set(began + 10 * 365 * 86_400_000)
    expect(await current(mount)).toMatchObject({ text: 'Has no end' })
    mount.clock.set(began)
    await publish(mount, { ...DRAFT, text: 'Ends later', expiresAt: began + 1_000 })
    expect(await current(mount)).toMatchObject({ text: 'Ends later' })
    mount.clock.advance(1_000)
    expect(await current(mount)).toMatchObject({ text: 'Has no end' })
  })

  it('contract A9, A17: if the clock is set back before an end is stored, the announcement shows again, and If-Match accepts its ETag', async () => {
    const began = mount.clock.now()
    await publish(mount, { ...DRAFT, expiresAt: began + 1_000 })
    mount.clock.set(began + 1_000)
    expect(await current(mount)).toBeNull()
    mount.clock.set(began)
    const tag = String((await get()).headers.get('etag'))
    expect(await current(mount)).toMatchObject(DRAFT)
    const product = { ...DRAFT, type: 'product' }
    expect((await publish(mount, product, { 'If-Match': tag })).status).toBe(201)
  })

  const published = { status: 200, received: true, outcome: 'published' }

  it('contract W6: a notification without id or created counts as new, and as created now', async () => {
    const { id: _, created: __, ...bare } = coupon('created', { name: 'Bare one' })
    for (let round = 0; round < 2; round++) {
      expect(await answerOf(notify(mount, bare))).toEqual(published)
      const first = await current(mount)
      expect(first).toMatchObject({ text: 'Bare one' })
      await withdraw(mount, { type: 'coupon' })
    }
    const seconds = Math.floor(mount.clock.now() / 1000)
    const older = coupon('created', { name: 'Older' }, seconds - 1)
    const stale = { outcome: 'ignored', reason: 'stale' }
    expect(await answerOf(notify(mount, older))).toMatchObject(stale)
    mount.clock.advance(1_000)
    await notify(mount, { ...bare, created: null, id: null })
    expect(await current(mount)).toMatchObject({ text: 'Bare one' })
    await notify(mount, coupon('created', { name: 'Newer' }, seconds + 2))
    expect(await current(mount)).toMatchObject({ text: 'Newer' })
  })

  it("contract W5: a coupon announcement ends at the coupon's redeem_by, and repeating its notification later gets the first response", async () => {
    const redeemBy = mount.clock.now() / 1000 + 60
    const notification = coupon('created', { name: 'A minute', redeemBy })
    await notify(mount, notification)
    mount.clock.advance(60_000)
    expect(await current(mount)).toBeNull()
    expect(await answerOf(notify(mount, notification))).toEqual(published)
    const late = coupon('updated', { name: 'Too late', redeemBy })
    const expired = { outcome: 'ignored', reason: 'coupon_expired' }
    expect(await answerOf(notify(mount, late))).toMatchObject(expired)
    expect(await current(mount)).toBeNull()
  })
})
