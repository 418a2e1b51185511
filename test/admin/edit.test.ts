import { expect, it } from 'vitest'
import { internalsOf } from '../../src/internals.ts'
import { coupon, notify } from '../harness.ts'
import { adminForEach, FORM, HOUR, held } from './visitor.ts'

const { the, board, entries, inHours, open, page, pageWith, post, put, shown, wall } =
  adminForEach()
const save = (fields: Record<string, string>) => post('publish', fields)
const REFERENCES = ['blog/x?y#z', '../pricing', 'guide.intro', './', 'team@work']

/** The fields that a browser sends if only the text was changed. */
async function retyped(path: string, text: string, zone = 'UTC') {
  const html = await pageWith(`placard-zone=${encodeURIComponent(zone)}`, path)
  const names =
    'id coupon seen slug slugWas language tagsWas from fromWas until untilWas zone zoneWas'.split(
      ' ',
    )
  const fields = names.map((name) => [name, held(html, name)])
  return { ...FORM, ...Object.fromEntries(fields), text } as Record<string, string>
}

it('contract A18: an edit keeps the announcement in its place, and keeps its end', async () => {
  const { id } = await put('Waits behind the coupon', { type: 'post', expiresAt: inHours(1) })
  await put('In front', { type: 'coupon', expiresAt: inHours(1) })
  const fields = await open(id)
  const edit = await page(`/admin?edit=${id}`)
  expect(edit).toContain('Edit a published announcement')
  expect(edit).not.toContain('Goes live immediately.')
  expect(edit).not.toContain('eplaces the')
  // Saving the edit with another type would leave this announcement published.
  const types = [...edit.matchAll(/<input type="radio"[^>]* name="type"[^>]*>/g)].map(String)
  expect(types.map((type) => type.includes('disabled'))).toEqual([false, true, true])
  expect((await save({ ...fields, text: 'Edited' })).text).toContain('<p>Saved.')
  expect(await shown()).toBe('In front')
  await the.mount.placard.withdraw({ type: 'coupon' })
  const after = { id, text: 'Edited', type: 'post', expiresAt: inHours(1) }
  expect(await the.mount.placard.current()).toMatchObject(after)
  const history = await page('/admin/history')
  expect(history).toMatch(/data-action="edited"/)
  expect(history).not.toMatch(/data-action="replaced"/)
})

it('contract A14: an edit of a scheduled announcement can be saved after its start', async () => {
  const { id } = await put('Later', { startsAt: inHours(1) })
  const fields = { ...(await open(id)), until: '' }
  the.mount.clock.advance(HOUR)
  const told = await save(fields)
  expect(told.status).toBe(412)
  expect(told.text).toContain('Edit a published announcement')
  expect(told.text).toContain('This announcement went live while you were editing it')
  const again = { ...fields, told: held(told.text, 'told') }
  expect((await save(again)).status).toBe(200)
  expect(await shown()).toBe(FORM.text)
})

it('contract A14, A18: an edit keeps the type of an announcement that has started, whatever the form sends', async () => {
  const { id } = await put('Later', { startsAt: inHours(1) })
  const fields = { ...(await open(id)), type: 'coupon', from: '' }
  the.mount.clock.advance(HOUR)
  for (const type of ['coupon', 'no such type']) {
    const told = await save({ ...fields, type })
    expect(told.status).toBe(412)
    expect(told.text).toMatch(/<input type="radio"[^>]* value="post"[^>]* checked/)
    const again = { ...fields, type, text: `Sent as ${type}`, told: held(told.text, 'told') }
    expect((await save(again)).text).toContain('<p>Saved.')
    expect(await the.mount.placard.current()).toMatchObject({ type: 'post', text: again.text })
  }
})

it('contract A18: before an edit is saved, the form says what the API would reject', async () => {
  const created = Math.floor(the.mount.now() / 1_000)
  const told = { name: 'Black Friday', coupon: 'BF25', redeemBy: created + 3_600 }
  await notify(the.mount, coupon('created', told, created))
  const fields = { ...(await open()), type: 'coupon', until: wall(1) }
  const edit = await page(`/admin?edit=${fields.id}`)
  expect(edit).toMatch(/The coupon ends Fri, Jan 1, 2027, 1:00\sAM\./)
  const later = await post('preview', { ...fields, from: wall(0.5) })
  expect(later.text).toContain('already published')
  for (const until of ['', wall(12)]) {
    const longer = (await post('preview', { ...fields, until, zone: 'Asia/Tokyo' })).text
    expect(longer).toMatch(/no later than Fri, Jan 1, 2027, 10:00\sAM, when the coupon expires\./)
    expect((await save({ ...fields, until })).status).toBe(422)
  }
  expect((await save({ ...fields, text: 'Half price' })).status).toBe(200)
  expect(await the.mount.placard.current()).toMatchObject({ text: 'Half price', coupon: 'BF25' })
})

