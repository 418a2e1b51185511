import { expect, it, vi } from 'vitest'
import { answerOf, coupon, current, DRAFT, notify, publish, withdraw } from './harness.ts'
import { onEachStore } from './suites/mount.ts'

onEachStore('time', (mount) => {
  const get = (tag?: string | null) =>
    mount.fetch('/api/events', { headers: tag ? { 'If-None-Match': tag } : {} })

  it('contract A9: gone from the very instant of expiresAt, even for If-None-Match', async () => {
    const { clock } = mount
    const end = clock.now() + 60_000
    await publish(mount, { ...DRAFT, expiresAt: String(end) })
    expect(await current(mount)).toMatchObject({ ...DRAFT, expiresAt: String(end) })
    const tag = (await get()).headers.get('etag')
    clock.advance(59_999)
    expect((await get(tag)).status).toBe(304)
    clock.advance(1)
    const after = await get(tag)
    expect(after.status).toBe(200)
    expect(after.headers.has('placard-stale')).toBe(false)
    expect(await after.json()).toEqual({ event: null })
    expect(await mount.placard.current()).toBeNull()
    expect((await mount.placard.snapshot()).event).toBeNull()
  })

  it('contract A9, A13: what has ended no longer counts as deleted', async () => {
    const { clock } = mount
    const response = await publish(mount, { ...DRAFT, expiresAt: String(clock.now() + 1_000) })
    clock.advance(1_000)
    const byId = await withdraw(mount, { id: response.headers.get('placard-event-id') })
    expect(await byId.json()).toMatchObject({ deleted: 0 })
  })

  it('contract A9: what has ended stays ended when the clock steps back, even after a write', async () => {
    const { clock, placard } = mount
    await publish(mount, { ...DRAFT, type: 'product', text: 'Stays up' })
    await publish(mount, { ...DRAFT, text: 'Ends', expiresAt: clock.now() + 1_000 })
    const heard: (string | undefined)[] = []
    placard.subscribe(({ event }) => heard.push(event?.text))
    const began = clock.now()
    clock.advance(1_000)
    expect(await current(mount)).toMatchObject({ text: 'Stays up' })
    clock.set(began - 86_400_000)
    await withdraw(mount, { type: 'coupon' })
    expect(await current(mount)).toMatchObject({ text: 'Stays up' })
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Something else' })
    await withdraw(mount, { type: 'coupon' })
    expect(await current(mount)).toMatchObject({ text: 'Stays up' })
    expect(heard).toEqual(['Stays up', 'Something else', 'Stays up'])
  })

  it('contract A14: what has started stays up when the clock steps back before the start is stored', async () => {
    const { clock, placard } = mount
    const began = clock.now()
    await publish(mount, { ...DRAFT, type: 'product', text: 'Below' })
    await publish(mount, { ...DRAFT, text: 'Before' })
    await publish(mount, { ...DRAFT, text: 'Starts', startsAt: began + 1_000 })
    const told: (string | undefined)[] = []
    placard.subscribe(({ event }) => told.push(event?.text))
    clock.set(began + 1_000)
    const first = await get()
    expect((await first.json()).event).toMatchObject({ text: 'Starts' })
    clock.set(began + 1)
    // A write makes the node look again.
    await withdraw(mount, { type: 'product' })
    const again = await get()
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(told).toEqual(['Starts'])
    // Its instant comes again, and it is stored, though nobody writes.
    clock.set(began + 1_000)
    await get()
    const other = await mount.place.open()
    await vi.waitFor(async () => expect((await other.load()).scheduled).toEqual([]))
    await other.close()
    expect((await get()).headers.get('etag')).toBe(first.headers.get('etag'))
  })

  it('contract A14: after such a step, taking down what was replaced takes down what had started', async () => {
    const { clock } = mount
    const began = clock.now()
    await publish(mount, { ...DRAFT, text: 'Before' })
    await publish(mount, { ...DRAFT, type: 'product', text: 'Of another type' })
    await publish(mount, { ...DRAFT, text: 'Starts', startsAt: began + 1_000 })
    clock.set(began + 1_000)
    expect(await current(mount)).toMatchObject({ text: 'Starts' })
    clock.set(began + 1)
    await withdraw(mount, { type: 'post' })
    expect(await current(mount)).toMatchObject({ text: 'Of another type' })
  })

  it('contract A17: after a step back of the clock, If-Match takes the ETag of what shows', async () => {
    const { clock } = mount
    const began = clock.now()
    const tag = async () => ({ 'If-Match': String((await get()).headers.get('etag')) })
    await publish(mount, { ...DRAFT, type: 'product', text: 'Below' })
    await publish(mount, { ...DRAFT, text: 'Ends', expiresAt: began + 1_000 })
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Starts', startsAt: began + 2_000 })
    const unseen = await tag()
    clock.set(began + 1_000)
    const ended = await tag()
    clock.set(began)
    const more = { ...DRAFT, type: 'coupon', startsAt: began + 3_000 }
    expect((await publish(mount, more, unseen)).status).toBe(412)
    expect((await publish(mount, more, ended)).status).toBe(201)
    clock.set(began + 2_000)
    const started = await tag()
    clock.set(began)
    expect((await withdraw(mount, { type: 'post' }, ended)).status).toBe(412)
    expect((await withdraw(mount, { type: 'post' }, started)).status).toBe(200)
  })

  it('contract A9: a clock that was far ahead for a moment ends nothing that is published after it', async () => {
    const { clock } = mount
    const began = clock.now()
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'Has no end' })
    clock.set(began + 10 * 365 * 86_400_000)
    expect(await current(mount)).toMatchObject({ text: 'Has no end' })
    clock.set(began)
    await publish(mount, { ...DRAFT, text: 'Ends later', expiresAt: began + 1_000 })
    expect(await current(mount)).toMatchObject({ text: 'Ends later' })
    clock.advance(1_000)
    expect(await current(mount)).toMatchObject({ text: 'Has no end' })
  })

  const published = { status: 200, received: true, outcome: 'published' }

  it('contract W6: a notification without id or created is new, and it is now', async () => {
    const { clock } = mount
    const { id: _, created: __, ...bare } = coupon('created', { name: 'Bare one' })
    for (let round = 0; round < 2; round++) {
      expect(await answerOf(notify(mount, bare))).toEqual(published)
      const first = await current(mount)
      expect(first).toMatchObject({ text: 'Bare one' })
      await withdraw(mount, { type: 'coupon' })
    }
    const seconds = Math.floor(clock.now() / 1000)
    const older = coupon('created', { name: 'Older' }, seconds - 1)
    const stale = { outcome: 'ignored', reason: 'stale' }
    expect(await answerOf(notify(mount, older))).toMatchObject(stale)
    clock.advance(1_000)
    await notify(mount, { ...bare, created: null, id: null })
    expect(await current(mount)).toMatchObject({ text: 'Bare one' })
    await notify(mount, coupon('created', { name: 'Newer' }, seconds + 2))
    expect(await current(mount)).toMatchObject({ text: 'Newer' })
  })

  it('contract W5: ends with its redeem_by; a repeat after that is still answered like the first', async () => {
    const { clock } = mount
    const redeemBy = clock.now() / 1000 + 60
    const notification = coupon('created', { name: 'A minute', redeemBy })
    await notify(mount, notification)
    clock.advance(60_000)
    expect(await current(mount)).toBeNull()
    expect(await answerOf(notify(mount, notification))).toEqual(published)
    const late = coupon('updated', { name: 'Too late', redeemBy })
    const expired = { outcome: 'ignored', reason: 'coupon_expired' }
    expect(await answerOf(notify(mount, late))).toMatchObject(expired)
    expect(await current(mount)).toBeNull()
  })
})
