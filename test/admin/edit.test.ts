import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { coupon, type DirectMount, notify } from '../harness.ts'
import { FORM, signedIn, type Visitor } from './visitor.ts'

const HOUR = 3_600_000

describe('editing what is up', () => {
  let mount: DirectMount
  let visitor: Visitor
  beforeEach(async () => {
    ;({ mount, visitor } = await signedIn())
  })
  afterEach(() => mount.close())

  const put = (text: string, type: 'post' | 'coupon') =>
    mount.placard.publish({ text, type, slug: '/', expiresAt: mount.clock.now() + HOUR })
  /** What the composer holds when it is opened from the row of a type, and its page. */
  async function open(id: string) {
    const page = await (await visitor.get(`/admin?edit=${id}`)).text()
    const value = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const until = /name="until"[^>]* value="([^"]*)"/.exec(page)?.[1] ?? ''
    return { page, fields: { ...FORM, id, seen: value('seen'), until } }
  }
  const save = (fields: Record<string, string>) => visitor.post('/admin/publish', fields)

  it('contract A18: edits it in its place, with the end that it had', async () => {
    const { id } = await put('Waits behind the coupon', 'post')
    await put('In front', 'coupon')
    const { page, fields } = await open(id)
    expect(page).toContain('Edit a published announcement')
    expect(page).not.toContain('Goes live immediately.')
    expect(page).not.toContain('eplaces the')
    // One of another type would leave this one up.
    const types = [...page.matchAll(/<input type="radio"[^>]* name="type"[^>]*>/g)].map(String)
    expect(types.map((type) => type.includes('disabled'))).toEqual([false, true, true])
    expect(await (await save({ ...fields, text: 'Edited' })).text()).toContain('<p>Saved.')
    const expiresAt = mount.clock.now() + HOUR
    expect((await mount.placard.current())?.text).toBe('In front')
    await mount.placard.withdraw({ type: 'coupon' })
    const after = { id, text: 'Edited', type: 'post', expiresAt }
    expect(await mount.placard.current()).toMatchObject(after)
    const history = await (await visitor.get('/admin/history')).text()
    expect(history).toMatch(/data-action="edited"/)
    expect(history).not.toMatch(/data-action="replaced"/)
  })

  it('contract A17: puts nothing up, if what was edited is gone', async () => {
    const { id } = await put('Waits behind the coupon', 'post')
    await put('In front', 'coupon')
    const { fields } = await open(id)
    await mount.placard.withdraw({ id })
    const refused = await save(fields)
    expect(refused.status).toBe(412)
    const page = await refused.text()
    expect(page).toContain('removed this while you were editing')
    expect(page).toContain('New announcement')
    expect(page).toContain('>Publish as new</button>')
    expect((await mount.placard.current())?.text).toBe('In front')
  })

  it('contract A14: goes on where a scheduled one that was edited has started', async () => {
    const startsAt = mount.clock.now() + HOUR
    const { id } = await mount.placard.publish({ text: 'Later', type: 'post', slug: '/', startsAt })
    const page = await (await visitor.get(`/admin?edit=${id}`)).text()
    const valueIn = (html: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] as string
    const [seen, fromWas] = [valueIn(page, 'seen'), valueIn(page, 'fromWas')]
    mount.clock.advance(HOUR)
    const told = await save({ ...FORM, id, seen, fromWas })
    expect(told.status).toBe(412)
    const html = await told.text()
    expect(html).toContain('Edit a published announcement')
    expect(html).toContain('This went live while you were editing')
    const again = { ...FORM, id, seen, fromWas, told: valueIn(html, 'told') }
    expect((await save(again)).status).toBe(200)
    expect((await mount.placard.current())?.text).toBe(FORM.text)
  })

  it('contract A18: says before it is saved what the API would refuse', async () => {
    const created = Math.floor(mount.now() / 1_000)
    const told = { name: 'Black Friday', coupon: 'BF25', redeemBy: created + 3_600 }
    await notify(mount, coupon('created', told, created))
    const { id } = (await mount.placard.current()) as { id: string }
    const { fields } = await open(id)
    const from = new Date(mount.clock.now() + HOUR / 2).toISOString().slice(0, 16)
    const until = new Date(mount.clock.now() + 2 * HOUR).toISOString().slice(0, 16)
    const later = { ...fields, type: 'coupon', from }
    expect(await (await visitor.post('/admin/preview', later)).text()).toContain('already live')
    const longer = { ...fields, type: 'coupon', until }
    const refused = await save(longer)
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining('no later than the coupon’s'),
    ])
    expect((await save({ ...fields, type: 'coupon', text: 'Half price' })).status).toBe(200)
    expect(await mount.placard.current()).toMatchObject({ text: 'Half price', coupon: 'BF25' })
  })

  it('contract A16: says which scheduled one takes its place before its end', async () => {
    const startsAt = mount.clock.now() + HOUR / 2
    await mount.placard.publish({ text: 'Takes its place', type: 'post', slug: '/', startsAt })
    const until = new Date(mount.clock.now() + HOUR).toISOString().slice(0, 16)
    const preview = await visitor.post('/admin/preview', { ...FORM, until })
    expect(await preview.text()).toMatch(
      /Until <time[^>]*>[^<]*<\/time>, when “<bdi>Takes its place/,
    )
    await visitor.post('/admin/publish', { ...FORM, until })
    const page = await (await visitor.get('/admin')).text()
    expect(page).toMatch(/Until <time[^>]*>[^<]*<\/time>, when “<bdi>Takes its place/)
  })
})