it("contract A18, W6: an edit applies to its coupon's announcement, even after a save in Stripe has given it a new id", async () => {
  await notify(the.mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }))
  const fields = { ...(await open()), type: 'coupon', text: 'Half price' }
  await notify(the.mount, coupon('updated', { name: 'Black Week', coupon: 'BF25' }))
  const told = await save(fields)
  expect(told.status).toBe(412)
  expect(told.text).toContain('Edit a published announcement')
  expect(told.text).toContain('\u2068Stripe\u2069 changed this announcement while you were')
  expect(told.text).toMatch(/<bdi>Black Week<\/bdi><\/td><td><bdi>Half price/)
  const again = { ...fields, id: held(told.text, 'id'), told: held(told.text, 'told') }
  expect(again.id).not.toBe(fields.id)
  expect((await save(again)).text).toContain('<p>Saved.')
  expect(await the.mount.placard.current()).toMatchObject({ text: 'Half price', coupon: 'BF25' })
  // Once the coupon is deleted, the draft can only become a new announcement.
  const late = await open(again.id)
  await notify(the.mount, coupon('deleted', { coupon: 'BF25' }))
  const gone = await save({ ...late, type: 'coupon' })
  expect(gone.status).toBe(412)
  expect(gone.text).toContain('New announcement')
})

it('contract A17, T3: a conflict says that Stripe published the announcement, but after an edit it names only the editor', async () => {
  const draft = { ...FORM, type: 'coupon', seen: held(await page(), 'seen') }
  await notify(the.mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }))
  expect((await save(draft)).text).toContain('<p>\u2068Stripe\u2069 published another announcement')
  const fields = { ...(await open()), type: 'coupon' }
  await save({ ...fields, text: 'Half price' })
  const { offers } = internalsOf(the.mount.placard).service.store
  const now = the.mount.clock.now()
  const { asked_at } = await offers.recall(now)
  expect(await offers.pause(fields.id, 'no_answer', asked_at, now)).toBe(true)
  expect((await save(fields)).text).toContain('<p>\u2068Anna\u2069 changed this announcement')
})

it("contract T1, R9: the form says that a copy's coupon isn't checked, or why it was refused", async () => {
  const unchecked = 'For this announcement, the service doesn’t check Stripe coupon BF25.'
  await notify(the.mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }))
  const { id } = await open()
  const entry = `/admin?entry=${(await entries())[0]?.id}`
  expect(await page(`/admin?edit=${id}`)).not.toContain(unchecked)
  const copy = await page(`/admin?copy=${id}`)
  expect(copy).toContain(unchecked)
  const typed = { ...FORM, coupon: held(copy, 'coupon') }
  expect((await post('preview', typed)).text).toContain(unchecked)
  expect(await page(entry)).toContain(unchecked)
  await notify(the.mount, coupon('updated', { coupon: 'BF25', valid: false }))
  expect(await page(entry)).toContain('Stripe reports that the coupon can no longer be redeemed.')
  expect((await save(typed)).status).toBe(200)
})

it('contract A16: the form names the scheduled announcement that will cut this one short', async () => {
  const said = /Until <time[^>]*>[^<]*<\/time>, when “<bdi>Takes its place/
  await put('Takes its place', { startsAt: inHours(0.5) })
  const until = wall(1)
  expect((await post('preview', { ...FORM, until })).text).toMatch(said)
  await save({ ...FORM, until })
  expect(await page()).toMatch(said)
})

it.each(REFERENCES)(
  'contract O4, A7: an edit keeps the stored link %j, which the form would complete if it were typed',
  async (slug) => {
    const { id } = await put('With a tpyo', { slug })
    const fields = await retyped(`/admin?edit=${id}`, 'With a typo')
    expect((await post('preview', fields)).text).not.toContain('Links to')
    expect((await save(fields)).status).toBe(200)
    expect(await the.mount.placard.current()).toMatchObject({ id, text: 'With a typo', slug })
    // A copy of the announcement or of a history entry keeps the link too.
    for (const path of [`/admin?copy=${id}`, `/admin?entry=${(await entries())[0]?.id}`]) {
      await save(await retyped(path, path))
      expect(await the.mount.placard.current()).toMatchObject({ text: path, slug })
    }
    const typed = { ...(await open()), slugWas: slug, slug: 'sale' }
    expect((await post('preview', typed)).text).toContain('Links to \u2068/sale')
    await save(typed)
    expect(await the.mount.placard.current()).toMatchObject({ slug: '/sale' })
  },
)

it("contract A7, A17: an untouched link stays as stored, even after another person's change", async () => {
  const { id } = await put('Mine', { slug: 'blog/x' })
  const fields = await retyped(`/admin?edit=${id}`, 'Mine, edited')
  await save({ ...(await retyped(`/admin?edit=${id}`, 'Theirs')), slug: '/theirs' })
  const told = await save(fields)
  expect(told.status).toBe(412)
  expect(told.text).toMatch(/Link<\/th><td><bdi>\/theirs<\/bdi><\/td><td><bdi>blog\/x</)
  await the.mount.placard.withdraw({ id })
  const gone = await save(fields)
  const asNew = { ...fields, slugWas: held(gone.text, 'slugWas'), told: held(gone.text, 'told') }
  expect((await save(asNew)).status).toBe(200)
  expect(await the.mount.placard.current()).toMatchObject({ text: 'Mine, edited', slug: 'blog/x' })
})

