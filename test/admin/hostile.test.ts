import { expect, it } from 'vitest'
import { coupon, notify } from '../harness.ts'
import { FORM, signedIn } from './visitor.ts'

/**
 * Reduces a page to its elements and the names of their attributes. Leaves out `title`, which only long texts have.
 */
const skeletonOf = async (response: Response) =>
  (await response.text())
    .replace(/="[^"]*"/g, '=')
    .replaceAll(' title=', '')
    .replace(/>[^<]*</g, '><')

/** The pages of an admin with a given text in every place that shows text from a person. */
async function filled(say: (what: string) => string) {
  const { mount, visitor } = await signedIn({}, say('Anna'))
  const from = new Date(mount.clock.now() + 3_600_000).toISOString().slice(0, 16)
  for (const fields of [{}, { from }]) {
    const form = new URLSearchParams({ ...FORM, ...fields, text: say('text'), slug: '#a' })
    form.append('tag', 'de')
    form.append('translation', say('translation'))
    expect((await visitor.post('/admin/publish', form)).status).toBe(200)
  }
  for (const valid of [true, false]) {
    const named = coupon('created', { name: say('name'), coupon: say('id'), valid })
    expect((await notify(mount, { ...named, id: say(`evt ${valid}`) })).status).toBe(200)
  }
  const pages: string[] = []
  for (const query of ['', '/history', '/site', '/live', '?entry=1', '?copy=x']) {
    pages.push(await skeletonOf(await visitor.get(`/admin${query}`)))
  }
  const typed = ['text', 'slug', 'icon', 'type', 'zone', 'until', 'show', 'id', 'seen']
  const form = Object.fromEntries(typed.map((name) => [name, say(name)]))
  for (const path of ['preview', 'publish', 'withdraw', 'undo']) {
    pages.push(await skeletonOf(await visitor.post(`/admin/${path}`, form)))
  }
  await mount.close()
  return pages
}

it('contract O3: hostile texts change nothing in a page but its texts', async () => {
  const harmless = await filled((what) => `harmless ${what}`)
  for (const payload of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    '</title></style></textarea><svg onload=alert(1)>',
    '&lt;b&gt;&#x3c;b {{constructor}}',
  ]) {
    const hostile = await filled((what) => `${payload} ${what}`.slice(0, 64))
    expect(hostile, payload).toEqual(harmless)
  }
})
