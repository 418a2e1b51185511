import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import { collectedLog, coupon, DRAFT, idOf, notify, publish, told, withdraw } from '../harness.ts'
import { until } from './cluster.ts'
import { makeNode, p99, put, read, shows, type TestNode } from './nodes.ts'
import { emptyDatabase, query } from './place.ts'
import type { Link } from './proxy.ts'

/** Timeouts that are shorter than the defaults, so that tests needn't wait as long for a node to give up. */
const QUICK: Partial<PostgresOptions> = {
  heartbeatMs: 900,
  heartbeatTimeoutMs: 400,
  timeoutMs: 600,
}

/** The whole statement, as it is sent. */
const COMMIT = 'commit\0'

let url: string
let a: TestNode
let b: TestNode

async function begin(options: Partial<PostgresOptions> = {}) {
  url = await emptyDatabase()
  ;[a, b] = await Promise.all([makeNode(url), makeNode(url, options)])
  await put(a, 'before')
  await until(async () => b.heard() === 1 && (await read(b)).text === 'before')
}

afterEach(() => Promise.all([a.close(), b.close()]))

const stored = () =>
  query<{ id: string; type: string; text: string }>(
    url,
    "select id, type, body::json ->> 'text' as text from placard_event",
  )

/** Intercepts the second node's next COMMIT, or the response to it. Resolves once it has. */
function intercept(what: 'commit' | 'answer', act: (link: Link, chunk: Buffer) => void) {
  let committing: Link | undefined
  return new Promise<void>((resolve) => {
    b.proxy.inspect = (chunk, direction, link) => {
      if (direction === 'up' && chunk.includes(COMMIT)) committing = link
      if (committing !== link || direction !== (what === 'commit' ? 'up' : 'down')) return true
      b.proxy.inspect = () => true
      act(link, chunk)
      resolve()
      return false
    }
  })
}

it('contract R6: if the database is lost during its migration, requests get 503, and it is migrated later', async () => {
  await begin()
  const node = await makeNode(await emptyDatabase(), QUICK)
  node.proxy.inspect = (chunk) => !chunk.includes('create table placard_event')
  const get = async () => (await node.fetch('/api/events')).status
  expect(await get()).toBe(503)
  node.proxy.inspect = () => true
  await until(async () => (await get()) === 200)
  await node.close()
})

it('contract R3: a node writes again without a restart once Postgres is no longer read-only', async () => {
  await begin()
  const name = new URL(url).pathname.slice(1)
  const elsewhere = Object.assign(new URL(url), { pathname: 'template1' }).href
  await query(elsewhere, `alter database ${name} set default_transaction_read_only = on`)
  await a.close()
  a = await makeNode(url)
  expect((await publish(a)).status).toBe(503)
  await query(elsewhere, `alter database ${name} reset default_transaction_read_only`)
  await until(async () => (await publish(a)).status === 201, 40_000)
})

