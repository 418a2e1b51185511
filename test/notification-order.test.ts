import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { WireAnnouncement } from '../src/core/announcement.ts'
import {
  coupon,
  current,
  DRAFT,
  type Mount,
  makePlacard,
  notify,
  publish,
  withdraw,
} from './harness.ts'
import { onEachStore } from './suites/mount.ts'

/** What Stripe may send about one of three coupons. */
const story = fc.record({
  type: fc.constantFrom('created' as const, 'updated' as const, 'deleted' as const),
  coupon: fc.constantFrom('A', 'B', 'C'),
  state: fc.constantFrom(
    ...['fine', 'fine', 'fine', 'invalid', 'expired', 'used up', 'unfeatured', 'nameless'],
  ),
})

/** A set of notifications with distinct `created`, and a delivery of it: any order, any repetition. */
const deliveries = fc.array(story, { minLength: 1, maxLength: 8 }).chain((stories) => {
  const indices = [...stories.keys()]
  const order = fc.array(fc.constantFrom(...indices), { maxLength: 6 }).chain((repeats) => {
    const all = [...indices, ...repeats]
    return fc.shuffledSubarray(all, { minLength: all.length })
  })
  return fc.record({ stories: fc.constant(stories), order })
})

type Story = { type: 'created' | 'updated' | 'deleted'; coupon: string; state: string }

/** @param since when the set's first notification was created, in seconds; the others follow a second apart */
function notificationOf({ type, coupon: id, state }: Story, index: number, since: number) {
  const notification = coupon(
    type,
    {
      coupon: id,
      name: state === 'nameless' ? 'XY' : `Coupon ${id}, state ${index}`,
      valid: state !== 'invalid',
      redeemBy: state === 'expired' ? since - 1 : undefined,
      ...(state === 'used up' && { maxRedemptions: 5, timesRedeemed: 5 }),
      featured: state !== 'unfeatured',
    },
    since + index,
    `evt_${since + index}`,
  )
  if (state === 'nameless') Object.assign(notification.data.object, { percent_off: null })
  return notification
}

const UNREDEEMABLE = ['invalid', 'expired', 'used up']

/** The live text once all notifications have arrived in the order of their creation. */
function endOf(stories: Story[]): string | null {
  let up = null as { coupon: string; text: string } | null
  for (const [index, { type, coupon, state }] of stories.entries()) {
    if (state === 'unfeatured') continue
    if (type === 'deleted') up = null
    else if (UNREDEEMABLE.includes(state)) up = up?.coupon === coupon ? null : up
    else if (state !== 'nameless') up = { coupon, text: `Coupon ${coupon}, state ${index}` }
  }
  return up?.text ?? null
}

/** What must be live after a response. A coupon that can't be redeemed takes down its own announcement (contract W5). */
function upAfter(
  { outcome, reason }: { outcome: string; reason?: string },
  before: WireAnnouncement | null,
  name: string | null,
): unknown {
  if (outcome === 'published') return expect.objectContaining({ text: name })
  if (outcome === 'withdrawn') return null
  return reason?.startsWith('coupon_') ? expect.toBeOneOf([before, null]) : before
}