const NEVER = ['9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z']
const ENDS = [...NEVER, '2027-06-04T10:00:30.500Z', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z']
it.each(ENDS)(
  'contract O4, A9: an edit keeps the end %s in any zone if nobody changes it',
  async (end) => {
    const expiresAt = Date.parse(end)
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati']) {
      const { id } = await put('With a tpyo', { expiresAt })
      const fields = await retyped(`/admin?edit=${id}`, `In ${zone}`, zone)
      expect(fields.until).toMatch(/^\d{4}-/)
      expect((await save(fields)).status).toBe(200)
      expect(await the.mount.placard.current()).toMatchObject({ text: `In ${zone}`, expiresAt })
      // A copy keeps the end too, even if the form shows it in another zone.
      const copy = await retyped(`/admin?copy=${id}`, 'A copy', zone)
      await save({ ...copy, zone: 'Asia/Tokyo' })
      expect(await the.mount.placard.current()).toMatchObject({ text: 'A copy', expiresAt })
    }
  },
)

it('contract A9, A14: changing the zone converts all times, typed or stored', async () => {
  const [startsAt, expiresAt] = [Date.UTC(2027, 4, 28, 7), Date.UTC(2027, 4, 29, 7)]
  const { id } = await put('Later', { startsAt, expiresAt })
  const fields = await retyped(`/admin?edit=${id}`, 'Later', 'Europe/Berlin')
  expect([fields.from, fields.until]).toEqual(['2027-05-28T09:00', '2027-05-29T09:00'])
  const times = ({ text }: { text: string }) =>
    Object.fromEntries(['from', 'until', 'zoneWas'].map((name) => [name, held(text, name)]))
  const typed = { ...fields, from: '2027-05-28T10:00', zone: 'Asia/Tokyo' }
  const inTokyo = times(await post('preview', typed))
  expect(inTokyo).toEqual({
    from: '2027-05-28T17:00',
    until: '2027-05-29T16:00',
    zoneWas: 'Asia/Tokyo',
  })
  // An incomplete zone name changes nothing.
  expect(times(await post('preview', { ...typed, ...inTokyo, zone: 'Lond' }))).toEqual(inTokyo)
  // Typed again for Tokyo, the local time that the form showed for Berlin is a new time.
  const again = { ...typed, ...inTokyo, from: '2027-05-28T09:00' }
  expect((await save(again)).status).toBe(200)
  const [saved] = (await board()).scheduled
  expect(saved).toMatchObject({ startsAt: Date.UTC(2027, 4, 28), expiresAt })
  expect((await save({ ...again, zoneWas: 'Mars/Base' })).status).toBe(422)
})

it('contract O4, A7, A19: an edit keeps untouched links, and a conflict shows them', async () => {
  const slugs = { de: 'de/aktion', fr: '/fr' }
  const { id } = await put('Mine', { slug: 'sale', slugs })
  const fields = await retyped(`/admin?edit=${id}`, 'Mine, edited')
  const form = new URLSearchParams(fields)
  for (const [tag, slug] of Object.entries(slugs)) {
    for (const [name, value] of Object.entries({ tag, translation: '', translationSlug: slug })) {
      form.append(name, value)
    }
  }
  await save({ ...fields, tag: 'de', translationSlug: '/de/theirs' })
  const told = await post('publish', form)
  expect(told.status).toBe(412)
  expect(told.text).toMatch(
    /Link \(de\)<\/th><td><bdi>\/de\/theirs<\/bdi><\/td><td><bdi>de\/aktion</,
  )
  form.set('told', held(told.text, 'told'))
  expect((await post('publish', form)).status).toBe(200)
  expect(await the.mount.placard.current()).toMatchObject({
    text: 'Mine, edited',
    slug: 'sale',
    slugs,
  })
})

it("contract O4, A15: an edit keeps a stored tag that is also a language's name", async () => {
  const [translations, language] = [{ de: 'Neu', german: 'Neu' }, 'english']
  const { id } = await put('New', { translations, language })
  const fields = await retyped(`/admin?edit=${id}`, 'Edited')
  const rows = Object.entries(translations).flatMap(([tag, translation]) => [
    ['tag', tag],
    ['translation', translation],
  ])
  const form = new URLSearchParams([...Object.entries(fields), ...rows])
  expect((await post('publish', form)).status).toBe(200)
  const edited = { id, text: 'Edited', translations, language }
  expect(await the.mount.placard.current()).toMatchObject(edited)
  await save({ ...fields, seen: '', language: 'french' })
  expect(await the.mount.placard.current()).toMatchObject({ language: 'fr' })
})
