import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import {
  type DirectMount,
  DRAFT,
  makePlacard,
  notify,
  publish,
  withdraw,
  write,
} from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { FEATURED, KEY, NOT_FEATURED, startFakeStripe } from './fake.ts'
import { historyOf } from './history.ts'
import { makeStage, type Stage } from './stage.ts'

const HOUR = 3_600_000

/** How many notifications the log says were caught up with, each time. */
const caughtUp = ({ log }: DirectMount) =>
  log.lines.flatMap(({ fields: { missed } }) => (missed === undefined ? [] : [missed]))

describe('catching up', () => {
  let stage: Stage
  let path: string
  beforeEach(async () => {
    path = join(temporaryDirectory(), 'placard.db')
    stage = await makeStage(() => sqliteStore(path))
  })
  afterEach(() => stage.close())

  it('contract T4: at the first start with a key, nothing of the past is announced', async () => {
    const { stripe, clock, up } = stage
    stripe.create({ id: 'OLD', name: 'Of the past' })
    await clock.pass(HOUR)
    const mount = await stage.start()
    await clock.pass(5 * HOUR)
    expect(await up(mount)).toBeNull()
    expect(await historyOf(mount)).toEqual([])
  })

  it('contract T4: nor is it where Stripe answers that key only later, and what has happened since the start is', async () => {
    const { stripe, clock, up } = stage
    stripe.create({ id: 'OLD', name: 'Of the past' })
    await clock.pass(HOUR)
    stripe.trouble = () => 'resets'
    const mount = await stage.start()
    await clock.pass(HOUR)
    stripe.trouble = () => undefined
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBeNull()
    stripe.create({ id: 'NEW', name: 'Since the start' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('Since the start')
    expect(await historyOf(mount)).toHaveLength(1)
  })

  it('contract T4: after 72 h without it, 500 missed notifications about 7 coupons: right within 5 s, by 15 requests', async () => {
    const { stripe, clock, tell, up } = stage
    let mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C0', name: 'Before', maxRedemptions: 1_000 }))
    await mount.close()
    for (let id = 1; id < 7; id++) stripe.create({ id: `C${id}`, maxRedemptions: 1_000 })
    for (let count = 0; count < 494; count++) {
      await clock.pass((72 * HOUR) / 494)
      stripe.edit(`C${count % 7}`, { name: `Version ${count}` })
    }
    stripe.redeem('C2', 1_000)
    const asked = stripe.asked.length
    const started = performance.now()
    mount = await stage.start()
    await clock.pass(4_000)
    expect(await up(mount)).toBe('Version 493')
    expect(stripe.asked.length - asked).toBeLessThanOrEqual(15)
    expect(performance.now() - started).toBeLessThan(5_000)
    const reasons = (await historyOf(mount)).map(({ reason }) => reason)
    expect(reasons).toContain('coupon_used_up')
  })

  it('contract T3, T4: what was missed is caught up with also where nothing stands after a long silence', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'LIMITED', name: 'With a limit', maxRedemptions: 9 }))
    await clock.pass(5_000)
    stripe.trouble = () => 'resets'
    await clock.pass(7 * 60_000)
    await tell(mount, stripe.remove('LIMITED'))
    stripe.create({ id: 'MISSED', name: 'Missed' })
    await clock.pass(10 * 60_000)
    stripe.trouble = () => undefined
    await clock.pass(10 * 60_000)
    expect(await up(mount)).toBe('Missed')
  })

  it('contract T3, T4: of two nodes that start at once, one asks', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start()
    await tell(before, stripe.create({ id: 'C0', name: 'Before', maxRedemptions: 1_000 }))
    await before.close()
    for (let id = 1; id < 7; id++) stripe.create({ id: `C${id}`, maxRedemptions: 1_000 })
    for (let count = 0; count < 494; count++) {
      await clock.pass(10 * 60_000)
      stripe.edit(`C${count % 7}`, { name: `Version ${count}` })
    }
    let [open, most] = [0, 0]
    stripe.latency = () => {
      most = Math.max(most, ++open)
      setTimeout(() => open--, 20)
      return 20
    }
    const asked = stripe.asked.length
    const nodes = await Promise.all([stage.start(), stage.start()])
    await clock.pass(20_000)
    for (const mount of nodes) {
      await vi.waitFor(async () => expect(await up(mount)).toBe('Version 493'))
    }
    expect(most).toBe(1)
    // One asks 15 times, and once more for what is up if that takes long. Two that both catch up would ask 30 times.
    expect(stripe.asked.length - asked).toBeLessThan(22)
  })

  it('contract T3, T4: of two nodes, one asks, also while what was missed takes longer than a turn', async () => {
    const { stripe, clock, up } = stage
    await (await stage.start()).close()
    for (let id = 0; id < 7; id++) {
      await clock.pass(60_000)
      stripe.create({ id: `C${id}`, name: `Coupon ${id}` })
    }
    const options = { stripe: { apiKey: KEY, apiUrl: stripe.url } }
    const nodes = [sqliteStore(path), sqliteStore(path)].map((store) =>
      makePlacard(store, options, clock),
    )
    const tick = (node: number) =>
      write(nodes[node] as DirectMount, 'POST', undefined, {}, '/api/events/tick')
    let [open, most, count] = [0, 0, 0]
    let meanwhile: Promise<unknown> | undefined
    stripe.latency = () => {
      most = Math.max(most, ++open)
      setTimeout(() => open--, 50)
      return 50
    }
    stripe.trouble = () => {
      clock.advance(2_000)
      if (++count === 6) meanwhile = tick(1)
      return undefined
    }
    await tick(0)
    await meanwhile
    expect(most).toBe(1)
    expect(await up(nodes[0] as DirectMount)).toBe('Coupon 6')
    await Promise.all(nodes.map((node) => node.close()))
  })

  it('contract T4: a start lists what was missed at once, however soon after the last list', async () => {
    const { stripe, clock, up } = stage
    const first = await stage.start()
    await clock.pass(60_000)
    await first.close()
    stripe.create({ id: 'C', name: 'Missed' })
    await clock.pass(60_000)
    const mount = await stage.start()
    expect(await up(mount)).toBe('Missed')
  })

  it('contract T4: what is known is not read again', async () => {
    const { stripe, clock, tell } = stage
    const mount = await stage.start()
    await clock.pass(HOUR / 2)
    await tell(mount, stripe.create({ id: 'C', name: 'Known by now' }))
    const known = Math.floor(clock.now() / 1_000)
    await clock.pass(3 * HOUR)
    const last = stripe.asked.findLast(({ path }) => path === '/v1/events')
    const since = Number(last?.query.get('created[gte]'))
    expect(since).toBeGreaterThan(known - 600)
    expect(since).toBeLessThanOrEqual(known)
    expect(caughtUp(mount)).toEqual([])
  })

  it('contract T4: a notification that is lost without an outage is applied within an hour', async () => {
    const { stripe, clock, up } = stage
    const mount = await stage.start()
    await clock.pass(10 * 60_000)
    stripe.create({ id: 'C', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    stripe.edit('C', { name: 'Not for a page', metadata: NOT_FEATURED })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
  })

  it('contract T3, T4: what is caught up with is asked about as soon as what is delivered', async () => {
    const { stripe, clock, up } = stage
    const mount = await stage.start()
    await clock.pass(10 * 60_000)
    stripe.create({ id: 'C', name: 'Lost', maxRedemptions: 100 })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    stripe.redeem('C', 100)
    await clock.pass(32_000)
    expect(await up(mount)).toBeNull()
  })

  it('contract T4, T5: of the metadata of what is caught up with, and of what Stripe has by now, is said what can not be used', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const said = () =>
      mount.log.lines.flatMap(({ fields: { coupon, faults } }) =>
        faults ? [[coupon, faults]] : [],
      )
    const faulty = { ...FEATURED, placard_link: '//else.where' }
    const faults = [expect.stringContaining('placard_link must name its scheme')]
    stripe.create({ id: 'LOST', name: 'Lost', metadata: faulty })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    expect(said()).toEqual([['LOST', faults]])
    const created = stripe.create({ id: 'NEW', name: 'New' })
    stripe.edit('NEW', { metadata: faulty })
    await tell(mount, created)
    expect(said()).toEqual([
      ['LOST', faults],
      ['NEW', faults],
    ])
  })

  it('contract T4, W6: what was caught up with is known when it is delivered after all', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    const lost = stripe.create({ id: 'C', name: 'Lost' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    await withdraw(mount, { type: 'coupon' })
    expect(await tell(mount, lost)).toEqual({ outcome: 'published' })
    expect(await up(mount)).toBeNull()
    await clock.pass(3 * HOUR)
    expect(await up(mount)).toBeNull()
  })

  it('contract T4: what a person decided later stands, a withdrawal of nothing included', async () => {
    const { stripe, clock, up } = stage
    const mount = await stage.start()
    const metadata = { ...FEATURED, placard_link: '//else.where' }
    stripe.create({ id: 'C', name: 'Lost', metadata })
    await clock.pass(60_000)
    await publish(mount, { ...DRAFT, type: 'coupon', text: 'By hand' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('By hand')
    await withdraw(mount, { type: 'coupon' })
    stripe.edit('C', { name: 'Lost too' })
    await clock.pass(60_000)
    await withdraw(mount, { type: 'coupon' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBeNull()
    // Nobody sees it, so its metadata doesn't matter.
    expect(JSON.stringify(mount.log.lines)).not.toContain('placard_link')
  })

  it('contract T4: a start that is stored late is a decision of its instant', async () => {
    const { stripe, clock, up } = stage
    let mount = await stage.start()
    await publish(mount, {
      ...DRAFT,
      type: 'coupon',
      text: 'Planned',
      startsAt: clock.now() + 2 * HOUR,
    })
    await mount.close()
    await clock.pass(HOUR)
    stripe.create({ id: 'C', name: 'Before it' })
    await clock.pass(2 * HOUR)
    mount = await stage.start()
    expect(await up(mount)).toBe('Planned')
    await mount.close()
    stripe.edit('C', { name: 'After it' })
    await clock.pass(HOUR)
    mount = await stage.start()
    expect(await up(mount)).toBe('After it')
  })

  it('contract T4: what was missed while Stripe was away is applied with its next answer', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'C', name: 'It is up', maxRedemptions: 100 }))
    stripe.trouble = () => 'resets'
    await clock.pass(60_000)
    stripe.edit('C', { name: 'Renamed' })
    await clock.pass(60_000)
    stripe.trouble = () => undefined
    await clock.pass(35_000)
    expect(await up(mount)).toBe('Renamed')
  })

  it('contract T4, W7: a cache that could not be purged for what was caught up with is purged later', async () => {
    const { stripe, clock, up } = stage
    let purge = async () => {}
    const mount = await stage.start({ onChange: () => purge() })
    stripe.create({ id: 'C', name: 'Lost' })
    purge = async () => {
      throw new Error('no cache')
    }
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Lost')
    await clock.pass(10_000)
    const told = vi.fn(async () => {})
    purge = told
    const tick = () => write(mount, 'POST', undefined, {}, '/api/events/tick')
    expect((await tick()).status).toBe(200)
    expect(told).toHaveBeenCalledTimes(1)
    await clock.pass(HOUR)
    await tick()
    expect(told).toHaveBeenCalledTimes(1)
  })

  it('contract T4, W7: of 7 coupons that were missed, all are right within 5 s though no cache can be purged, and the log says that of the cache alone', async () => {
    const { stripe, clock, up } = stage
    await (await stage.start()).close()
    for (let id = 0; id < 7; id++) {
      await clock.pass(60_000)
      stripe.create({ id: `C${id}`, name: `Coupon ${id}` })
    }
    let purged = 0
    let purge = async (): Promise<void> => {
      throw new Error('no cache')
    }
    const mount = await stage.start({ onChange: () => purge() })
    await clock.pass(4_000)
    expect(await up(mount)).toBe('Coupon 6')
    expect(caughtUp(mount)).toEqual([7])
    const warnings = mount.log.lines.filter(({ level }) => level !== 'info')
    expect(new Set(warnings.map(({ message }) => message))).toEqual(
      new Set(['could not purge a cache; this is tried again']),
    )
    expect(JSON.stringify(warnings)).toContain('no cache')
    purge = async () => void purged++
    await clock.pass(5_000)
    expect((await write(mount, 'POST', undefined, {}, '/api/events/tick')).status).toBe(200)
    expect(purged).toBe(1)
  })

  it('contract T4: what came while the database was away is applied once it is back', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    await tell(mount, stripe.create({ id: 'B', name: 'Before it' }))
    await clock.pass(60_000)
    renameSync(path, `${path}.away`)
    const answer = await notify(mount, stripe.create({ id: 'C', name: 'Missed' }))
    expect(answer.status).toBe(503)
    await clock.pass(5_000)
    renameSync(`${path}.away`, path)
    await clock.pass(2_000)
    expect(await up(mount)).toBe('Missed')
  })

  it('contract T4: another key begins anew with its first answer', async () => {
    const { stripe, clock, tell, up } = stage
    const before = await stage.start()
    await tell(before, stripe.create({ id: 'C', name: 'It is up' }))
    await clock.pass(HOUR)
    await before.close()
    stripe.edit('C', { name: 'Missed' })
    await clock.pass(HOUR)
    const second = `${KEY}second`
    stripe.keys.add(second)
    const mount = await stage.start({ stripe: { apiKey: second, apiUrl: stripe.url } })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('It is up')
    stripe.edit('C', { name: 'Since then' })
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Since then')
  })

  const failing = (what: string) => (path: string) =>
    path.startsWith(what) ? { status: 500 } : undefined
  it.each<[string, string, number | null | undefined, number, number]>([
    ['it is away, and nothing is up', '/', undefined, 6, 15],
    ['only the list fails', '/v1/events', null, 6, 30],
    // 120 questions about the coupon, and what was missed is looked for once an hour.
    ['only a limited coupon fails', '/v1/coupons', 100, 100, 132],
  ])(
    'contract T3, T4: Stripe is asked seldom while %s',
    async (_, what, maxRedemptions, least, most) => {
      const { stripe, clock, tell } = stage
      const mount = await stage.start()
      if (maxRedemptions !== undefined) {
        await tell(mount, stripe.create({ id: 'C', name: 'It is up', maxRedemptions }))
      }
      stripe.trouble = failing(what)
      await clock.pass(HOUR)
      const asked = stripe.asked.length
      await clock.pass(HOUR)
      expect(stripe.asked.length - asked).toBeGreaterThan(least)
      expect(stripe.asked.length - asked).toBeLessThanOrEqual(most)
    },
  )

  it('contract T4: of more than 3,000 missed notifications the newest are read, and the log says once what to do about the others', async () => {
    const { stripe, clock, up } = stage
    await (await stage.start()).close()
    await clock.pass(60_000)
    stripe.create({ id: 'FEATURED', name: 'Featured' })
    const own = (from: number, to: number) => {
      for (let id = from; id < to; id++) stripe.create({ id: `OWN${id}`, metadata: NOT_FEATURED })
    }
    own(0, 100)
    await clock.pass(60_000)
    const since = new Date(clock.now()).toISOString()
    own(100, 3_100)
    await clock.pass(600_000)
    const mount = await stage.start()
    const warnings = () => mount.log.lines.filter(({ level }) => level !== 'info')
    expect(await up(mount)).toBeNull()
    expect(warnings()).toMatchObject([
      { fields: { since }, message: expect.stringContaining('save it in Stripe again') },
    ])
    stripe.edit('FEATURED', { name: 'Saved again' })
    await clock.pass(2 * HOUR)
    expect(await up(mount)).toBe('Saved again')
    expect(warnings()).toHaveLength(1)
  })

  it('contract T2, T4: a coupon that Stripe can not give holds up no other: its snapshot counts', async () => {
    const { stripe, clock, up } = stage
    const mount = await stage.start()
    await clock.pass(60_000)
    stripe.create({ id: 'BAD', name: 'Bad' })
    stripe.trouble = (path) => (path === '/v1/coupons/BAD' ? { status: 500 } : undefined)
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Bad')
    stripe.edit('BAD', { name: 'Bad again' })
    stripe.create({ id: 'GOOD', name: 'Good' })
    await clock.pass(HOUR + 600_000)
    expect(await up(mount)).toBe('Good')
    expect((await historyOf(mount)).map(({ after }) => after?.text)).toContain('Bad again')
  })

  it('contract T4: an answer that takes longer than a notification may wait for counts', async () => {
    const { stripe, clock, up } = stage
    const mount = await stage.start()
    await clock.pass(60_000)
    stripe.create({ id: 'C', name: 'Missed' })
    stripe.latency = () => (stripe.asked.at(-1)?.path === '/v1/coupons/C' ? 2_300 : 0)
    await clock.pass(HOUR)
    expect(await up(mount)).toBe('Missed')
  }, 20_000)

  it.each([-3, 3])(
    'contract T4: our clock is %i minutes ahead of that of Stripe: nothing of the past is announced, what is missed is, and a later decision stands',
    async (minutes) => {
      const { clock } = stage
      const theirs = await startFakeStripe(() => clock.now() - minutes * 60_000)
      theirs.create({ id: 'PAST', name: 'Of the past' })
      await clock.pass(60_000)
      const mount = await stage.start({ stripe: { apiKey: KEY, apiUrl: theirs.url } })
      await clock.pass(60_000)
      expect(await stage.up(mount)).toBeNull()
      theirs.create({ id: 'LOST', name: 'Lost' })
      await clock.pass(HOUR)
      expect(await stage.up(mount)).toBe('Lost')
      theirs.edit('LOST', { name: 'Lost again' })
      await clock.pass(60_000)
      await withdraw(mount, { type: 'coupon' })
      await clock.pass(2 * HOUR)
      expect(await stage.up(mount)).toBeNull()
      await theirs.close()
    },
  )

  it('contract T4: without the right to list events, the rest goes on, and the log says it once', async () => {
    const { stripe, clock, tell, up } = stage
    const mount = await stage.start()
    stripe.trouble = (path) => (path === '/v1/events' ? { status: 403 } : undefined)
    await mount.close()
    const other = await stage.start()
    await tell(other, stripe.create({ id: 'C', name: 'Limited', maxRedemptions: 100 }))
    const asked = stripe.asked.length
    await clock.pass(5 * HOUR)
    expect(stripe.asked.length - asked).toBeLessThan(5 * 130)
    const warnings = other.log.lines.filter(({ level }) => level !== 'info')
    // Once an hour.
    expect(warnings.length).toBeLessThanOrEqual(6)
    for (const { fields } of warnings) expect(fields.reason).toContain('403')
    stripe.redeem('C', 100)
    await clock.pass(31_000)
    expect(await up(other)).toBeNull()
  })
})
