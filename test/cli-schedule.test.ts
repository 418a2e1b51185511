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

it('contract A14, R7 to R9: schedules, lists, shows the history and undoes', async () => {
  await done('publish', 'The one before', '--as', 'Ada')
  const zone = ['--zone', 'Europe/Berlin']
  const times = ['--from', '2098-06-01 09:00', '--for', '3d', ...zone]
  const output = await done('publish', 'A later one', '--slug', 'no/slash', ...times)
  expect(output).toContain('Starts Sun 1 Jun 2098, 09:00 Europe/Berlin (07:00 UTC, in ')
  expect(output).toContain('Ends Wed 4 Jun 2098, 09:00 Europe/Berlin (07:00 UTC, in ')
  expect(output).toContain('Showing until then: The one before')
  expect(output).toMatch(/^! The link has no leading slash/m)
  const replaced = await done('publish', 'The one after', '--translation', 'de=Die danach')
  expect(replaced).toContain('It replaced: The one before')
  expect(replaced).toContain('Next post: A later one, starts ')
  const listed = await done('list', ...zone)
  expect(listed).toMatch(/^post {2}showing, as it is the most recent\n {2}The one after/m)
  expect(listed).toContain('also in de')
  expect(listed).toMatch(/^coupon {2}empty$/m)
  expect(listed).toMatch(/^scheduled\n {2}A later one/m)
  expect(await json('list')).toMatchObject({
    slots: [{ text: 'The one after' }],
    scheduled: [{ text: 'A later one', startsAt: String(Date.UTC(2098, 5, 1, 7)) }],
  })
  const history = await done('history', '--limit', '3')
  expect(history).toMatch(
    /replaced.*by the command line\n {2}- The one before\n {2}\+ The one after/,
  )
  expect(history).toContain('by Ada (the command line)')
  expect(history).toMatch(/ {2}\+ The one after\n {2}\+ de: Die danach$/m)
  expect(await done('undo', '--as', 'Ada')).toMatch(/replaced.*by Ada[^\n]*\n {2}undoes \d+/)
  expect(await json('current')).toMatchObject({ event: { text: 'The one before' } })
  await done('withdraw', '--type', 'post')
  await done('withdraw', '--id', (await json('list')).scheduled[0].id)
})

it('contract A11: a fault in a field names the option that sets it', async () => {
  const wrong = ['--expires-at', '1', '--translation', 'de=x', '--icon', 'A b']
  const output = await refused(1, 'publish', 'Some text', ...wrong)
  for (const option of ['--expires-at must', '--translation de must', '--icon must']) {
    expect(output).toContain(option)
  }
  const reversed = ['--from', '2098-06-02', '--until', '2098-06-01']
  expect(await refused(1, 'publish', 'Some text', ...reversed)).toContain(
    '--until must be later than --from',
  )
})

it('contract A14: says that a start in the past is one at once', async () => {
  const output = await done('publish', 'Begun already', '--from', '2020-06-01', '--zone', 'UTC')
  expect(output).toMatch(/^! --from was Mon 1 Jun 2020, 00:00 UTC .* so it is published now$/m)
  await done('withdraw', '--type', 'post')
})