onEachStore('the order of notifications', (stage, kind) => {
  it('contract W6: a set of notifications leads to the same state in any order and with any repetition', async () => {
    const ends = new Map<string, number>()
    let since = Date.UTC(2026, 11, 1) / 1_000
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ stories, order }) => {
        // Each set is newer than the sets before it, so they don't affect its outcome.
        since += 10
        await withdraw(stage, { type: 'coupon' })
        const firsts = new Map<number, unknown>()
        for (const index of order) {
          const story = stories[index] as Story
          const notification = notificationOf(story, index, since)
          const before = await current(stage)
          const response = await notify(stage, notification)
          expect(response.status).toBe(200)
          const answer = await response.json()
          const { name } = notification.data.object
          expect(await current(stage)).toEqual(
            firsts.has(index) ? before : upAfter(answer, before, name),
          )
          expect(firsts.get(index) ?? answer).toEqual(answer)
          firsts.set(index, answer)
        }
        const sorted = endOf(stories)
        expect((await current(stage))?.text ?? null).toBe(sorted)
        const end = sorted === null ? 'nothing' : 'something'
        ends.set(end, (ends.get(end) ?? 0) + 1)
      }),
      { numRuns: kind.name === 'SQLite' ? 200 : 25 },
    )
    expect(ends.size).toBe(2)
  })

  const seconds = () => Math.floor(stage.now() / 1_000)
  const outcome = async (notification: unknown, mount: Mount = stage) => {
    const { received: _, ...rest } = await (await notify(mount, notification)).json()
    return rest
  }
  const newA = (name: string, at: number) =>
    coupon('created', { coupon: 'A', name }, seconds() + at)
  const invalidA = (at: number) =>
    coupon('updated', { coupon: 'A', name: 'Late', valid: false }, seconds() + at)
  const stale = { outcome: 'ignored', reason: 'stale' }

  it('contract W6: a late notification that would publish an invalid coupon takes down the announcement that it would have replaced, and reports that', async () => {
    const other = makePlacard(await stage.place.open())
    await notify(stage, coupon('created', { coupon: 'B', name: 'The other' }, seconds()))
    const invalid = invalidA(3)
    expect(await outcome(invalid)).toEqual({ outcome: 'ignored', reason: 'coupon_not_valid' })
    expect(await current(stage)).toMatchObject({ text: 'The other' })

    // In order, A would have replaced B and then been taken down.
    const [late, later] = [newA('Late', 1), newA('Late', 2)]
    for (const mount of [other, stage, other]) {
      expect(await outcome(late, mount)).toEqual({ outcome: 'withdrawn' })
      expect(await current(mount)).toBeNull()
    }
    for (const mount of [stage, other]) expect(await outcome(later, mount)).toEqual(stale)
    await other.close()
  })

  it("contract W6: a late notification that would publish an invalid coupon leaves a person's announcement alone", async () => {
    await publish(stage, { ...DRAFT, type: 'coupon' })
    await notify(stage, invalidA(2))
    expect(await outcome(newA('Late', 1))).toEqual(stale)
    expect(await current(stage)).toMatchObject({ text: DRAFT.text })
  })

  it('contract W6: of two notifications from the same second, the later arrival wins, even if the earlier one reports that the coupon is invalid', async () => {
    await notify(stage, invalidA(0))
    for (const name of ['Again', 'Once more']) {
      expect(await outcome(newA(name, 0))).toEqual({ outcome: 'published' })
      expect(await current(stage)).toMatchObject({ text: name })
    }
    await notify(stage, coupon('deleted', {}, seconds()))
    expect(await current(stage)).toBeNull()
  })

  it("contract W6: an announcement that had already ended doesn't count as taken down", async () => {
    const redeemBy = seconds() + 60
    await notify(stage, coupon('created', { coupon: 'B', name: 'Ends', redeemBy }, seconds()))
    await notify(stage, invalidA(2))
    const late = newA('Late', 1)
    stage.clock.advance(60_000)
    expect(await outcome(late)).toEqual(stale)
  })

  it("contract W5: a notification that arrives after its coupon's end publishes nothing", async () => {
    await notify(stage, coupon('created', { coupon: 'B', name: 'The other' }, seconds()))
    const late = coupon('created', { redeemBy: seconds() + 60 }, seconds())
    stage.clock.advance(60_000)
    expect(await outcome(late)).toEqual({ outcome: 'ignored', reason: 'coupon_expired' })
    expect(await current(stage)).toMatchObject({ text: 'The other' })
  })

  it("contract W5: a coupon without an id doesn't take down a person's announcement", async () => {
    await publish(stage, { ...DRAFT, type: 'coupon' })
    const { data, ...nameless } = coupon('updated', { valid: false })
    await notify(stage, { ...nameless, data: { object: { ...data.object, id: undefined } } })
    expect(await current(stage)).toMatchObject({ text: DRAFT.text })
  })
})
