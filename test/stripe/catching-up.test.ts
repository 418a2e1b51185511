import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/core/problem.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { current, type DirectMount, DRAFT, notify, publish, put, withdraw } from '../harness.ts'
import { FEATURED, KEY, NOT_FEATURED, startFakeStripe, type Trouble } from './fake.ts'
import type { StripeEvent } from './shapes.ts'
import { HOUR, MINUTE, stageForEach } from './stage.ts'

const stage = stageForEach()
const { stripe, clock } = stage
const tell = (event: StripeEvent) => stage.tell(event)
const up = () => stage.up()
const byHand = (mount: DirectMount, text: string, more = {}) =>
  publish(mount, { ...DRAFT, type: 'coupon', text, ...more })

/** Runs a node and closes it, so that the next node misses all events in between. */
const wasUp = async () => (await stage.start()).close()

it('contract T4: after the first start with a key, only coupons created since are published, however late Stripe answers', async () => {
  stripe.create({ id: 'OLD', name: 'Of the past' })
  await clock.pass(HOUR)
  stage.silence()
  await stage.start()
  await clock.pass(HOUR)
  await stage.answer(2 * HOUR)
  expect(await up()).toBeNull()
  stripe.create({ id: 'NEW', name: 'Since the start' })
  await clock.pass(2 * HOUR)
  expect(await up()).toBe('Since the start')
  expect(await stage.history()).toHaveLength(1)
})

it('contract T4: catching up on 500 notifications about 7 coupons takes under 5 s and at most 15 requests', async () => {
  await (await stage.offers({ id: 'C0', maxRedemptions: 1_000 })).close()
  for (let id = 1; id < 7; id++) stripe.create({ id: `C${id}`, maxRedemptions: 1_000 })
  for (let count = 0; count < 494; count++) {
    await clock.pass((72 * HOUR) / 494)
    stripe.edit(`C${count % 7}`, { name: `Version ${count}` })
  }
  stripe.redeem('C2', 1_000)
  const asked = stripe.asked.length
  await stage.start()
  await clock.pass(4_000)
  expect(await up()).toBe('Version 493')
  expect(stripe.asked.length - asked).toBeLessThanOrEqual(15)
  expect((await stage.history()).map(({ reason }) => reason)).toContain('coupon_used_up')
})

it("contract T3, T4: an offer that was missed while Stripe didn't answer is published, even if nothing was live", async () => {
  await stage.offers()
  stage.silence()
  await clock.pass(7 * MINUTE)
  await tell(stripe.remove('C'))
  stripe.create({ id: 'MISSED', name: 'Missed' })
  await clock.pass(10 * MINUTE)
  await stage.answer(10 * MINUTE)
  expect(await up()).toBe('Missed')
})

it('contract T3, T4: the service keeps asking Stripe about an offer that it published on catching up', async () => {
  await wasUp()
  await clock.pass(MINUTE)
  stripe.create({ id: 'MISSED', name: 'Missed', maxRedemptions: 100 })
  await stage.start()
  expect(await up()).toBe('Missed')
  stripe.redeem('MISSED', 100)
  await clock.pass(32_000)
  expect(await up()).toBeNull()
})

it('contract T4: a notification that gets 503 while the service catches up is applied within 10 s', async () => {
  const store = sqliteStore(stage.database())
  const { offers } = store
  let isNext = false
  let isFull = false
  const unseen: typeof offers.unseen = async (...listed) => {
    const result = await offers.unseen(...listed)
    if (!isNext) return result
    isNext = false
    isFull = true
    const { status } = await notify(stage.last(), stripe.create({ id: 'LATE', name: 'Late' }))
    expect(status).toBe(503)
    isFull = false
    return result
  }
  const applyNotification: Store['applyNotification'] = (...given) =>
    isFull
      ? Promise.reject(new StoreUnavailable(new Error('full')))
      : store.applyNotification(...given)
  await stage.start({}, { ...store, applyNotification, offers: { ...offers, unseen } })
  await clock.pass(HOUR / 2)
  isNext = true
  await clock.pass(HOUR / 2)
  expect(isNext).toBe(false)
  await clock.pass(10_000)
  expect(await up()).toBe('Late')
})

