import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import {
  collectedLog,
  coupon,
  DRAFT,
  notify,
  publish,
  write as request,
  withdraw,
} from '../harness.ts'
import { until } from './cluster.ts'
import { makeNode, p99, query, read, type TestNode } from './nodes.ts'
import { emptyDatabase } from './place.ts'

/** The waits of the second node. They are less than a tenth of the real ones, so figures hold in proportion. */
const QUICK: Partial<PostgresOptions> = { heartbeatMs: 900, answerMs: 400, patienceMs: 600 }

/** The whole statement, as it passes. */
const COMMIT = 'commit\0'

let url: string
let a: TestNode
let b: TestNode

async function begin(options: Partial<PostgresOptions> = {}) {
  url = await emptyDatabase()
  ;[a, b] = await Promise.all([makeNode(url), makeNode(url, options)])
  await publish(a, { ...DRAFT, text: 'before' })
  await until(async () => b.heard() === 1 && (await read(b)).text === 'before')
}

const write = async (text: string) =>
  expect((await publish(a, { ...DRAFT, text })).status).toBe(201)

afterEach(() => Promise.all([a.close(), b.close()]))

/** Blocks the event loop. */
function block(ms: number) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

it('contract R6: a database that is lost while it is made ready is unavailable, and made ready later', async () => {
  await begin()
  const node = await makeNode(await emptyDatabase(), QUICK)
  node.proxy.inspect = (chunk) => !chunk.includes('create table placard_event')
  const get = async () => (await node.fetch('/api/events')).status
  expect(await get()).toBe(503)
  node.proxy.inspect = () => true
  await until(async () => (await get()) === 200)
  await node.close()
})

describe('hearing', () => {
  it('after all connections are terminated, a change during the gap is seen without a restart', async () => {
    await begin()
    const heard: (string | undefined)[] = []
    b.placard.subscribe(({ event }) => heard.push(event?.text))
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
    await write('after')
    await until(async () => (await read(b)).text === 'after', 1_000)
  })

  it('contract R3: a listening connection that freezes is noticed within 3 s', async () => {
    await begin()
    // The worst moment: a heartbeat has just been answered, and the next is as far off as it can be.
    const frozen = await new Promise<number>((resolve) => {
      b.proxy.inspect = (_, direction, link) => {
        if (direction === 'up' || !link.listening) return true
        b.proxy.inspect = () => true
        link.freeze()
        resolve(performance.now())
        return true
      }
    })
    await write('unheard')
    expect((await read(b)).text).toBe('before')
    await until(async () => {
      const { text, stale } = await read(b)
      return text === 'unheard' && !stale
    })
    expect(performance.now() - frozen).toBeLessThan(3_000)
    await until(() => b.heard() === 2)
    await write('heard again')
    await until(async () => (await read(b)).text === 'heard again', 1_000)
  })

  it('an answer that came while the process was busy is not taken for silence', async () => {
    await begin()
    const storeLog = collectedLog()
    const direct = postgresStore({ url, heartbeatMs: 20, answerMs: 100, log: storeLog })
    const { query: send } = Client.prototype
    let beats = 0
    Client.prototype.query = function (this: Client, ...args: unknown[]) {
      const sent = Reflect.apply(send, this, args)
      // The answer to a heartbeat arrives and is not read yet.
      if (args[0] === '' && beats++ < 10) setImmediate(() => block(200))
      return sent
    } as typeof send
    direct.watch?.({ changed() {}, hearing() {} })
    await until(() => beats > 12)
    Client.prototype.query = send
    expect(storeLog.lines.map(({ message }) => message)).toEqual(['hearing the other nodes'])
    await direct.close()
  })

  it('contract R3: after a change that is heard but not read within a second, memory is not served', async () => {
    await begin()
    for (const link of b.proxy.links) if (!link.listening) link.freeze()
    await write('heard')
    const heard = performance.now()
    await until(async () => (await read(b)).stale, 4_000)
    // From 0.9 s on, readers wait for the database, and after 2 s get what there is, marked as such.
    expect(performance.now() - heard).toBeGreaterThan(900)
    await until(async () => (await read(b)).text === 'heard', 8_000)
    expect((await read(b)).stale).toBe(false)
  })
})

