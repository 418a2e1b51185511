import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Announcement, Draft } from '../src/core/announcement.ts'
import { type CouponNotification, type Decision, decideNotification } from '../src/core/coupon.ts'
import { STORED } from './stores.ts'

type Notification = Pick<CouponNotification, 'coupon' | 'effect'> & { created: number }

const effect = fc.constantFrom<CouponNotification['effect']>(
  { kind: 'publish', draft: STORED },
  { kind: 'publish', draft: STORED, refused: 'coupon_used_up' },
  { kind: 'withdraw' },
  { kind: 'retract', reason: 'coupon_not_valid' },
  { kind: 'none', reason: 'not_featured' },
)
const coupon = fc.constantFrom('A', 'B', 'C')

/** Notifications in order of `created`, and an order in which they arrive. */
const arrivals = fc
  .array(fc.record({ coupon, effect }), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((one, created): Notification => ({ ...one, created })))
  .chain((sent) =>
    fc.record({
      sent: fc.constant(sent),
      arrived: fc.shuffledSubarray(sent, { minLength: sent.length }),
    }),
  )

/** The coupon that would be published if all notifications had arrived in order. */
function inOrder(sent: readonly Notification[]): string | null {
  return sent.reduce<string | null>((published, { coupon, effect }) => {
    if (effect.kind === 'publish') return effect.refused ? null : coupon
    if (effect.kind === 'withdraw') return null
    return effect.kind === 'retract' && published === coupon ? null : published
  }, null)
}

const announcement = (coupon: string | null, draft: Draft = STORED): Announcement => ({
  ...draft,
  ...{ id: crypto.randomUUID(), timestamp: 1, coupon, by: { via: 'stripe' } },
})

/** Applies decisions as a store does, in memory. */
function memory() {
  const ledger: (Decision['ledger'] & { created: number })[] = []
  let slot: Announcement | null = null
  const latest = (matches: (entry: Decision['ledger']) => boolean) =>
    Math.max(...ledger.filter(matches).map(({ created }) => created))
  return {
    slot: () => slot,
    receive(notification: Notification): Decision {
      const { coupon, created } = notification
      const decision = decideNotification(notification, {
        slot,
        lastApplied: latest(({ effect }) => effect === 'publish' || effect === 'withdraw'),
        lastRetraction: latest((one) => one.effect === 'retract' && one.coupon === coupon),
        overruled: false,
      })
      ledger.push({ ...decision.ledger, created })
      const { change } = decision
      if (change) slot = 'publish' in change ? announcement(coupon, change.publish) : null
      return decision
    },
  }
}

describe('the decision about a notification', () => {
  it('contract W6: the order of arrival does not change the final state', () => {
    fc.assert(
      fc.property(arrivals, ({ sent, arrived }) => {
        const { receive, slot } = memory()
        for (const notification of arrived) receive(notification)
        expect(slot()?.coupon ?? null).toBe(inOrder(sent))
      }),
      { numRuns: 3_000 },
    )
  })

  it('contract W6: a receipt says what happened to the published announcement', () => {
    fc.assert(
      fc.property(arrivals, ({ arrived }) => {
        const { receive, slot } = memory()
        for (const notification of arrived) {
          const before = slot()
          const { change, receipt } = receive(notification)
          const isPublished = change !== undefined && 'publish' in change
          expect(receipt.outcome === 'published').toBe(isPublished)
          if (change && 'takeDown' in change) expect(change.takeDown).toBe(before)
          if (receipt.outcome === 'withdrawn') expect(slot()).toBeNull()
          if (receipt.reason === 'stale') expect(slot()).toBe(before)
        }
      }),
    )
  })

  it("contract R9: a late publication that a newer notification has retracted isn't recorded as the coupon's last notification", () => {
    const { receive } = memory()
    receive({ coupon: 'A', effect: { kind: 'retract', reason: 'coupon_not_valid' }, created: 2 })
    const late: Notification = {
      ...{ coupon: 'A', created: 1 },
      effect: { kind: 'publish', draft: STORED },
    }
    expect(receive(late).ledger).toEqual({ effect: 'publish', coupon: null })
  })

  it.each([
    ['the published one', 'A', 'coupon_deleted'],
    ['another', 'B', 'other_coupon_deleted'],
  ])('spec 6: the history says if the deleted coupon is %s', (_, deleted, reason) => {
    const { receive } = memory()
    receive({ coupon: 'A', effect: { kind: 'publish', draft: STORED }, created: 1 })
    const { change } = receive({ coupon: deleted, effect: { kind: 'withdraw' }, created: 2 })
    expect(change).toMatchObject({ reason })
  })

  it("contract T2: a person's later change overrules any notification except one that says the published coupon is deleted or invalid", () => {
    const published = fc.option(coupon).map((name) => announcement(name))
    fc.assert(
      fc.property(published, coupon, effect, (slot, coupon, effect) => {
        const isFact = ['withdraw', 'retract'].includes(effect.kind) && slot.coupon === coupon
        const { change, ledger } = decideNotification(
          { coupon, effect, created: 1, happenedAt: 1 },
          { slot, overruled: true, lastApplied: -Infinity, lastRetraction: -Infinity },
        )
        expect(change !== undefined).toBe(isFact)
        expect(ledger.effect !== null).toBe(isFact)
      }),
    )
  })
})
