import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { type DirectMount, makePlacard, withdraw } from '../harness.ts'
import { FORM, signedIn, type Visitor, visitorOf } from './visitor.ts'

const HOUR = 3_600_000

describe('a press', () => {
  let mount: DirectMount
  let visitor: Visitor
  beforeEach(async () => {
    ;({ mount, visitor } = await signedIn())
  })
  afterEach(() => mount.close())

  const post = async (path: string, fields: Record<string, string>) => {
    const response = await visitor.post(`/admin/${path}`, fields)
    return { status: response.status, text: await response.text() }
  }
  const inHours = (hours: number) => mount.clock.now() + hours * HOUR
  /** As a field has it. */
  const wall = (hours: number) => new Date(inHours(hours)).toISOString().slice(0, 16)
  const later = (text: string) =>
    mount.placard.publish({ text, type: 'post', slug: '/', startsAt: inHours(1) })
  /** What the page of an edit holds beside the fields that are typed. */
  async function held(id: string) {
    const page = await (await visitor.get(`/admin?edit=${id}`)).text()
    const value = (name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
    return { ...FORM, id, seen: value('seen') }
  }
  const undoIn = (html: string) =>
    /action="\/admin\/undo".*?name="id" value="(\d+)"/.exec(html)?.[1]

  it('contract R9: that changed nothing offers no undo', async () => {
    const { id } = await mount.placard.publish({
      text: 'Winter sale',
      type: 'post',
      slug: FORM.slug,
    })
    const saved = await post('publish', { ...(await held(id)), text: 'Winter sale' })
    expect(saved.text).toContain('<p>Saved.')
    expect(undoIn(saved.text)).toBeUndefined()
    const draft = { ...FORM, text: 'By Bob', from: wall(2) }
    const first = await post('publish', draft)
    expect(undoIn(first.text)).toBeDefined()
    // Equal to the latest, so it is that one (contract A14).
    const repeat = await post('publish', draft)
    expect(repeat.text).toContain('Scheduled.')
    expect(undoIn(repeat.text)).toBeUndefined()
  })

  it('contract R9: that put up from the schedule at once, undone, is scheduled again, and offers no redo', async () => {
    const { id } = await later('Planned')
    const saved = await post('publish', { ...(await held(id)), text: 'Planned', from: '' })
    const undone = await post('undo', { id: undoIn(saved.text) ?? '' })
    expect(undone.text).toContain('is back')
    expect(undoIn(undone.text.split('</div>')[0] ?? '')).toBeUndefined()
    expect(await (await visitor.get('/admin')).text()).toContain(`value="${id}"`)
  })

  it('contract W7: that is refused says so, though no cache can be purged', async () => {
    await mount.close()
    const onChange = async () => {
      throw new Error('no cache')
    }
    mount = makePlacard(sqliteStore(':memory:'), { onChange })
    visitor = visitorOf(mount.placard)
    await visitor.signIn(mount, 'Anna')
    const refused = await post('undo', { id: '1' })
    expect([refused.status, refused.text.includes('stored')]).toEqual([404, false])
  })

  it('contract A17: replaces nothing unseen where what is edited is put up at once', async () => {
    const { id } = await later('Planned')
    const fields = await held(id)
    await mount.placard.publish({ text: 'Theirs', type: 'post', slug: '/' })
    const refused = await post('publish', { ...fields, text: 'Planned', from: '' })
    expect(refused.status).toBe(412)
    expect((await mount.placard.current())?.text).toBe('Theirs')
    const told = /name="told" value="([^"]*)"/.exec(refused.text)?.[1] ?? ''
    const done = await post('publish', { ...fields, text: 'Planned', from: '', told })
    expect([done.status, (await mount.placard.current())?.text]).toEqual([200, 'Planned'])
  })

  it('contract A17: replaces nothing that came after what was told', async () => {
    const { id } = await mount.placard.publish({ text: 'Edited', type: 'post', slug: '/' })
    const fields = await held(id)
    await withdraw(mount, { type: 'post' })
    const gone = await post('publish', { ...fields, text: 'Edited' })
    expect(gone.status).toBe(412)
    const told = /name="told" value="([^"]*)"/.exec(gone.text)?.[1] ?? ''
    await mount.placard.publish({ text: 'Theirs', type: 'post', slug: '/' })
    expect((await post('publish', { ...fields, text: 'Edited', told })).status).toBe(412)
    expect((await mount.placard.current())?.text).toBe('Theirs')
  })

  it('contract A17: takes down what its row showed, and nothing that this has become', async () => {
    const { id } = await later('Black Friday')
    const page = await (await visitor.get('/admin')).text()
    const was = new RegExp(`value="${id}"/><input type="hidden" name="was" value="([^"]*)"`).exec(
      page,
    )
    mount.clock.advance(HOUR)
    const late = await post('withdraw', { id, was: was?.[1] ?? '' })
    expect(late.status).toBe(412)
    expect(late.text).toContain('This has changed meanwhile.')
    expect((await mount.placard.current())?.text).toBe('Black Friday')
  })

  it.each(['abc', '1.5', 'Infinity', '9'.repeat(20), ''])(
    'R9: refuses the entry %j',
    async (id) => {
      expect((await post('undo', { id })).status).toBe(422)
    },
  )

  it('takes as long over a hostile field as over any other', async () => {
    const spaces = ' '.repeat(60_000)
    for (const fields of [{ text: `${spaces}x` }, { from: `${'t'.repeat(60_000)}1:` }]) {
      const started = performance.now()
      await post('preview', { ...FORM, ...fields })
      expect(performance.now() - started).toBeLessThan(2_000)
    }
  })
})

it('contract W7: that is stored says so, though a cache could not be purged', async () => {
  const onChange = () => Promise.reject(new Error('refused'))
  const mount = makePlacard(sqliteStore(':memory:'), { onChange })
  const visitor = visitorOf(mount.placard)
  await visitor.signIn(mount)
  const response = await visitor.post('/admin/publish', { ...FORM, text: 'Stored' })
  const text = await response.text()
  expect(text).toContain('This is stored, but a cache couldn’t be purged')
  // The form begins anew, and the page shows what is up.
  expect(text).toMatch(/data-part="now".*Stored/)
  await mount.close()
})
