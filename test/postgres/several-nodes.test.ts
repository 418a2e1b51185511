import { Client, types } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LIMIT, type LimitState, WINDOW_MS } from '../../src/core/limiter.ts'
import { StoreUnavailable } from '../../src/core/problem.ts'
import { postgresStore } from '../../src/store/postgres.ts'
import { coupon, DRAFT, notify, publish, told } from '../harness.ts'
import { eventsIn } from '../stores.ts'
import { until } from './cluster.ts'
import { makeNode, put, read, shows, type TestNode } from './nodes.ts'
import { emptyDatabase, migratedDatabase, query } from './place.ts'
import { startProxy } from './proxy.ts'

let url: string
let a: TestNode
let b: TestNode

/** Postgres runs simultaneous writes one at a time. On a busy machine, the last one exceeds the default timeout. */
const PATIENT = { timeoutMs: 20_000 }

beforeEach(async () => {
  url = await migratedDatabase()
  ;[a, b] = await Promise.all([makeNode(url, PATIENT), makeNode(url, PATIENT)])
  await Promise.all([read(a), read(b)])
  await until(() => a.heard() >= 1 && b.heard() >= 1)
})
afterEach(() => Promise.all([a.close(), b.close()]))

/** Runs an action this many times at once, alternating between the nodes. */
const many = <T>(count: number, act: (node: TestNode, index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 ? a : b, index)))

describe('several nodes', () => {
  it('start at the same time on an empty database', async () => {
    const empty = await emptyDatabase()
    const stores = Array.from({ length: 12 }, () =>
      postgresStore({ url: empty, connections: 2, ...PATIENT }),
    )
    expect(await Promise.all(stores.map(eventsIn))).toEqual(stores.map(() => []))
    await Promise.all(stores.map((store) => store.close()))
  })

  it("contract R3: serve each other's writes", async () => {
    for (let round = 0; round < 20; round++) {
      const [writer, reader] = round % 2 ? [a, b] : [b, a]
      await put(writer, `round ${round}`)
      await shows(reader, `round ${round}`)
    }
  })

  it('contract A12: leave one row after 100 concurrent writes of one type, and agree on it', async () => {
    const answers = await many(100, (node, index) =>
      publish(node, { ...DRAFT, text: `writer ${index}` }),
    )
    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    const rows = await query<{ id: string; text: string }>(
      url,
      "select id, body::json ->> 'text' as text from placard_event",
    )
    expect(rows).toHaveLength(1)
    expect(answers.map(({ headers }) => headers.get('placard-event-id'))).toContain(rows[0]?.id)
    for (const node of [a, b]) await shows(node, String(rows[0]?.text))
  })

  it('contract W6: apply a notification only once if it arrives 40 times, and send the same response each time', async () => {
    const notification = coupon('created', { name: 'Once only' })
    const answers = await many(40, (node) => notify(node, notification))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
    expect([...bodies]).toEqual(['{"received":true,"outcome":"published"}'])
    expect(await query(url, 'select * from placard_notification')).toHaveLength(1)
    // Every effect adds a row to the history.
    const effects = await query(url, 'select action from placard_history')
    expect(effects).toEqual([{ action: 'published' }])
    expect((await read(b)).text).toBe('Once only')
  })

  it("contract A12, W6: lose only the rate limit's table in a crash of Postgres", async () => {
    const unlogged = "select relname from pg_class where relpersistence = 'u' and relkind = 'r'"
    expect(await query(url, unlogged)).toEqual([{ relname: 'placard_allowance' }])
  })

  it("don't change how the Postgres driver parses types for the app", () => {
    expect(types.getTypeParser(types.builtins.INT8)('9007199254740993')).toBe('9007199254740993')
  })

  it("contract T3: don't repeat an update of the shared record of requests to Stripe if the database's answer is lost", async () => {
    const proxy = await startProxy(url)
    const store = postgresStore(proxy.url)
    await store.load()
    let updates = 0
    let isLost = false
    proxy.inspect = (chunk, direction, link) => {
      if (direction === 'up' && chunk.includes('update placard_offer')) updates++
      if (direction === 'up' || updates === 0 || isLost) return true
      isLost = true
      link.reset()
      return false
    }
    const update = store.offers.remember({ listed_at: 1 }, { listed_at: 0 })
    await expect(update).rejects.toThrow(StoreUnavailable)
    expect(updates).toBe(1)
    expect(await query(url, 'select listed_at from placard_offer')).toEqual([{ listed_at: '1' }])
    await store.close()
    await proxy.close()
  })

  it('contract R3: read the database for each request behind a pooler that drops notifications', async () => {
    const deaf = await makeNode(url, { heartbeatTimeoutMs: 200 })
    deaf.proxy.inspect = (chunk, direction, { listening }) =>
      !(listening && direction === 'down' && chunk.includes('placard'))
    for (let round = 0; round < 3; round++) {
      await put(a, `round ${round}`)
      expect(await read(deaf)).toMatchObject({ text: `round ${round}`, stale: false })
    }
    await until(() => deaf.deafened() > 0)
    expect(deaf.heard()).toBe(0)
    await deaf.close()
  })

  it("contract R4: notify their open pages even while they can't hear each other", async () => {
    const deaf = await makeNode(url, { heartbeatTimeoutMs: 200 })
    deaf.proxy.inspect = (_, __, { listening }) => !listening
    // Otherwise, its first load would count as a change.
    await read(deaf)
    const heard = told(deaf)
    await put(a, 'to whom it may concern')
    await until(() => heard.length > 0)
    expect(heard).toEqual(['to whom it may concern'])
    await deaf.close()
  })
})