it('contract T3, T4: one node at a time asks Stripe, even if catching up takes longer than a lease', async () => {
  await wasUp()
  for (let id = 0; id < 7; id++) {
    await clock.pass(MINUTE)
    stripe.create({ id: `C${id}`, name: `Coupon ${id}` })
  }
  const [one, other] = [stage.make(), stage.make()]
  let [open, most, count] = [0, 0, 0]
  let meanwhile: Promise<unknown> | undefined
  stripe.latency = () => {
    most = Math.max(most, ++open)
    setTimeout(() => open--, 50)
    return 50
  }
  stripe.trouble = () => {
    clock.advance(2_000)
    if (++count === 6) meanwhile = stage.tick(other)
    return undefined
  }
  await stage.tick(one)
  await meanwhile
  expect(most).toBe(1)
  expect(await stage.up(one)).toBe('Coupon 6')
  for (const node of [one, other]) await node.close()
})

it('contract T4: the service lists events from shortly before the last known one, and counts no known event as missed', async () => {
  const { log } = await stage.start()
  await clock.pass(HOUR / 2)
  await tell(stripe.create({ id: 'C', name: 'Known by now' }))
  const known = Math.floor(clock.now() / 1_000)
  await clock.pass(3 * HOUR)
  const last = stripe.asked.findLast(({ path }) => path === '/v1/events')
  const since = Number(last?.query.get('created[gte]'))
  expect(since).toBeGreaterThan(known - 600)
  expect(since).toBeLessThanOrEqual(known)
  expect(log.lines.filter(({ fields }) => 'missed' in fields)).toEqual([])
})

it('contract T4, T5: the log names the invalid metadata of a missed coupon, and of one edited since its notification', async () => {
  const { log } = await stage.start()
  const said = () =>
    log.lines.flatMap(({ fields: { coupon, faults } }) => (faults ? [[coupon, faults]] : []))
  const faulty = { ...FEATURED, placard_link: '//else.where' }
  const faults = [expect.stringContaining('placard_link must include the scheme')]
  stripe.create({ id: 'LOST', name: 'Lost', metadata: faulty })
  await clock.pass(HOUR)
  expect(await up()).toBe('Lost')
  expect(said()).toEqual([['LOST', faults]])
  const created = stripe.create({ id: 'NEW', name: 'New' })
  stripe.edit('NEW', { metadata: faulty })
  await tell(created)
  expect(said()).toEqual([
    ['LOST', faults],
    ['NEW', faults],
  ])
})

it("contract T4, W6: a missed notification is applied even if a post was withdrawn in the meantime, and its late delivery doesn't bring the coupon back after it was withdrawn", async () => {
  const mount = await stage.start()
  await publish(mount, { ...DRAFT, type: 'post' })
  const lost = stripe.create({ id: 'C', name: 'Lost' })
  await clock.pass(MINUTE)
  await withdraw(mount, { type: 'post' })
  // Now there is no post any more, and this isn't a decision about coupons either.
  await withdraw(mount, { type: 'post' })
  await clock.pass(HOUR)
  expect(await up()).toBe('Lost')
  await withdraw(mount, { type: 'coupon' })
  expect(await tell(lost)).toEqual({ outcome: 'published' })
  expect(await up()).toBeNull()
  await clock.pass(3 * HOUR)
  expect(await up()).toBeNull()
})

it("contract T4: a person's later decision wins over a missed notification, even a withdrawal that found nothing to withdraw", async () => {
  const mount = await stage.start()
  const metadata = { ...FEATURED, placard_link: '//else.where' }
  stripe.create({ id: 'C', name: 'Lost', metadata })
  await clock.pass(MINUTE)
  await byHand(mount, 'By hand')
  await clock.pass(HOUR)
  expect(await up()).toBe('By hand')
  await withdraw(mount, { type: 'coupon' })
  stripe.edit('C', { name: 'Lost too' })
  await clock.pass(MINUTE)
  await withdraw(mount, { type: 'coupon' })
  await clock.pass(2 * HOUR)
  expect(await up()).toBeNull()
  // The coupon is never shown, so the log doesn't mention its metadata.
  expect(JSON.stringify(mount.log.lines)).not.toContain('placard_link')
})

it.each([true, false])(
  "contract T2, T4: a person's edit of an offer wins over an earlier change at Stripe (delivered: %s)",
  async (isDelivered) => {
    const mount = await stage.offers()
    const renamed = stripe.edit('C', { name: 'Renamed' })
    await clock.pass(MINUTE)
    const shown = await current(mount)
    const body = { text: 'By hand', type: 'coupon', slug: '#coupon' }
    expect((await put(mount, shown?.id, body)).status).toBe(200)
    if (isDelivered) expect(await tell(renamed)).toEqual({ outcome: 'ignored', reason: 'stale' })
    await clock.pass(2 * HOUR)
    expect(await up()).toBe('By hand')
    expect(await tell(stripe.edit('C', { name: 'Later' }))).toEqual({ outcome: 'published' })
    expect(await up()).toBe('Later')
  },
)

