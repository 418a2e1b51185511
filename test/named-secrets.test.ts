import { beforeEach, describe, expect, it } from 'vitest'
import { nameOf, ownerSecret } from '../src/core/secrets.ts'
import { FORM, visitorOf } from './admin/visitor.ts'
import { afterTest } from './after-file.ts'
import { commandLine } from './command-line.ts'
import {
  API_SECRET,
  type DirectMount,
  DRAFT,
  historyOf,
  idOf,
  inMemory,
  makePlacard,
  publish,
  put,
  undo,
  withdraw,
} from './harness.ts'
import { running } from './running.ts'
import { temporaryDirectory } from './stores.ts'
import { onEachStore } from './suites/mount.ts'

const ANNAS = 'anna:0123456789abcdef'
const as = (secret: string) => ({ Authorization: `Bearer ${secret}` })

it.each([
  ['anna:0123456789abcdef', 'anna'],
  ['Anna_B-2:0123456789abcde:', 'Anna_B-2'],
  [`${'a'.repeat(32)}:0123456789abcdef`, 'a'.repeat(32)],
  [`${'a'.repeat(33)}:0123456789abcdef`, null],
  // Fewer than 16 characters follow the colon, so the part before it must stay secret too.
  ['anna:0123456789abcde', null],
  [':0123456789abcdef', null],
  ['a.b:0123456789abcdef', null],
  ['0123456789abcdef', null],
])('contract A4: the name in the secret %s is %s', (secret, name) => {
  expect(nameOf(secret)).toBe(name)
})

it("contract A4: of several secrets, commands and the service's own links use the owner's", () => {
  expect(ownerSecret([ANNAS, 'first-of-the-owner', 'second-of-the-owner'])).toBe(
    'first-of-the-owner',
  )
  expect(ownerSecret([ANNAS, 'bob:0123456789abcdef'])).toBe(ANNAS)
  expect(ownerSecret([])).toBeUndefined()
})

it('contract A4: a secret with too few characters after its colon gets a warning', () => {
  const warned = (secret: string) =>
    inMemory({ apiSecret: `${API_SECRET},${secret}` }).log.lines.map(({ message }) => message)
  expect(warned(ANNAS)).toEqual([])
  expect(warned('anna-of-the-shop:0123').join()).toMatch(/a colon but no name/)
  expect(warned('anna-of-the-shop:0123').join()).not.toContain('anna-of')
})

