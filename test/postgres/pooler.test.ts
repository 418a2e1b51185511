import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/store/postgres.ts'
import { skipAloud } from '../aloud.ts'
import { type DirectMount, DRAFT, makePlacard, publish } from '../harness.ts'
import { read } from './nodes.ts'
import { LACKING, type Pooler, startPgBouncer } from './pgbouncer.ts'
import { emptyDatabase } from './place.ts'

async function pooled(): Promise<Pooler> {
  const pooler = await startPgBouncer(await emptyDatabase())
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
