import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import {
  API_SECRET,
  current,
  DRAFT,
  historyOf,
  makePlacard,
  manualClock,
  publish,
  readOwned,
  tick,
} from '../harness.ts'
import { LIMIT_MS } from '../limit.ts'
import { until } from './cluster.ts'
import { makeNode, put, read } from './nodes.ts'
import { emptyDatabase, migratedDatabase } from './place.ts'

const MINUTE = 60_000

let url: string
beforeEach(async () => {
  url = await migratedDatabase()
})
const open = () => postgresStore({ url, listen: false })

describe("a store that doesn't listen", () => {
  async function unwatched() {
    const node = await makeNode(url, { listen: false })
    onTestFinished(node.close)
    return node
  }

  it('contract N2: responds on a new connection after a process froze during a read and lost the old one', async () => {
    const node = await unwatched()
    await put(node, 'written')
    node.proxy.freeze()
    const within = read(node)
    await until(() => node.proxy.links.size > 0)
    for (const link of node.proxy.links) link.reset()
    node.proxy.thaw()
    expect(await within).toMatchObject({ text: 'written', stale: false })
    expect(await read(node)).toMatchObject({ text: 'written', stale: false })
  })

  it("contract N2, N4: makes `placard.current()` reject if the database doesn't answer and no state is known", async () => {
    const node = await unwatched()
    node.proxy.freeze()
    const problem = await node.placard.current().catch((error) => error)
    expect(problem).toMatchObject({ name: 'Problem', code: 'unavailable' })
    node.proxy.thaw()
    await put(node, 'written')
    expect((await node.placard.current())?.text).toBe('written')
  })

  it('contract N4: shows a write that got 503 because the database went away right after the commit', async () => {
    const { proxy } = await unwatched()
    let purges = 0
    const store = postgresStore({ url: proxy.url, listen: false })
    const mount = makePlacard(store, { onChange: () => void purges++ })
    let committed = false
    proxy.inspect = (chunk, direction, link) => {
      if (committed && direction === 'up') link.reset()
      committed ||= direction === 'down' && chunk.includes('COMMIT')
      return true
    }
    expect([(await publish(mount)).status, committed, purges]).toEqual([503, true, 1])
    proxy.inspect = () => true
    expect((await current(mount))?.text).toBe(DRAFT.text)
  })

  it.each([
    ['', 'be set to postgres://…'],
    ['file:data/x.db', 'be set to postgres://…'],
    ['postgresql://', 'be set to postgres://…'],
    ['postgres://u:pass#word@127.0.0.1/d', 'be a valid address'],
    ['postgres://u:pass@word/x@127.0.0.1/d', 'be a valid address'],
  ])('contract R6: refuses the address %j at once, without showing its password', (url, fault) => {
    for (const open of [() => postgresStore(url), () => postgresStore({ url, listen: false })]) {
      expect(open).toThrow(`DATABASE_URL must ${fault}`)
      expect(open).not.toThrow(/word@/)
    }
  })

  it('contract N1: responds with 503 if there are no tables, and the log says what to do', async () => {
    url = await emptyDatabase()
    const mount = makePlacard(open())
    expect((await mount.fetch('/api/events')).status).toBe(503)
    expect(JSON.stringify(mount.log.lines)).toContain('run \\"placard migrate\\" when you deploy')
  })
})

const at = (path: string) => JSON.stringify(`file://${join(import.meta.dirname, path)}`)

it('contract N1: no timer, socket or listener keeps a process alive before a request or after its response', async () => {
  const program = `
    const { createPlacard } = await import(${at('../../src/entries/index.ts')})
    const { postgresStore } = await import(${at('../../src/entries/postgres.ts')})
    process.stdout
    const before = process.getActiveResourcesInfo()
    const placard = createPlacard({
      store: postgresStore({ url: process.env.URL, listen: false }),
      apiSecret: process.env.SECRET,
      stripe: { apiKey: 'rk_test_0123456789abcdef', apiUrl: 'http://127.0.0.1:9' },
    })
    const open = () => process.getActiveResourcesInfo().filter((one) => !before.includes(one))
    await new Promise(setImmediate)
    const early = open().filter((one) => /TCP|Timeout/.test(one))
    const ask = async (path, init) => (await placard.fetch(new Request('http://x' + path, init))).status
    const headers = { Authorization: 'Bearer ' + process.env.SECRET, 'Content-Type': 'application/json' }
    const statuses = [
      await ask('/api/events', { method: 'POST', headers, body: process.env.BODY }),
      await ask('/api/events'),
      await ask('/api/events/stream'),
    ]
    // The database closes its end of a connection that was ended here.
    while (open().length > 0) await new Promise(setImmediate)
    console.log(JSON.stringify({ early, statuses }))
  `
  const env = { ...process.env, URL: url, SECRET: API_SECRET, BODY: JSON.stringify(DRAFT) }
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: LIMIT_MS })
  expect(JSON.parse(stdout)).toEqual({ early: [], statuses: [201, 200, 204] })
})

describe('a service whose process ends after each request', () => {
  it('contract A14, N1: shows starts and ends on time, and stores and purges each once, at the next tick or history read', async () => {
    const clock = manualClock()
    let purges = 0
    const mount = makePlacard(open(), { onChange: () => void purges++ }, clock)
    const [startsAt, expiresAt] = [clock.now() + MINUTE, clock.now() + 2 * MINUTE]
    await put(mount, 'in its window', { startsAt, expiresAt })
    purges = 0
    clock.advance(MINUTE - 1)
    expect(await current(mount)).toBeNull()
    clock.advance(1)
    expect((await current(mount))?.text).toBe('in its window')
    expect(purges).toBe(0)
    for (let i = 0; i < 2; i++) expect((await tick(mount)).status).toBe(200)
    expect(purges).toBe(1)
    clock.advance(MINUTE)
    expect(await current(mount)).toBeNull()
    expect(await historyOf(mount)).toMatchObject([
      { action: 'ended', at: String(expiresAt) },
      { action: 'started', at: String(startsAt) },
      { action: 'scheduled' },
    ])
    expect(purges).toBe(2)
  })

  it('contract R8, N1: returns the history even if a purge fails, and the next tick retries the purge', async () => {
    const clock = manualClock()
    let answers = true
    const onChange = () => {
      if (!answers) throw new Error('the cache is away')
    }
    const mount = makePlacard(open(), { onChange }, clock)
    await put(mount, 'starts', { startsAt: clock.now() + MINUTE })
    clock.advance(MINUTE)
    answers = false
    expect((await historyOf(mount))[0]).toMatchObject({ action: 'started' })
    expect(mount.log.lines.map(({ level }) => level)).toContain('warn')
    clock.advance(MINUTE)
    expect((await tick(mount)).status).toBe(503)
    answers = true
    expect((await tick(mount)).status).toBe(200)
  })

  it('contract N3: a tick needs the bearer token and may be sent as GET', async () => {
    const mount = makePlacard(open())
    expect((await tick(mount, { Authorization: undefined })).status).toBe(401)
    const answer = await readOwned(mount, '/api/events/tick')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await answer.json()).toEqual({ message: 'Done.', ok: true })
  })
})