onEachStore('a named secret', (mount) => {
  let placard: DirectMount
  /** Another node on the same database, with these secrets. */
  async function node(...secrets: string[]) {
    const one = makePlacard(await mount.place.open(), { apiSecret: secrets.join(',') }, mount.clock)
    afterTest(one.close)
    return one
  }
  beforeEach(async () => {
    placard = await node(API_SECRET, ANNAS)
  })
  const names = async () => (await historyOf(placard)).map(({ by }) => by.name)

  it('contract A4, R8: records its name in the history, not the one in Placard-Actor', async () => {
    const hers = { ...as(ANNAS), 'Placard-Actor': 'Mallory' }
    const id = idOf(await publish(placard, DRAFT, hers))
    expect((await put(placard, id, { ...DRAFT, text: 'Edited' }, hers)).status).toBe(200)
    expect((await withdraw(placard, { id }, hers)).status).toBe(200)
    expect((await undo(placard, undefined, hers)).status).toBe(200)
    expect(await names()).toEqual(Array(4).fill('anna'))
    await publish(placard, DRAFT, as(ANNAS))
    await publish(placard, DRAFT, { 'Placard-Actor': 'Ada' })
    await publish(placard, DRAFT)
    expect((await names()).slice(0, 3)).toEqual([undefined, 'Ada', 'anna'])
    expect((await publish(placard, DRAFT, { ...hers, 'Placard-Actor': '\t' })).status).toBe(400)
  })

  it.each([
    ['the name alone', 'anna'],
    ['the name and its colon', 'anna:'],
    ['the part after the colon', '0123456789abcdef'],
    ['the secret with another name', 'anne:0123456789abcdef'],
    ['the secret in another case', 'Anna:0123456789abcdef'],
    ['the secret with another end', 'anna:0123456789abcdeF'],
  ])('contract A4: is accepted only as the whole entry, not as %s', async (_, token) => {
    expect((await publish(placard, DRAFT, as(token))).status).toBe(401)
    expect(await historyOf(placard)).toEqual([])
  })

  it.each([
    ['the secret itself', { secret: ANNAS }],
    ['a link created with it', { by: ANNAS }],
    ['a link created with it for another name', { by: ANNAS, name: 'Mallory' }],
    ['a link from the owner for its name', { by: API_SECRET, name: 'anna' }],
    ['a link from the owner for its name in another case', { by: API_SECRET, name: 'Anna' }],
  ])(
    'contract O2, A4: gives its name to a session opened with %s; a node without the secret rejects the session',
    async (_, how) => {
      const visitor = visitorOf(placard.placard)
      const { secret, by, name } = { secret: undefined, by: '', name: undefined, ...how }
      const form = secret ? { secret } : { code: await visitor.code(by, name) }
      expect((await visitor.post('/admin/session', form)).status).toBe(303)
      // The admin doesn't ask for a name, and a posted name changes nothing.
      expect(await (await visitor.get()).text()).not.toContain('action="/admin/name"')
      await visitor.post('/admin/name', { name: 'Mallory' })
      expect((await visitor.post('/admin/publish', FORM)).status).toBe(200)
      const [entry] = await historyOf(placard)
      expect(entry?.by).toEqual({ via: 'admin', name: 'anna' })

      const without = await node(API_SECRET)
      const later = visitorOf(without.placard)
      later.setCookie(visitor.cookie())
      expect(await later.isIn()).toBe(false)
      expect(await visitor.isIn()).toBe(true)
    },
  )

  it("contract O2: isn't needed for a session from a link that the owner creates for another name, or for none", async () => {
    const without = visitorOf((await node(API_SECRET)).placard)
    for (const name of [undefined, 'Bob']) {
      const visitor = visitorOf(placard.placard)
      await visitor.post('/admin/session', { code: await visitor.code(API_SECRET, name) })
      without.setCookie(visitor.cookie())
      expect(await without.isIn()).toBe(true)
    }
  })

  it('contract A4, O2: can be rotated by listing the new secret beside the old one for a while', async () => {
    const newer = 'anna:fedcba9876543210'
    const both = await node(API_SECRET, ANNAS, newer)
    const visitor = visitorOf(both.placard)
    await visitor.post('/admin/session', { code: await visitor.code(newer) })
    const after = visitorOf((await node(API_SECRET, newer)).placard)
    after.setCookie(visitor.cookie())
    expect(await after.isIn()).toBe(true)
    await publish(both, DRAFT, as(newer))
    expect(await names()).toEqual(['anna'])
  })
})

describe('the links that the service itself creates', () => {
  it("contract A4, O1: are the owner's, even if a colleague's secret is listed first", async () => {
    const { placard } = inMemory({ apiSecret: `${ANNAS},${API_SECRET}` })
    const visitor = visitorOf(placard)
    const code = (await visitor.admin.createLink()).split('#')[1] ?? ''
    await visitor.post('/admin/session', { code })
    await visitor.post('/admin/publish', FORM)
    expect((await placard.current())?.by).toEqual({ via: 'admin' })
  })
})

describe('commands that use a named secret', () => {
  it.each([
    ['Bob', 1],
    ['anna', 0],
    ['Anna', 0],
  ])(
    "contract A4, R8: warn that a name has no effect, unless it is the secret's: %s",
    async (name, lines) => {
      const { port } = await running({ EVENT_API_SECRET: `${API_SECRET},${ANNAS}` })
      const environment = { EVENT_API_SECRET: ANNAS, PORT: String(port) }
      const { placard, json } = commandLine(temporaryDirectory(), environment)
      const published = await placard('publish', 'Some text', '--as', name)
      expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('Published.') })
      const opened = await placard('open', '--for', name)
      const ignored = (option: string) =>
        `placard: ${option} ${name} has no effect: the secret from the environment is anna's, so the history says anna\n`
      expect([published.stderr, opened.stderr]).toEqual(
        ['--as', '--for'].map((option) => ignored(option).repeat(lines)),
      )
      const { entries } = await json('history')
      expect(entries).toMatchObject([{ by: { name: 'anna' } }])
    },
  )
})