describe('a database in trouble', () => {
  it('contract R3: when it is slow, an answer from before a change does not count after it', async () => {
    await begin()
    b.proxy.answerDelayMs = 1_400
    let asked = false
    b.proxy.inspect = (chunk, direction) => {
      asked ||= direction === 'up' && chunk.includes('from placard_event')
      return true
    }
    await write('asked for')
    await until(() => asked)
    await write('superseding')
    const due = performance.now() + 1_000
    // The first answer comes at about 1.4 s, the one that has the change at 2.8 s. Readers do not wait for each other.
    const late: { text: string | undefined; stale: boolean }[] = []
    await until(async () => {
      const started = performance.now()
      read(b).then((answer) => started >= due && late.push(answer))
      await new Promise((resolve) => setTimeout(resolve, 20))
      return late.some(({ text }) => text === 'superseding')
    })
    expect(late.filter(({ text, stale }) => text !== 'superseding' && !stale)).toEqual([])
  })

  it('contract A14: when it is away at a start and at an end, both show in time, and are stored once', async () => {
    await begin()
    const at = a.clock.now() + 1_000
    const draft = { ...DRAFT, text: 'in its window', startsAt: at, expiresAt: at + 1_000 }
    expect((await publish(a, draft)).status).toBe(201)
    // A node that has written knows of all that was written before.
    await withdraw(b, { id: 'none' })
    const told: (string | undefined)[] = []
    b.placard.subscribe(({ event }) => told.push(event?.text))
    for (const { proxy } of [a, b]) proxy.refuse()
    for (const text of ['in its window', undefined]) {
      for (const node of [a, b]) {
        node.clock.advance(1_000)
        expect((await read(node)).text).toBe(text)
      }
    }
    expect(told).toEqual(['in its window', undefined])
    for (const { proxy } of [a, b]) proxy.accept()
    // Any write stores what is due; here both nodes do at once.
    await until(async () => {
      const answers = await Promise.all([a, b].map((node) => withdraw(node, { id: 'none' })))
      return answers.every(({ status }) => status === 200)
    })
    const rows = await query(
      url,
      `select action, at from placard_history where at >= ${at} order by id`,
    )
    expect(rows).toEqual([
      { action: 'started', at: String(at) },
      { action: 'ended', at: String(at + 1_000) },
    ])
    for (const node of [a, b]) expect((await read(node)).text).toBeUndefined()
  })

  it('contract R3: when each query takes 500 ms, reads are answered from memory, p99 < 20 ms', async () => {
    await begin()
    b.proxy.delayMs = 500
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const text = `round ${round}`
      await write(text)
      const deadline = performance.now() + 1_100
      for (let seen = false; !seen; ) {
        const answer = await read(b)
        times.push(answer.ms)
        seen = answer.text === text
        expect(performance.now()).toBeLessThan(deadline)
        await new Promise(setImmediate)
      }
    }
    const written = await publish(b, { ...DRAFT, text: 'slowly' })
    expect(written.status).toBe(201)
    expect((await read(b)).text).toBe('slowly')
    expect(times.length).toBeGreaterThan(1_000)
    expect(p99(times)).toBeLessThan(20)
  })

  it('contract R3, A3: when it is frozen, reads go on at once, marked, and writes are refused in time', async () => {
    await begin(QUICK)
    await publish(a, { ...DRAFT, type: 'coupon', text: 'ends', expiresAt: a.now() + 1_000 })
    await until(async () => (await read(b)).text === 'ends')
    b.proxy.freeze()
    await until(async () => (await read(b)).stale, 6_000)
    const times: number[] = []
    for (let round = 0; round < 10; round++) {
      const answer = await read(b)
      expect(answer).toMatchObject({ status: 200, text: 'ends', stale: true })
      times.push(answer.ms)
    }
    expect(Math.max(...times)).toBeLessThan(500)
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
    await write('thawed')
    await until(async () => {
      const { text, stale } = await read(b)
      return text === 'thawed' && !stale
    })
    await until(async () => (await publish(b)).status === 201)
  })

  it('a node that freezes while it holds a lock does not keep the others from writing', async () => {
    await begin()
    let frozen = false
    b.proxy.inspect = (chunk, direction, link) => {
      if (!frozen && direction === 'up' && chunk.includes(COMMIT)) {
        frozen = true
        link.freeze()
        return false
      }
      return true
    }
    const stuck = publish(b, { ...DRAFT, text: 'stuck' })
    await until(() => frozen)
    await write('not stuck')
    expect((await stuck).status).toBe(503)
    expect((await read(a)).text).toBe('not stuck')
  })
})

