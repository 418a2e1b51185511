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
  async function open(type: string) {
    const page = await (await visitor.get(`/admin?slot=${type}`)).text()
    const value = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const until = /name="until"[^>]* value="([^"]*)"/.exec(page)?.[1] ?? ''
    return { page, fields: { ...FORM, type, id: value('id'), seen: value('seen'), until } }
  }
  const save = (fields: Record<string, string>) => visitor.post('/admin/publish', fields)

  it('contract A12: replaces it, with the end that it had, and comes to the front', async () => {
    await put('Waits behind the coupon', 'post')
    await put('In front', 'coupon')
    const { page, fields } = await open('post')
    expect(page).toContain('Edit the announcement that is up')
    expect(page).toContain('It shows at once.')
    // One of another type would leave this one up.
    const types = [...page.matchAll(/<input type="radio"[^>]* name="type"[^>]*>/g)].map(String)
    expect(types.map((type) => type.includes('disabled'))).toEqual([false, true, true])
    expect((await save({ ...fields, text: 'Edited' })).headers.get('location')).toBe(
      '/admin?done=published',
    )
    const expiresAt = mount.clock.now() + HOUR
    expect(await mount.placard.current()).toMatchObject({ text: 'Edited', type: 'post', expiresAt })
    const { page: after } = await open('coupon')
    expect(after).not.toContain('Waits behind the coupon')
  })

  it('contract A17: puts nothing up, if what was edited is gone', async () => {
    const { id } = await put('Waits behind the coupon', 'post')
    await put('In front', 'coupon')
    const { fields } = await open('post')
    await mount.placard.withdraw({ id })
    const refused = await save(fields)
    expect(refused.status).toBe(412)
    const page = await refused.text()
    expect(page).toContain('What you are editing is gone')
    expect(page).toContain('New announcement')
    expect(page).toContain('>Publish as new</button>')
    expect((await mount.placard.current())?.text).toBe('In front')
  })

  it('contract A17: goes on beside what others put up of another type', async () => {
    await put('To be edited', 'post')
    const { fields } = await open('post')
    await put('In front meanwhile', 'coupon')
    expect((await save(fields)).status).toBe(303)
    expect((await mount.placard.current())?.text).toBe(FORM.text)
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
    expect(html).toContain('Edit the announcement that is up')
    expect(html).toContain('was changed meanwhile')
    const again = { ...FORM, id, seen, fromWas, told: valueIn(html, 'told') }
    expect((await save(again)).status).toBe(303)
    expect((await mount.placard.current())?.text).toBe(FORM.text)
  })

  it('contract T3: says what of a coupon is not noticed any more after that', async () => {
    const created = Math.floor(mount.now() / 1_000)
    await notify(mount, coupon('created', { name: 'Black Friday', coupon: 'BF25' }, created))
    expect((await open('coupon')).page).toContain('even if Stripe’s coupon is used up')
    await put('By hand', 'coupon')
    expect((await open('coupon')).page).not.toContain('even if Stripe’s coupon is used up')
  })
})
