import { expect, it } from 'vitest'
import { coupon, notify } from '../harness.ts'
import { adminForEach, FORM, HOUR } from './visitor.ts'

const { the, inHours, page, post, put, wall } = adminForEach()
const newest = async () => /<li id="entry-.*?<\/li>/.exec(await page('/admin/history'))?.[0] ?? ''
const action = async () => /class="action">([^<]*)/.exec(await newest())?.[1]

it('contract A14: the admin says which scheduled announcement nobody will see', async () => {
  const unseen = 'It will never show'
  await put('Seen', { type: 'coupon', startsAt: inHours(2) })
  expect(await page()).not.toContain(unseen)
  await put('Takes its place', { type: 'coupon', startsAt: inHours(2) })
  await put('Seen after that', { startsAt: inHours(3) })
  const rows = (await page()).match(/<li id="row-[^>]*>(?:(?!<\/li>).)*\/admin\/withdraw.*?<\/li>/g)
  expect(rows).toHaveLength(3)
  const never = rows?.filter((row) => row.includes(unseen))
  expect(never?.map((row) => /words">([^<]*)/.exec(row)?.[1])).toEqual(['Seen'])
})

it('contract R9: an undo says that the restored announcement is hidden behind a newer one', async () => {
  const waits = 'Hidden behind the newer product announcement.'
  const undone = async () => {
    const [, id = ''] = /id="entry-(\d+)"/.exec(await newest()) ?? []
    return (await post('undo', { id, view: 'history' })).text
  }
  await put('Comes back')
  await put('In its place')
  expect(await undone()).not.toContain(waits)
  await put('In its place')
  await put('Shows', { type: 'product' })
  await put('Newest')
  const [, , older] = (await page('/admin/history')).match(/<li id="entry-.*?<\/li>/g) ?? []
  expect(older).toContain('it has changed since')
  // The restored announcement keeps its timestamp, which is older than the product's.
  expect(await undone()).toContain(waits)
})

it('contract R8: the history names each kind of change to a scheduled announcement', async () => {
  const { id } = await put('Later', { startsAt: inHours(2) })
  expect(await action()).toBe('Scheduled')
  const change = (fields: object) => post('publish', { ...FORM, id, from: wall(2), ...fields })
  await change({ text: 'With another text' })
  expect(await action()).toBe('Edited')
  await change({ from: wall(3) })
  expect(await action()).toBe('Rescheduled')
  await the.mount.placard.withdraw({ id })
  expect(await action()).toBe('Removed from the schedule')
  await put('Shows now')
  await the.mount.placard.withdraw({ type: 'post' })
  expect(await action()).toBe('Taken down')
})

it('contract R8: the history says that starts and ends were planned', async () => {
  const { id } = await put('Later', { startsAt: inHours(1), expiresAt: inHours(2) })
  await post('publish', { ...FORM, id, from: wall(1), until: wall(2) })
  expect(await newest()).not.toContain('as planned')
  the.mount.clock.advance(3 * HOUR)
  await the.visitor.signIn(the.mount)
  await put('Stores them')
  const rows = (await page('/admin/history')).match(/class="by">.*?<\/span>/g) ?? []
  const said = rows.slice(1, 3).map((row) => row.replace(/<[^>]*>|<!-- -->/g, ''))
  expect(said).toEqual(Array(2).fill('class="by">as planned by Anna in the admin'))
})

it('contract R8, W3, W5: the history names the coupon of a notification, and says what came of it', async () => {
  const seconds = the.mount.clock.now() / 1_000
  const told = { name: 'Secret deal', coupon: 'SECRET', valid: false }
  await notify(the.mount, coupon('created', told, seconds))
  expect(await newest()).toMatch(
    /Ignored.*Stripe coupon SECRET.*Secret deal.*Stripe reports that the coupon can no longer be redeemed.*coupon\.created/,
  )
  await put('Written by hand', { type: 'coupon' })
  await notify(the.mount, coupon('deleted', { name: 'Another', coupon: 'OTHER' }, seconds + 1))
  expect(await newest()).toMatch(/Written by hand.*coupon OTHER.*Another.*deleted/)
  expect(await newest()).toContain('Undo')
})

it('a link to an announcement that is gone says so, even if its id is malformed', async () => {
  for (const id of ['gone', '99999', '9'.repeat(15), '0', '-1', '1e9', '__proto__', '%00']) {
    for (const link of ['entry', 'edit', 'copy']) {
      expect(await page(`/admin?${link}=${id}`), id).toContain('no longer exists.')
    }
    expect((await the.visitor.get(`/admin/history?before=${id}`)).status, id).toBe(200)
  }
  expect(await page()).not.toContain('no longer exists.')
})

it("the last page of the history doesn't say that nothing has happened", async () => {
  expect(await page('/admin/history?before=1')).not.toContain('Nothing has happened yet.')
  expect(await page('/admin/history')).toContain('Nothing has happened yet.')
})

it('times in Arabic use the same digits as other numbers', async () => {
  await put('Ends', { expiresAt: inHours(2) })
  const text = await page('/admin', { 'Accept-Language': 'ar-EG' })
  expect(text).toContain('lang="ar"')
  expect(text).toMatch(/<time[^>]*>[^<]*\d/)
  expect(text).not.toMatch(/[\u0660-\u0669]/)
})

it("the colon after a label follows the rules of the page's language", async () => {
  await put('First', { translations: { de: 'Alte Preise' } })
  await put('Second', { translations: { de: 'Neue Preise' } })
  const inFrench = { 'Accept-Language': 'fr' }
  expect(await page('/admin', inFrench)).toContain('Langues\u00a0: de')
  // The colon is outside the isolate of the tag, so that it follows the direction of the page.
  expect(await page('/admin/history', inFrench)).toContain('\u2068de\u2069\u00a0: <bdi lang="de">')
})