describe('a node that hears the others', () => {
  beforeEach(() => begin())

  it('shows a change made while all connections were down, without a restart', async () => {
    const heard = told(b)
    b.proxy.refuse()
    await query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(() => a.deafened() === 1 && b.deafened() === 1)
    await until(async () => (await publish(a, { ...DRAFT, text: 'in the gap' })).status === 201)
    expect(await read(b)).toMatchObject({ status: 200, text: 'before', stale: true })
    b.proxy.accept()
    const back = performance.now()
    await until(() => heard.includes('in the gap'), 4_000)
    expect(await read(b)).toMatchObject({ text: 'in the gap', stale: false })
    await until(() => a.heard() === 2 && b.heard() === 2)
    expect(performance.now() - back).toBeLessThan(4_000)
    await put(a, 'after')
    await shows(b, 'after', 1_000)
  })

  it('contract R3: notices within 3 s that its listening connection is frozen', async () => {
    // The worst moment: the response to a heartbeat has just arrived, and the next heartbeat is as far off as it can be.
    const frozen = await new Promise<number>((resolve) => {
      b.proxy.inspect = (_, direction, link) => {
        if (direction === 'up' || !link.listening) return true
        b.proxy.inspect = () => true
        link.freeze()
        resolve(performance.now())
        return true
      }
    })
    await put(a, 'unheard')
    expect((await read(b)).text).toBe('before')
    await shows(b, 'unheard')
    expect(performance.now() - frozen).toBeLessThan(3_000)
    await until(() => b.heard() === 2)
    await put(a, 'heard again')
    await shows(b, 'heard again', 1_000)
  })

  it("doesn't mistake its own busy process for a silent connection", async () => {
    const storeLog = collectedLog()
    const direct = postgresStore({ url, heartbeatMs: 20, heartbeatTimeoutMs: 100, log: storeLog })
    const { query: send } = Client.prototype
    let beats = 0
    Client.prototype.query = function (this: Client, ...args: unknown[]) {
      const sent = Reflect.apply(send, this, args)
      // The response to a heartbeat arrives while the event loop is blocked, and is not read yet.
      const block = () => {
        for (const end = performance.now() + 200; performance.now() < end; );
      }
      if (args[0] === '' && beats++ < 10) setImmediate(block)
      return sent
    } as typeof send
    direct.watch?.({ changed() {}, hearing() {} })
    await until(() => beats > 12)
    Client.prototype.query = send
    expect(storeLog.lines.map(({ message }) => message)).toEqual(['hearing the other nodes'])
    await direct.close()
  })

  it("contract R3: marks its last known state as stale if it can't read a change within a second of hearing of it", async () => {
    for (const link of b.proxy.links) if (!link.listening) link.freeze()
    await put(a, 'heard')
    const heard = performance.now()
    await until(async () => (await read(b)).stale, 4_000)
    // From 0.9 s on, readers wait for the database, and after 2 s get the last known state, marked as stale.
    expect(performance.now() - heard).toBeGreaterThan(900)
    await shows(b, 'heard', 8_000)
  })
})

describe('a slow or failing database', () => {
  it("contract R3: if it is slow, its response to a query from before a change isn't served a second after the change", async () => {
    await begin()
    b.proxy.answerDelayMs = 1_400
    let asked = false
    b.proxy.inspect = (chunk, direction) => {
      asked ||= direction === 'up' && chunk.includes('from placard_event')
      return true
    }
    await put(a, 'asked for')
    await until(() => asked)
    await put(a, 'superseding')
    const due = performance.now() + 1_000
    // The first response arrives after about 1.4 s, the one with the change after 2.8 s. Readers don't wait for each other.
    const late: { text: string | undefined; stale: boolean }[] = []
    await until(async () => {
      const started = performance.now()
      read(b).then((answer) => started >= due && late.push(answer))
      await new Promise((resolve) => setTimeout(resolve, 20))
      return late.some(({ text }) => text === 'superseding')
    })
    expect(late.filter(({ text, stale }) => text !== 'superseding' && !stale)).toEqual([])
  })

  it('contract A14: if it is unavailable at a start and an end, both show on time and are stored once', async () => {
    await begin()
    const at = a.clock.now() + 1_000
    await put(a, 'in its window', { startsAt: at, expiresAt: at + 1_000 })
    // After a write, its node shows everything that was written before.
    await withdraw(b, { id: 'none' })
    const heard = told(b)
    for (const { proxy } of [a, b]) proxy.refuse()
    for (const text of ['in its window', undefined]) {
      for (const node of [a, b]) {
        node.clock.advance(1_000)
        expect((await read(node)).text).toBe(text)
      }
    }
    expect(heard).toEqual(['in its window', undefined])
    for (const { proxy } of [a, b]) proxy.accept()
    // Any write stores the starts and ends that are due. Here both nodes write at once.
    await until(async () => {
      const answers = await Promise.all([a, b].map((node) => withdraw(node, { id: 'none' })))
      return answers.every(({ status }) => status === 200)
    })
    const rows = `select action, at from placard_history where at >= ${at} order by id`
    expect(await query(url, rows)).toEqual([
      { action: 'started', at: String(at) },
      { action: 'ended', at: String(at + 1_000) },
    ])
    for (const node of [a, b]) expect((await read(node)).text).toBeUndefined()
  })

  it('contract R3: if each query takes 500 ms, reads come from memory with a p99 under 20 ms', async () => {
    await begin()
    b.proxy.delayMs = 500
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const text = `round ${round}`
      await put(a, text)
      const deadline = performance.now() + 1_100
      for (let seen = false; !seen; ) {
        const answer = await read(b)
        times.push(answer.ms)
        seen = answer.text === text
        expect(performance.now()).toBeLessThan(deadline)
        await new Promise(setImmediate)
      }
    }
    await put(b, 'slowly')
    expect((await read(b)).text).toBe('slowly')
    expect(times.length).toBeGreaterThan(1_000)
    expect(p99(times)).toBeLessThan(20)
  })

  it('contract R3, A3: if it is frozen, reads continue without delay, marked as stale, and writes get 503 in time', async () => {
    await begin(QUICK)
    await put(a, 'ends', { type: 'coupon', expiresAt: a.now() + 1_000 })
    await shows(b, 'ends')
    b.proxy.freeze()
    await until(async () => (await read(b)).stale, 6_000)
    for (let round = 0; round < 10; round++) {
      const answer = await read(b)
      expect(answer).toMatchObject({ status: 200, text: 'ends', stale: true })
      expect(answer.ms).toBeLessThan(500)
    }
    b.clock.advance(1_000)
    expect(await read(b)).toMatchObject({ text: 'before', stale: true })

    const started = performance.now()
    const refused = await Promise.all([
      publish(b),
      withdraw(b, { type: 'post' }),
      notify(b, coupon('created', { name: 'Not now' })),
    ])
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(performance.now() - started).toBeLessThan(3 * 600)

    b.proxy.thaw()
    await put(a, 'thawed')
    await shows(b, 'thawed')
    await until(async () => (await publish(b)).status === 201)
  })

  it("a node that freezes while it holds a lock doesn't keep the others from writing", async () => {
    await begin()
    const frozen = intercept('commit', (link) => link.freeze())
    const stuck = publish(b, { ...DRAFT, text: 'stuck' })
    await frozen
    const done: string[] = []
    const gaveUp = stuck.then(({ status }) => done.push(`stuck: ${status}`))
    await put(a, 'not stuck')
    done.push('not stuck')
    await gaveUp
    // The order matters, because the frozen node releases the lock anyway when it gives up.
    expect(done).toEqual(['not stuck', 'stuck: 503'])
    expect((await read(a)).text).toBe('not stuck')
  })
})

