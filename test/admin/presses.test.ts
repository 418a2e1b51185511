import { expect, it } from 'vitest'
import { withdraw } from '../harness.ts'
import { adminForEach, FORM, HOUR, held, signedIn, undoIn } from './visitor.ts'

const { the, inHours, open, page, post, put, shown, wall } = adminForEach()
const later = (text: string) => put(text, { startsAt: inHours(1) })

it('contract R9: a save that changed nothing offers no undo', async () => {
  const { id } = await put('Winter sale', { slug: FORM.slug })
  const saved = await post('publish', { ...(await open(id)), text: 'Winter sale' })
  expect(saved.text).toContain('<p>Saved.')
  expect(undoIn(saved.text)).toBe('')
  const draft = { ...FORM, text: 'By Bob', from: wall(2) }
  const first = await post('publish', draft)
  expect(undoIn(first.text)).not.toBe('')
  // A repeated POST returns the existing announcement (contract A14).
  const repeat = await post('publish', draft)
  expect(repeat.text).toContain('Scheduled.')
  expect(undoIn(repeat.text)).toBe('')
})

it('contract R9: undoing an early publication reschedules the announcement, and offers no redo', async () => {
  const { id } = await later('Planned')
  const saved = await post('publish', { ...(await open(id)), text: 'Planned', from: '' })
  const undone = await post('undo', { id: undoIn(saved.text) })
  expect(undone.text).toContain('is back')
  expect(undoIn(undone.text.split('</div>')[0] ?? '')).toBe('')
  expect(await page()).toContain(`value="${id}"`)
})

it('contract A17: publishing a scheduled announcement early replaces nothing that its author has not seen', async () => {
  const { id } = await later('Planned')
  const fields = await open(id)
  await put('Theirs')
  const refused = await post('publish', { ...fields, text: 'Planned', from: '' })
  expect(refused.status).toBe(412)
  expect(await shown()).toBe('Theirs')
  const told = held(refused.text, 'told')
  const done = await post('publish', { ...fields, text: 'Planned', from: '', told })
  expect([done.status, await shown()]).toEqual([200, 'Planned'])
})

it('contract A17: a confirmed save replaces nothing newer than the confirmed conflict', async () => {
  const { id } = await put('Edited')
  const fields = await open(id)
  await withdraw(the.mount, { type: 'post' })
  const gone = await post('publish', { ...fields, text: 'Edited' })
  expect(gone.status).toBe(412)
  const told = held(gone.text, 'told')
  await put('Theirs')
  expect((await post('publish', { ...fields, text: 'Edited', told })).status).toBe(412)
  expect(await shown()).toBe('Theirs')
})

it('contract A17: a withdrawal takes down only the version that its row showed', async () => {
  const { id } = await later('Black Friday')
  const [, row = ''] = (await page()).split(`name="id" value="${id}"`)
  the.mount.clock.advance(HOUR)
  const late = await post('withdraw', { id, was: held(row, 'was') })
  expect(late.status).toBe(412)
  expect(late.text).toContain('The announcement has changed in the meantime.')
  expect(await shown()).toBe('Black Friday')
})

it.each(['abc', '1.5', 'Infinity', '9'.repeat(20), ''])(
  'contract R9: an undo of the entry %j gets 422',
  async (id) => {
    expect((await post('undo', { id })).status).toBe(422)
  },
)

it("contract W7: a stored change is reported as saved, even if a cache couldn't be purged", async () => {
  const onChange = () => Promise.reject(new Error('refused'))
  const { visitor } = await signedIn({ onChange })
  const refused = await visitor.post('/admin/undo', { id: '1' })
  expect([refused.status, (await refused.text()).includes('is saved')]).toEqual([404, false])
  const response = await visitor.post('/admin/publish', { ...FORM, text: 'Stored' })
  const text = await response.text()
  expect(text).toContain('Your change is saved, but a cache couldn’t be cleared')
  // The response has an empty form, and shows the published announcement.
  expect(text).toMatch(/data-part="now".*Stored/)
})