it('a commit that arrives after its writer gave up is waited for by the repeat, which replaces it', async () => {
  await begin()
  let late = false
  b.proxy.inspect = (chunk, direction, link) => {
    if (late || direction === 'down' || !chunk.includes(COMMIT)) return true
    late = true
    link.deliverLate(chunk, 300)
    return false
  }
  expect((await publish(b, { ...DRAFT, text: 'late' })).status).toBe(503)
  expect(late).toBe(true)
  const answer = await publish(b, { ...DRAFT, text: 'repeated' })
  expect(answer.status).toBe(201)
  const [row] = await query<{ id: string }>(url, 'select id from placard_event')
  expect(row?.id).toBe(answer.headers.get('placard-event-id'))
  expect((await read(b)).text).toBe('repeated')
})

describe('a commit without an answer', () => {
  beforeEach(() => begin(QUICK))

  /** Loses the next COMMIT on its way to the database, or the answer to it on its way back. */
  function lose(what: 'commit' | 'answer') {
    let armed = true
    let committing: unknown
    b.proxy.inspect = (chunk, direction, link) => {
      if (!armed) return true
      if (direction === 'up' && chunk.includes(COMMIT)) committing = link
      if (committing !== link) return true
      if (direction === (what === 'commit' ? 'up' : 'down')) {
        armed = false
        link.reset()
        return false
      }
      return true
    }
  }

  it('is not answered 201 when it never arrived', async () => {
    lose('commit')
    expect((await publish(b, { ...DRAFT, text: 'never arrived' })).status).toBe(503)
    expect((await read(a)).text).toBe('before')
    expect((await publish(b, { ...DRAFT, text: 'repeated' })).status).toBe(201)
    expect(await query(url, 'select * from placard_event')).toHaveLength(1)
  })

  it('is answered 503 when its answer never arrived; a repeat replaces it', async () => {
    lose('answer')
    expect((await publish(b, { ...DRAFT, text: 'in doubt' })).status).toBe(503)
    await until(async () => (await publish(b, { ...DRAFT, text: 'in doubt' })).status === 201)
    expect(await query(url, 'select * from placard_event')).toHaveLength(1)
    await until(async () => (await read(a)).text === 'in doubt', 1_000)
  })

  it('contract W6: a notification in doubt is delivered again, and has one effect', async () => {
    const notification = coupon('created', { name: 'In doubt' })
    for (const what of ['commit', 'answer'] as const) {
      lose(what)
      expect((await notify(b, notification)).status).toBe(503)
    }
    const [stored] = await query<{ id: string }>(
      url,
      `select id from placard_event where type = 'coupon'`,
    )
    for (const node of [a, b]) {
      const answer = await notify(node, notification)
      expect(await answer.json()).toEqual({ received: true, outcome: 'published' })
    }
    expect(await query(url, `select id from placard_event where type = 'coupon'`)).toEqual([stored])
    expect(await query(url, 'select * from placard_notification')).toHaveLength(1)
  })

  it('contract R9: an undo in doubt can be repeated, and is not undone by that', async () => {
    await publish(b, { ...DRAFT, text: 'A mistake' })
    const undo = () => request(b, 'POST', {}, {}, '/api/events/undo')
    lose('answer')
    expect((await undo()).status).toBe(503)
    expect((await undo()).status).toBe(409)
    expect((await read(b)).text).toBe('before')
  })

  it('contract A13: a withdrawal in doubt can be repeated', async () => {
    lose('answer')
    expect((await withdraw(b, { type: 'post' })).status).toBe(503)
    const repeated = await withdraw(b, { type: 'post' })
    expect(await repeated.json()).toMatchObject({ ok: true, deleted: 0 })
    expect((await read(b)).text).toBeUndefined()
  })
})
