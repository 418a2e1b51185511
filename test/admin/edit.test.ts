import { expect, it } from 'vitest'
import { coupon, notify } from '../harness.ts'
import { adminForEach, FORM, HOUR, held } from './visitor.ts'

const { the, inHours, open, page, put, wall } = adminForEach()
const save = (fields: Record<string, string>) => the.visitor.post('/admin/publish', fields)

it('contract A18: edits it in its place, with the end that it had', async () => {
  const { id } = await put('Waits behind the coupon', { type: 'post', expiresAt: inHours(1) })
  await put('In front', { type: 'coupon', expiresAt: inHours(1) })
  const fields = await open(id)
  const edit = await page(`/admin?edit=${id}`)
  expect(edit).toContain('Edit a published announcement')
  expect(edit).not.toContain('Goes live immediately.')
  expect(edit).not.toContain('eplaces the')
  // One of another type would leave this one up.
  const types = [...edit.matchAll(/<input type="radio"[^>]* name="type"[^>]*>/g)].map(String)
  expect(types.map((type) => type.includes('disabled'))).toEqual([false, true, true])
  expect(await (await save({ ...fields, text: 'Edited' })).text()).toContain('<p>Saved.')
  const expiresAt = the.mount.clock.now() + HOUR
  expect((await the.mount.placard.current())?.text).toBe('In front')
  await the.mount.placard.withdraw({ type: 'coupon' })
  const after = { id, text: 'Edited', type: 'post', expiresAt }
  expect(await the.mount.placard.current()).toMatchObject(after)
  const history = await (await the.visitor.get('/admin/history')).text()
  expect(history).toMatch(/data-action="edited"/)
  expect(history).not.toMatch(/data-action="replaced"/)
})

it('contract A17: puts nothing up, if what was edited is gone', async () => {
  const { id } = await put('Waits behind the coupon', { type: 'post', expiresAt: inHours(1) })
  await put('In front', { type: 'coupon', expiresAt: inHours(1) })
  const fields = await open(id)
  await the.mount.placard.withdraw({ id })
  const refused = await save(fields)
  expect(refused.status).toBe(412)
  const page = await refused.text()
  expect(page).toContain('removed this announcement while you were editing it')
  expect(page).toContain('New announcement')
  expect(page).toContain('>Publish as new</button>')
  expect((await the.mount.placard.current())?.text).toBe('In front')
})

it('contract A14: goes on where a scheduled one that was edited has started', async () => {
  const startsAt = the.mount.clock.now() + HOUR
  const { id } = await the.mount.placard.publish({
    text: 'Later',
    type: 'post',
    slug: '/',
    startsAt,
  })
  const fields = { ...(await open(id)), until: '' }
  the.mount.clock.advance(HOUR)
  const told = await save(fields)
  expect(told.status).toBe(412)
  const html = await told.text()
  expect(html).toContain('Edit a published announcement')
  expect(html).toContain('This announcement went live while you were editing it')
  const again = { ...fields, told: held(html, 'told') }
  expect((await save(again)).status).toBe(200)
  expect((await the.mount.placard.current())?.text).toBe(FORM.text)
})

it('contract A18: says before it is saved what the API would refuse', async () => {
  const created = Math.floor(the.mount.now() / 1_000)
  const told = { name: 'Black Friday', coupon: 'BF25', redeemBy: created + 3_600 }
  await notify(the.mount, coupon('created', told, created))
  const { id } = (await the.mount.placard.current()) as { id: string }
  const fields = await open(id)
  const from = wall(0.5)
  const until = wall(2)
  const later = { ...fields, type: 'coupon', from }
  expect(await (await the.visitor.post('/admin/preview', later)).text()).toContain(
    'already published',
  )
  const longer = { ...fields, type: 'coupon', until }
  const refused = await save(longer)
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('no later than the coupon’s'),
  ])
  expect((await save({ ...fields, type: 'coupon', text: 'Half price' })).status).toBe(200)
  expect(await the.mount.placard.current()).toMatchObject({ text: 'Half price', coupon: 'BF25' })
})

it('contract A16: says which scheduled one takes its place before its end', async () => {
  const startsAt = the.mount.clock.now() + HOUR / 2
  await the.mount.placard.publish({ text: 'Takes its place', type: 'post', slug: '/', startsAt })
  const until = wall(1)
  const preview = await the.visitor.post('/admin/preview', { ...FORM, until })
  expect(await preview.text()).toMatch(/Until <time[^>]*>[^<]*<\/time>, when “<bdi>Takes its place/)
  await the.visitor.post('/admin/publish', { ...FORM, until })
  expect(await page()).toMatch(/Until <time[^>]*>[^<]*<\/time>, when “<bdi>Takes its place/)
})
