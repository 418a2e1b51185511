import { afterAll, beforeAll, expect, it } from 'vitest'
import { build, commandLine, serving } from './command-line.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './stores.ts'

const directory = temporaryDirectory()
const environment: Record<string, string> = {}
const { done, json, refused } = commandLine(directory, environment)
let service: Awaited<ReturnType<typeof serving>>

beforeAll(async () => {
  build()
  environment.PORT = String(await freePort())
  service = await serving(directory, environment)
})
afterAll(async () => {
  service.child.kill()
  await service.finished
})

it('contract A18: edits what is named, and leaves the rest as it is', async () => {
  const { id } = await json(
    'publish',
    'To be edited',
    '--icon',
    'star',
    '--type',
    'product',
    '--slug',
    '/x',
  )
  const shown = async () => (await json('list')).slots.find((one: { id: string }) => one.id === id)
  const before = await shown()
  expect(
    await done('edit', id, 'Edited', '--until', 'tomorrow', '--translation', 'de=Geändert'),
  ).toMatch(/^Event edited\.\n/)
  const { etag: _, expiresAt, ...edited } = await shown()
  const { etag: __, ...rest } = before
  expect(edited).toEqual({ ...rest, text: 'Edited', translations: { de: 'Geändert' } })
  expect(Number(expiresAt)).toBeGreaterThan(Date.now())
  await done('edit', id, '--icon', 'none', '--until', 'none', '--slug', '/y')
  const { etag: ___, icon, ...left } = await shown()
  const { icon: ____, ...others } = edited
  expect(icon).toBeUndefined()
  expect(left).toEqual({ ...others, slug: '/y' })
  const later = await json('publish', 'To be moved', '--from', '2098-06-01 09:00')
  await done('edit', later.id, '--from', '2098-07-01 09:00', '--zone', 'UTC')
  expect((await json('list')).scheduled).toContainEqual(
    expect.objectContaining({
      id: later.id,
      text: 'To be moved',
      startsAt: String(Date.UTC(2098, 6, 1, 9)),
    }),
  )
  expect(await refused(1, 'edit', 'none', 'x y z')).toContain('Nothing published or scheduled has')
  expect(await refused(1, 'edit', id, '--type', 'post')).toContain("type can't change")
})