describe('the shared rate limit', () => {
  const by = (address: string) => ({ 'X-Forwarded-For': address })
  /** Records that an address was admitted at these instants, which are given in SQL. */
  const admitted = (address: string, times: string, last: string) =>
    query(url, `insert into placard_allowance values ('${address}', ${times}, true, ${last})`)

  const ago = (seconds: number) => `clock_timestamp() - interval '${seconds} s'`

  it('spec 8: admits exactly 10 of 100 parallel writes from one address over both nodes', async () => {
    const answers = await many(100, (node) => publish(node, DRAFT, by('192.0.2.7')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(10).fill(201), ...Array(90).fill(429)])
  })

  it('contract A1: admits no more than the limit in any window over both nodes, and the stated wait suffices', async () => {
    const stores = [postgresStore({ url, ...PATIENT }), postgresStore({ url, ...PATIENT })]
    let passed = 0
    const now = () => performance.now() + passed
    /** Moves the counted requests into the past, which has the same effect as waiting. */
    const pass = async (ms: number) => {
      passed += ms
      const times = `select time - interval '${ms} ms' from unnest(admitted_at) as time order by time`
      await query(url, `update placard_allowance set admitted_at = array(${times})`)
    }
    const count = async (index: number) => {
      const started = now()
      const decision = (await stores[index % 2]?.limiter?.count('192.0.2.8')) as LimitState
      return { ...decision, started, answered: now() }
    }
    const admitted: { started: number; answered: number }[] = []
    for (let round = 0; round < 4; round++) {
      const burst = await Promise.all(Array.from({ length: 20 }, (_, index) => count(index)))
      admitted.push(...burst.filter((decision) => decision.admitted))
      let last = await count(round)
      for (; last.admitted; last = await count(round)) admitted.push(last)
      expect(last.remaining).toBe(0)
      await pass(last.resetMs)
      const next = await count(round)
      expect(next.admitted).toBe(true)
      admitted.push(next)
    }
    // Each was counted at some moment between its start and its response.
    const inOrder = admitted.toSorted((one, other) => one.answered - other.answered)
    for (let first = 0; first + LIMIT < inOrder.length; first++) {
      const more = inOrder.slice(first, first + LIMIT + 1)
      const span =
        Math.max(...more.map(({ answered }) => answered)) -
        Math.min(...more.map(({ started }) => started))
      expect(span).toBeGreaterThanOrEqual(WINDOW_MS)
    }
    await Promise.all(stores.map((store) => store.close()))
  })

  it("contract A1: ignores times in the future, as after the server's clock was set back", async () => {
    const ahead = `array_fill(clock_timestamp() + interval '1 day', array[10])`
    await admitted('192.0.2.9', ahead, 'clock_timestamp()')
    const { headers } = await publish(a, DRAFT, by('192.0.2.9'))
    expect(headers.get('ratelimit')).toBe('"write";r=9;t=10')
  })

  it("contract A1, A3: keeps every entry that still counts when another address's write cleans up", async () => {
    const times = `array_prepend(${ago(4)}, array_fill(${ago(0)}, array[9]))`
    await admitted('192.0.2.10', times, ago(0))
    await publish(a, DRAFT, by('192.0.2.11'))
    const refused = await publish(b, DRAFT, by('192.0.2.10'))
    expect(refused.status).toBe(429)
    expect((await refused.json()).retryAfter).toBeLessThanOrEqual(6)
  })

  it('contract A1: counts a request that waited for a lock as later than the request that held it', async () => {
    const store = postgresStore({ url, ...PATIENT })
    const { limiter } = store
    await limiter?.count('192.0.2.12')
    const own = `placard_allowance where address = '192.0.2.12'`
    const other = new Client(url)
    await other.connect()
    await other.query(`begin; select from ${own} for update`)
    const waiting = limiter?.count('192.0.2.12')
    const waits = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => (await query(url, waits)).length === 1)
    await other.query(
      `update placard_allowance set admitted_at = admitted_at || clock_timestamp()
       where address = '192.0.2.12'; commit`,
    )
    await other.end()
    expect(await waiting).toMatchObject({ admitted: true, remaining: 7 })
    const sorted = 'array(select unnest(admitted_at) as time order by time)'
    const found = `select admitted_at = ${sorted} as sorted from ${own}`
    expect(await query(url, found)).toEqual([{ sorted: true }])
    await store.close()
  })

  it('contract A3: forgets expired addresses as fast as new ones arrive', async () => {
    const store = postgresStore({ url, ...PATIENT })
    const flood = (name: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => store.limiter?.count(`${name}${index}`)),
      )
    await flood('first', 200)
    await query(url, `update placard_allowance set admitted_at = array[${ago(10)}]`)
    await flood('second', 120)
    const rows = await query<{ address: string }>(url, 'select address from placard_allowance')
    expect(rows.filter(({ address }) => address.startsWith('first'))).toEqual([])
    expect(rows.length).toBeLessThanOrEqual(120)
    await store.close()
  })
})