it("a repeated write waits for the first attempt's late commit, and replaces its announcement", async () => {
  await begin()
  const late = intercept('commit', (link, chunk) => link.deliverLate(chunk, 300))
  expect((await publish(b, { ...DRAFT, text: 'late' })).status).toBe(503)
  await late
  const answer = await publish(b, { ...DRAFT, text: 'repeated' })
  expect(answer.status).toBe(201)
  expect(await stored()).toMatchObject([{ id: idOf(answer) }])
  expect((await read(b)).text).toBe('repeated')
})

describe('a commit without a response', () => {
  beforeEach(() => begin(QUICK))

  /** Loses the next COMMIT on its way to the database, or the response to it on its way back. */
  const lose = (what: 'commit' | 'answer') => void intercept(what, (link) => link.reset())
  const post = async (text: string) => publish(b, { ...DRAFT, text })

  it('gives the client 503, and repeating the write replaces what it wrote', async () => {
    lose('answer')
    expect((await post('in doubt')).status).toBe(503)
    await until(async () => (await post('in doubt')).status === 201)
    expect(await stored()).toHaveLength(1)
    await shows(a, 'in doubt', 1_000)
  })

  it("contract W6: doesn't let a notification take effect twice, however often Stripe redelivers it", async () => {
    const notification = coupon('created', { name: 'In doubt' })
    for (const what of ['commit', 'answer'] as const) {
      lose(what)
      expect((await notify(b, notification)).status).toBe(503)
    }
    const before = await stored()
    expect(before.filter(({ type }) => type === 'coupon')).toHaveLength(1)
    for (const node of [a, b]) {
      const answer = await notify(node, notification)
      expect(await answer.json()).toEqual({ received: true, outcome: 'published' })
    }
    expect(await stored()).toEqual(before)
    expect(await query(url, 'select * from placard_notification')).toHaveLength(1)
  })
})