it('contract T4: a scheduled start overrules notifications created before it, even if it is stored later', async () => {
  const first = await stage.start()
  await byHand(first, 'Planned', { startsAt: clock.now() + 2 * HOUR })
  await first.close()
  await clock.pass(HOUR)
  stripe.create({ id: 'C', name: 'Before it' })
  await clock.pass(2 * HOUR)
  const second = await stage.start()
  expect(await up()).toBe('Planned')
  await second.close()
  stripe.edit('C', { name: 'After it' })
  await clock.pass(HOUR)
  await stage.start()
  expect(await up()).toBe('After it')
})

it('contract T4, W7: a failing purge is logged but delays none of 7 missed coupons, and one later purge covers them all', async () => {
  await wasUp()
  for (let id = 0; id < 7; id++) {
    await clock.pass(MINUTE)
    stripe.create({ id: `C${id}`, name: `Coupon ${id}` })
  }
  let purged = 0
  let purge = async (): Promise<void> => {
    throw new Error('no cache')
  }
  const { log } = await stage.start({ onChange: () => purge() })
  await clock.pass(4_000)
  expect(await up()).toBe('Coupon 6')
  expect(log.lines.flatMap(({ fields: { missed } }) => missed ?? [])).toEqual([7])
  const said = new Set(stage.warnings().map(({ message }) => message))
  expect([...said]).toEqual(['could not purge a cache; the next purge covers this change too'])
  expect(JSON.stringify(stage.warnings())).toContain('no cache')
  purge = async () => void purged++
  await clock.pass(5_000)
  expect(await stage.tick()).toBe(200)
  await clock.pass(HOUR)
  await stage.tick()
  expect(purged).toBe(1)
})

it('contract T4: a notification that got 503 while the database was missing is applied once the database is back', async () => {
  // Without a limit, no request to Stripe is due in this time, so only the notification notices the outage.
  const mount = await stage.offers({ maxRedemptions: null })
  const file = stage.database()
  renameSync(file, `${file}.away`)
  const answer = await notify(mount, stripe.create({ id: 'D', name: 'Missed' }))
  expect(answer.status).toBe(503)
  await clock.pass(5_000)
  renameSync(`${file}.away`, file)
  await clock.pass(2_000)
  expect(await up()).toBe('Missed')
})

it("contract T4: Stripe's first answer after a long outage makes the service list the events that it missed", async () => {
  await stage.offers({ maxRedemptions: null })
  const lists = () => stripe.asked.filter(({ path }) => path === '/v1/events').length
  const before = lists()
  stage.silence()
  // The last hourly request for the list fails during the outage.
  await clock.pass(2 * HOUR + 10 * MINUTE)
  expect(await up()).toBe('Limited')
  expect(lists() - before).toBeLessThanOrEqual(3)
  const messages = new Set(stage.warnings().map(({ message }) => message))
  expect([...messages]).toEqual([expect.stringContaining('may refuse the announced coupon')])
  stripe.create({ id: 'D', name: 'Missed' })
  // The next request about the coupon is due within 10 minutes.
  await stage.answer(10 * MINUTE + 5_000)
  expect(await up()).toBe('Missed')
})

it('contract T4: missed events are applied in order, only the last effective one for each coupon, and an offer that has ended since still takes down the previous one', async () => {
  await stage.start()
  await tell(stripe.create({ id: 'A', name: 'Before' }))
  await tell(stripe.create({ id: 'B', name: 'Also before' }))
  await clock.pass(MINUTE)
  stripe.edit('A', { name: 'Edited' })
  stripe.create({ id: 'C', name: 'In between' })
  stripe.edit('A', { name: 'Edited again' })
  // This event is unreadable, and the one after it, of a coupon that isn't featured, publishes nothing.
  const other = stripe.create({ id: 'X', name: 'Not readable' })
  Object.assign(other, { data: 7 })
  stripe.edit('A', { metadata: NOT_FEATURED })
  await clock.pass(HOUR)
  expect(await up()).toBe('Edited again')
  const missed = stage.last().log.lines.flatMap(({ fields }) => fields.missed ?? [])
  expect(missed).toEqual([2])
  // If it had arrived in time, this offer would have replaced the live one, and ended.
  const redeemBy = Math.floor(clock.now() / 1000) + 60
  stripe.create({ id: 'D', name: 'For a minute', redeemBy })
  await clock.pass(2 * MINUTE)
  stripe.edit('D', { name: 'Renamed after its end' })
  await clock.pass(HOUR)
  expect(await up()).toBeNull()
})

