import { expect, it } from 'vitest'
import { coupon, notify } from '../harness.ts'
import { adminForEach, FORM } from './visitor.ts'

const MINUTE = 60_000

const { the, entries, page, post, put, wall } = adminForEach()
const undo = async (id: string) => (await post('undo', { id })).status
const row = async (id: string) =>
  new RegExp(`<li id="entry-${id}".*?</li>`).exec(await page('/admin/history'))?.[0] ?? ''
const OFFER = 'action="/admin/undo"'
async function whyNot(id: string) {
  const shown = await row(id)
  if (shown.includes(OFFER)) return 'offered'
  return /<p class="facts">(Can’t undo[^<]*|Undone)<\/p><\/div>/.exec(shown)?.[1] ?? '-'
}

it('contract R9, T2: the history offers the undos that the API allows, and says why others are impossible', async () => {
  const { clock, placard } = the.mount
  const later = (minutes: number) => clock.now() + minutes * MINUTE
  await put('Replaced')
  await put('Undone')
  await undo((await entries())[0]?.id as string)
  await put('Goes before its end', { type: 'coupon', expiresAt: later(2) })
  await placard.withdraw({ type: 'coupon' })
  await placard.withdraw({ id: (await put('Goes before its start', { startsAt: later(1) })).id })
  await put('Ends', { type: 'product', expiresAt: later(1) })
  await put('Waits', { type: 'product', startsAt: later(9) })
  await notify(the.mount, coupon('created', { featured: false }, clock.now() / 1_000))
  const told = { name: 'Sold out', coupon: 'BF25', maxRedemptions: 5 }
  await notify(the.mount, coupon('created', told, clock.now() / 1_000 + 1))
  const soldOut = { ...told, timesRedeemed: 5 }
  await notify(the.mount, coupon('updated', soldOut, clock.now() / 1_000 + 2))
  clock.advance(3 * MINUTE)

  const said: string[] = []
  for (const { id, action, before, after } of await entries()) {
    const why = await whyNot(id)
    said.push(`${action} ${(after ?? before)?.text ?? ''}: ${why}`)
    if (why !== 'offered') expect(await undo(id), said.at(-1)).toBe(409)
  }
  expect(said.toReversed()).toEqual([
    'published Replaced: offered',
    'replaced Undone: Undone',
    'replaced Replaced: offered',
    'published Goes before its end: Can’t undo: it has changed since',
    'withdrawn Goes before its end: Can’t undo: it has ended',
    'scheduled Goes before its start: Can’t undo: it has changed since',
    'withdrawn Goes before its start: Can’t undo: it has ended',
    'published Ends: Can’t undo: it has changed since',
    'scheduled Waits: offered',
    'ignored : -',
    'published Sold out: Can’t undo: it has changed since',
    'withdrawn Sold out: Can’t undo: the checkout would refuse the coupon',
  ])
  for (const { id } of await entries()) {
    const isOffered = (await whyNot(id)) === 'offered'
    expect(await undo(id)).toBe(isOffered ? 200 : 409)
  }
})

it('contract A14, R9: the admin says in advance that the schedule is full, and restores nothing to it', async () => {
  const startsAt = the.mount.clock.now() + MINUTE
  const first = await put('Number 0', { startsAt })
  for (let n = 1; n < 20; n++) await put(`Number ${n}`, { startsAt: startsAt + n * MINUTE })
  const full = '20 announcements are already scheduled'
  const preview = async (fields: object = {}) =>
    (await post('preview', { ...FORM, from: wall(1), ...fields })).text
  expect(await preview()).toContain(full)
  for (const fields of [{ id: first.id }, { from: '' }]) {
    expect(await preview(fields)).not.toContain(full)
  }
  await the.mount.placard.withdraw({ id: first.id })
  expect(await preview()).not.toContain(full)
  const [removed] = await entries()
  const id = removed?.id as string
  expect(await row(id)).toContain(OFFER)
  await put('In its place', { startsAt: startsAt + 30 * MINUTE })
  expect(await row(id)).not.toContain(OFFER)
  expect(await row(id)).toContain('the schedule is full')
  const refused = await post('undo', { id })
  expect(refused.status).toBe(422)
  // The message says what to do.
  expect(refused.text).toContain(`${full}. Remove one`)
})
