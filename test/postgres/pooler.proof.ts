import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkDatabase } from '../../src/cli/doctor/database.ts'
import { postgresStore } from '../../src/store/postgres.ts'
import { skipAloud } from '../aloud.ts'
import { collectedLog, type DirectMount, DRAFT, makePlacard, publish } from '../harness.ts'
import { read } from './nodes.ts'
import { LACKING, type Pooler, startPgBouncer } from './pgbouncer.ts'
import { emptyDatabase } from './place.ts'

async function pooled(mode?: 'session'): Promise<Pooler> {
  const pooler = await startPgBouncer(await emptyDatabase(), mode)
  poolers.push(pooler)
  return pooler
}

const poolers: Pooler[] = []
afterAll(() => Promise.all(poolers.map((pooler) => pooler.close())))

const makeOn = ({ url }: Pooler) => makePlacard(postgresStore({ url, listen: false }))

describe('two processes behind a pooler in transaction mode', () => {
  beforeEach((test) => skipAloud(test, LACKING, 'PgBouncer'))

  it('contract N1, N2: each shows what the other has written, at once, and no connection outlives its request', async () => {
    const pooler = await pooled()
    const nodes = [makeOn(pooler), makeOn(pooler)]
    for (let i = 0; i < 10; i++) {
      const [writer, reader] = (i % 2 ? nodes : nodes.toReversed()) as [DirectMount, DirectMount]
      expect((await publish(writer, { ...DRAFT, text: `change ${i}` })).status).toBe(201)
      expect(await read(reader)).toMatchObject({ text: `change ${i}`, stale: false })
      expect(await pooler.clients()).toBe(0)
    }
    await Promise.all(nodes.map((node) => node.close()))
  })
})

describe('two nodes that listen behind a pooler', () => {
  beforeEach((test) => skipAloud(test, LACKING, 'PgBouncer'))
  const nodes: DirectMount[] = []
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close()
  })

  /** Nodes whose store says what it hears. */
  function two({ url }: Pooler) {
    return [0, 1].map(() => {
      const storeLog = collectedLog()
      const node = makePlacard(postgresStore({ url, log: storeLog }))
      nodes.push(node)
      return { ...node, said: () => storeLog.lines.map(({ message }) => message) }
    }) as [Listener, Listener]
  }
  type Listener = DirectMount & { said(): string[] }

  const facts = async (node: DirectMount) => {
    const headers = { Authorization: `Bearer ${node.apiSecret}` }
    return (await node.fetch('/api/doctor', { headers })).json()
  }
  const finding = async (node: DirectMount) => {
    return checkDatabase(await facts(node)).find(({ check }) => check === 'listen')
  }

  it('contract R3, R12: in transaction mode they know that they hear nothing, and no read is stale', async () => {
    const [writer, reader] = two(await pooled())
    await Promise.all(nodes.map(read))
    for (let i = 0; i < 200; i++) {
      expect((await publish(writer, { ...DRAFT, text: `change ${i}` })).status).toBe(201)
      expect(await read(reader)).toMatchObject({ text: `change ${i}`, stale: false })
    }
    await vi.waitFor(
      () => {
        for (const node of [writer, reader])
          expect(node.said()).toContain('not hearing the other nodes')
      },
      { timeout: 10_000 },
    )
    expect(await finding(reader)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('A pooler delivers no notifications'),
    })
  })

  it('contract R3, R12: in session mode they hear each other, and read from memory', async () => {
    const [writer, reader] = two(await pooled('session'))
    await vi.waitFor(() => {
      for (const node of [writer, reader]) expect(node.said()).toEqual(['hearing the other nodes'])
    })
    for (let i = 0; i < 20; i++) {
      await publish(writer, { ...DRAFT, text: `change ${i}` })
      await vi.waitFor(async () =>
        expect(await read(reader)).toMatchObject({ text: `change ${i}` }),
      )
    }
    expect(await finding(reader)).toMatchObject({ status: 'pass' })
    expect(reader.said()).toEqual(['hearing the other nodes'])
  })
})
