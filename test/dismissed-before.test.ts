import { expect, it } from 'vitest'
import { FORM, visitorOf } from './admin/visitor.ts'
import { DRAFT, idOf, publish, put, withdraw } from './harness.ts'
import { onEachStore } from './suites/mount.ts'

const DAY = 86_400_000

onEachStore('a text that visitors may have dismissed', (mount) => {
  /** Whether a write warns that its text may have been dismissed. */
  const warns = async (answer: Promise<Response>) => {
    const { ok, headers } = await answer
    expect(ok).toBe(true)
    return (headers.get('placard-warning') ?? '').includes('dismissed_before')
  }
  const say = (text: string, more = {}) => publish(mount, { ...DRAFT, text, ...more })
  const inDays = (days: number) => mount.now() + days * DAY

  it('contract A16: gets a warning if it is already published, or was replaced or withdrawn', async () => {
    expect(await warns(say('Ships 100% free'))).toBe(false)
    expect(await warns(say('Ships 100% free'))).toBe(true)
    expect(await warns(say('Another text'))).toBe(false)
    expect(await warns(say(' Ships  100% free', { type: 'product' }))).toBe(true)
    await withdraw(mount, { type: 'product' })
    await say('Two  spaces', { type: 'coupon' })
    await withdraw(mount, { type: 'coupon' })
    expect(await warns(say('Two spaces', { type: 'coupon' }))).toBe(true)
    const { headers } = await say('Ships 100% free', { slug: '/elsewhere' })
    expect(headers.get('placard-warning')).toBe(
      `"Visitors who dismissed this text won't see it again. Change a word to show it to everyone.";code=dismissed_before;path=text`,
    )
    for (const text of ['Ships 100_ free', 'ships 100% free', 'Ships 100% free today', '100%']) {
      expect(await warns(say(text)), text).toBe(false)
    }
  })

  it('contract A16: gets a warning for 90 days, or until its announcement ends', async () => {
    const id = idOf(await say('For a while', { expiresAt: inDays(1) }))
    await say('For ever')
    mount.clock.advance(DAY)
    expect(await warns(say('For a while'))).toBe(false)
    mount.clock.advance(89 * DAY - 1)
    expect(await warns(say('For ever', { startsAt: inDays(1) }))).toBe(true)
    expect(await warns(say('For ever', { startsAt: inDays(2) }))).toBe(false)
    expect(id).toBeTruthy()
  })

  it('contract A16: gets a warning for 90 days after it last showed, even if it showed for longer than that', async () => {
    await say('Up for long', { expiresAt: inDays(400) })
    mount.clock.advance(100 * DAY)
    await withdraw(mount, { type: 'post' })
    mount.clock.advance(90 * DAY)
    expect(await warns(say('Up for long'))).toBe(true)
    mount.clock.advance(1)
    await say('Another text')
    mount.clock.advance(90 * DAY + 1)
    expect(await warns(say('Up for long'))).toBe(false)
  })

  it('contract A16, A18: gets a warning if an edit restores it, but not if an edit keeps it', async () => {
    const id = idOf(await say('The first wording'))
    const edit = (text: string, slug = '/') => put(mount, id, { ...DRAFT, text, slug })
    expect(await warns(edit('The first wording', '/a'))).toBe(false)
    expect(await warns(edit('The second wording'))).toBe(false)
    expect(await warns(edit('The first wording'))).toBe(true)
    expect(await warns(edit('The first wording', '/b'))).toBe(false)
  })

  it('contract A16: gets no warning if it was only scheduled', async () => {
    const later = { startsAt: inDays(1) }
    const id = idOf(await say('Never shown', later))
    await put(mount, id, { ...DRAFT, text: 'Nor this', ...later })
    await withdraw(mount, { id })
    expect(await warns(say('Never shown'))).toBe(false)
    expect(await warns(say('Nor this'))).toBe(false)
  })

  it('contract A16: gets the warning from publish() and in the admin as well', async () => {
    const draft = { ...DRAFT, type: 'post', text: 'A text “with” a \\ and %' } as const
    expect((await mount.placard.publish(draft)).warnings).toEqual([])
    const { warnings } = await mount.placard.publish(draft)
    expect(warnings).toMatchObject([{ code: 'dismissed_before', path: 'text' }])
    const visitor = visitorOf(mount.placard)
    await visitor.signIn(mount)
    const shown = async (fields: object) =>
      (await (await visitor.post('/admin/preview', { ...FORM, ...fields })).text()).includes(
        'Visitors who dismissed this text won',
      )
    expect(await shown({ text: draft.text })).toBe(true)
    expect(await shown({ text: 'Another text' })).toBe(false)
    const id = (await mount.placard.current())?.id ?? ''
    expect(await shown({ text: draft.text, id })).toBe(false)
  })
})