it('contract T4: a bug while asking Stripe is logged once, and the service keeps asking', async () => {
  const store = sqliteStore(stage.database())
  const { offers } = store
  if (!offers) throw new Error('There is no memory for offers')
  let broken: keyof typeof offers | undefined
  const faulty = new Proxy(offers, {
    get: (target, name) =>
      name === broken ? () => Promise.reject(new TypeError('a bug')) : Reflect.get(target, name),
  })
  const { log } = await stage.start({}, { ...store, offers: faulty })
  await tell(stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
  const faults = () => log.lines.filter(({ message }) => message === 'could not ask Stripe')
  for (const name of ['publishedOffer', 'unseen'] as const) {
    broken = name
    await clock.pass(HOUR - MINUTE)
    expect(faults()).toMatchObject([{ level: 'error', fields: { error: { message: 'a bug' } } }])
    broken = undefined
    log.lines.length = 0
    stripe.redeem('C', 1)
    await clock.pass(HOUR)
  }
  stripe.redeem('C', 100)
  await clock.pass(32_000)
  expect(await up()).toBeNull()
})

it.each<[string, string, number | null | undefined, number, number]>([
  ['Stripe is down and nothing is published', '/', undefined, 6, 15],
  ['only the list of events fails', '/v1/events', null, 6, 30],
  // 120 requests about the coupon, and a request for missed events once an hour.
  ['only requests for a limited coupon fail', '/v1/coupons', 100, 100, 132],
])(
  "contract T3, T4: the service doesn't flood Stripe with requests while %s",
  async (_, what, maxRedemptions, least, most) => {
    if (maxRedemptions === undefined) await stage.start()
    else await stage.offers({ maxRedemptions })
    stripe.trouble = (path) => (path.startsWith(what) ? { status: 500 } : undefined)
    await clock.pass(HOUR)
    const asked = stripe.asked.length
    await clock.pass(HOUR)
    expect(stripe.asked.length - asked).toBeGreaterThan(least)
    expect(stripe.asked.length - asked).toBeLessThanOrEqual(most)
  },
)

it("contract T4: the oldest of 250 missed events, on the last of Stripe's pages, is applied too", async () => {
  await wasUp()
  await clock.pass(MINUTE)
  stripe.create({ id: 'FEATURED', name: 'Featured' })
  for (let id = 1; id < 250; id++) stripe.create({ id: `OWN${id}`, metadata: NOT_FEATURED })
  await clock.pass(10 * MINUTE)
  await stage.start()
  expect(await up()).toBe('Featured')
})

it('contract T4: of more than 3,000 missed events, the newest are applied, and the log says once how to recover the rest', async () => {
  await wasUp()
  await clock.pass(MINUTE)
  stripe.create({ id: 'FEATURED', name: 'Featured' })
  const own = (from: number, to: number) => {
    for (let id = from; id < to; id++) stripe.create({ id: `OWN${id}`, metadata: NOT_FEATURED })
  }
  own(0, 100)
  await clock.pass(MINUTE)
  const since = new Date(clock.now()).toISOString()
  own(100, 3_100)
  await clock.pass(10 * MINUTE)
  await stage.start()
  expect(await up()).toBeNull()
  expect(stage.warnings()).toMatchObject([
    { fields: { since }, message: expect.stringContaining('save it in Stripe again') },
  ])
  stripe.edit('FEATURED', { name: 'Saved again' })
  await clock.pass(2 * HOUR)
  expect(await up()).toBe('Saved again')
  expect(stage.warnings()).toHaveLength(1)
})

it("contract T2, T4: a missed coupon that Stripe can't return is published from its snapshot and delays no other", async () => {
  await stage.start()
  await clock.pass(MINUTE)
  stripe.create({ id: 'BAD', name: 'Bad' })
  stripe.create({ id: 'GOOD', name: 'Good' })
  stripe.trouble = (path) => (path === '/v1/coupons/BAD' ? { status: 500 } : undefined)
  await clock.pass(HOUR + 10 * MINUTE)
  expect((await stage.history()).map(({ after }) => after?.text)).toEqual(['Good', 'Bad'])
  expect(stage.warnings()).toMatchObject([{ fields: { reason: expect.stringContaining('500') } }])
})

it.each([-3, 3])(
  "contract T4: with our clock %i minutes off Stripe's, only events since the start are applied, and a person's later decision wins",
  async (minutes) => {
    const theirs = await startFakeStripe(() => clock.now() - minutes * MINUTE)
    theirs.create({ id: 'PAST', name: 'Of the past' })
    await clock.pass(MINUTE)
    const mount = await stage.start({ stripe: { apiKey: KEY, apiUrl: theirs.url } })
    await clock.pass(MINUTE)
    expect(await up()).toBeNull()
    theirs.create({ id: 'LOST', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up()).toBe('Lost')
    theirs.edit('LOST', { name: 'Lost again' })
    await clock.pass(MINUTE)
    await withdraw(mount, { type: 'coupon' })
    await clock.pass(2 * HOUR)
    expect(await up()).toBeNull()
    await theirs.close()
  },
)

it('contract T4: without permission to list events, the service still judges coupons, and warns once an hour', async () => {
  await wasUp()
  stripe.trouble = (path) => (path === '/v1/events' ? { status: 403 } : undefined)
  await stage.offers()
  const asked = stripe.asked.length
  await clock.pass(5 * HOUR)
  expect(stripe.asked.length - asked).toBeLessThan(5 * 130)
  // At most one warning an hour.
  expect(stage.warnings().length).toBeGreaterThan(0)
  expect(stage.warnings().length).toBeLessThanOrEqual(6)
  for (const { fields } of stage.warnings()) expect(fields.reason).toContain('to read events (403)')
  const lists = stripe.asked.slice(asked).filter(({ path }) => path === '/v1/events')
  expect(lists.length).toBeLessThanOrEqual(6)
  stripe.redeem('C', 100)
  await clock.pass(31_000)
  expect(await up()).toBeNull()
  stripe.trouble = () => undefined
  await clock.pass(2 * HOUR)
  const { level, message } = stage.last().log.lines.at(-1) ?? {}
  expect({ level, message }).toEqual({ level: 'info', message: 'Stripe answers again' })
})

it('contract T4: unreadable events are skipped, and logged once each if they have an id, and all other events are applied', async () => {
  await wasUp()
  const spoilt: ((event: StripeEvent) => unknown)[] = [
    () => null,
    () => 'an event',
    ({ id: _, ...event }) => event,
    (event) => ({ ...event, id: 7 }),
    (event) => ({ ...event, id: 'with a space' }),
    ({ created: _, ...event }) => event,
    (event) => ({ ...event, created: '2027-01-01' }),
    (event) => ({ ...event, created: -1 }),
    // A time in milliseconds: if it counted, all later events would be stale.
    (event) => ({ ...event, created: event.created * 1_000 }),
    (event) => ({ ...event, type: 7 }),
    (event) => ({ ...event, data: null }),
    (event) => ({ ...event, data: { object: { ...event.data.object, id: '' } } }),
    (event) => ({ ...event, data: { object: { ...event.data.object, redeem_by: 'soon' } } }),
  ]
  for (const spoil of spoilt) {
    await clock.pass(MINUTE)
    const event = stripe.create({ id: `ODD${stripe.garbled.size}`, name: 'Garbled' })
    stripe.garbled.set(event, spoil(event))
    await clock.pass(MINUTE)
    stripe.create({ id: `C${stripe.garbled.size}`, name: `After ${stripe.garbled.size}` })
  }
  const { log } = await stage.start()
  expect(await up()).toBe(`After ${spoilt.length}`)
  expect(log.lines.flatMap(({ fields: { missed } }) => missed ?? [])).toEqual([spoilt.length])
  const said = () => log.lines.filter(({ message }) => message.startsWith('passed over'))
  // Three of them have no id, and aren't logged.
  expect(said()).toHaveLength(spoilt.length - 3)
  stripe.create({ id: 'LATER', name: 'Later' })
  await clock.pass(3 * HOUR)
  expect(await up()).toBe('Later')
  expect(said()).toHaveLength(spoilt.length - 3)
})

it.each([
  ['whose second page has no ids', (count: number) => count < 150 && {}],
  [
    'whose first page repeats itself',
    (count: number) => count >= 150 && (count === 150 ? { id: 'evt_same' } : {}),
  ],
])("contract T4: a list of events %s isn't requested in a loop", async (_, garbledAt) => {
  await wasUp()
  for (let count = 0; count < 250; count++) {
    const event = stripe.create({ id: `C${count}`, name: `Coupon ${count}` })
    const garbled = garbledAt(count)
    if (garbled) stripe.garbled.set(event, garbled)
  }
  const lists = () => stripe.asked.filter(({ path }) => path === '/v1/events').length
  const before = lists()
  const { log } = await stage.start()
  // The service lists the events three times: now, and after each hour. Each list takes two requests.
  await clock.pass(2.5 * HOUR)
  expect(lists() - before).toBe(6)
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

it.each(['unavailable', 'bug'])(
  "contract T4: an event that can't be stored is logged once, delays no other, and is applied later: %s",
  async (kind) => {
    await wasUp()
    const store = sqliteStore(stage.database())
    let isBroken = true
    const applyNotification: Store['applyNotification'] = (notification, now) => {
      if (!isBroken || !notification.coupon?.startsWith('BAD')) {
        return store.applyNotification(notification, now)
      }
      const error = new TypeError('invalid byte sequence')
      return Promise.reject(kind === 'bug' ? error : new StoreUnavailable(error))
    }
    for (const id of ['BAD1', 'GOOD1', 'BAD2', 'GOOD2', 'BAD3']) {
      await clock.pass(MINUTE)
      stripe.create({ id, name: `Coupon ${id}` })
    }
    const { log } = await stage.start({}, { ...store, applyNotification })
    expect(await up()).toBe('Coupon GOOD2')
    await clock.pass(HOUR)
    stripe.create({ id: 'PLAIN', metadata: NOT_FEATURED })
    await clock.pass(2 * HOUR)
    const said = log.lines.filter(({ message }) => message.startsWith('passed over'))
    expect(said).toMatchObject(Array(3).fill({ level: 'warn' }))
    expect(JSON.stringify(said[0])).toContain('invalid byte sequence')
    isBroken = false
    await clock.pass(HOUR)
    expect(await up()).toBe('Coupon BAD3')
  },
)

it('contract T4: while the database accepts no writes, catching up pauses, and skips no event', async () => {
  await wasUp()
  stripe.create({ id: 'C', name: 'Missed' })
  const store = sqliteStore(stage.database())
  let isFull = true
  const refuse = () => Promise.reject(new StoreUnavailable(new Error('full')))
  const { log } = await stage.start(
    {},
    {
      ...store,
      applyNotification: (...given) => (isFull ? refuse() : store.applyNotification(...given)),
      offers: {
        ...store.offers,
        remember: (parts, ...given) =>
          isFull && 'since' in parts ? refuse() : store.offers.remember(parts, ...given),
      },
    },
  )
  await clock.pass(MINUTE)
  expect(log.lines).toEqual([])
  isFull = false
  await clock.pass(12_000)
  expect(await up()).toBe('Missed')
})

it.each<Trouble>([{ status: 500 }, { status: 200, body: '{}' }, 'resets'])(
  "contract T4: at startup, missed events are applied even if Stripe doesn't answer about the published coupon: %o",
  async (trouble) => {
    await (await stage.offers({ maxRedemptions: null })).close()
    stripe.trouble = (path) => (path.endsWith('/coupons/C') ? trouble : undefined)
    await stage.start()
    const lists = () => stripe.asked.filter(({ path }) => path === '/v1/events').length
    const before = lists()
    await clock.pass(2 * HOUR + 10 * MINUTE)
    expect(lists() - before).toBeLessThanOrEqual(3)
    await stage.last().close()
    stripe.create({ id: 'MISSED', name: 'Missed' })
    await stage.start()
    // The wait for the coupon survives the restart, and missed events wait no longer than that.
    await clock.pass(11 * MINUTE)
    expect(await up()).toBe('Missed')
  },
)

it('contract T4: missed events are applied even if a bug keeps the published coupon from being judged', async () => {
  await (await stage.offers()).close()
  const store = sqliteStore(stage.database())
  const publishedOffer = () => Promise.reject(new TypeError('a bug'))
  stripe.create({ id: 'MISSED', name: 'Missed' })
  const { log } = await stage.start({}, { ...store, offers: { ...store.offers, publishedOffer } })
  expect(await up()).toBe('Missed')
  // Removes the line, because the stage would fail the test for it.
  expect(log.lines.splice(0).map(({ message }) => message)).toContain('could not ask Stripe')
})
