import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { checkDatabase } from '../../src/cli/doctor/database.ts'
import { type PostgresOptions, postgresStore } from '../../src/store/postgres.ts'
import { skipAloud } from '../aloud.ts'
import { collectedLog, type DirectMount, makePlacard, readOwned } from '../harness.ts'
import { soon } from '../soon.ts'
import { put, read } from './nodes.ts'
import { LACKING, startPgBouncer } from './pgbouncer.ts'
import { emptyDatabase } from './place.ts'

beforeEach((test) => skipAloud(test, LACKING, 'PgBouncer'))

type Node = DirectMount & { said(): string[] }

/** Two nodes behind a pooler, whose stores log whether they hear each other. */
async function two(mode: 'transaction' | 'session', options: Partial<PostgresOptions> = {}) {
  const pooler = await startPgBouncer(await emptyDatabase(), mode)
  const nodes = [0, 1].map((): Node => {
    const log = collectedLog()
    const node = makePlacard(postgresStore({ url: pooler.url, log, ...options }))
    return { ...node, said: () => log.lines.map(({ message }) => message) }
  })
  onTestFinished(async () => {
    for (const node of nodes) await node.close()
    await pooler.close()
  })
  return { pooler, nodes: nodes as [Node, Node] }
}

/** The doctor's finding on whether a node hears the others. */
async function finding(node: DirectMount) {
  const facts = await (await readOwned(node, '/api/doctor')).json()
  return checkDatabase(facts).find(({ check }) => check === 'listen')
}

it("contract N1, N2: nodes that don't listen show each other's writes at once, and close every connection", async () => {
  const { pooler, nodes } = await two('transaction', { listen: false })
  for (let i = 0; i < 10; i++) {
    const [writer, reader] = (i % 2 ? nodes : nodes.toReversed()) as [Node, Node]
    await put(writer, `change ${i}`)
    expect(await read(reader)).toMatchObject({ text: `change ${i}`, stale: false })
    expect(await pooler.clients()).toBe(0)
  }
})

it("contract R3, R12: behind a pooler in transaction mode, nodes notice that they can't hear each other, and no read is stale", async () => {
  const [writer, reader] = (await two('transaction')).nodes
  await Promise.all([writer, reader].map(read))
  for (let i = 0; i < 200; i++) {
    await put(writer, `change ${i}`)
    expect(await read(reader)).toMatchObject({ text: `change ${i}`, stale: false })
  }
  for (const node of [writer, reader]) {
    const deaf = () => expect(node.said()).toContain('not hearing the other nodes')
    await soon(deaf)
  }
  expect(await finding(reader)).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('A pooler, probably in transaction mode'),
  })
})

it('contract R3, R12: behind a pooler in session mode, nodes hear each other, and the doctor finds no fault', async () => {
  const [writer, reader] = (await two('session')).nodes
  const hears = ({ said }: Node) => expect(said()).toEqual(['hearing the other nodes'])
  for (const node of [writer, reader]) await soon(() => hears(node))
  for (let i = 0; i < 20; i++) {
    const text = `change ${i}`
    await put(writer, text)
    const shown = async () => expect(await read(reader)).toMatchObject({ text })
    await soon(shown)
  }
  expect(await finding(reader)).toMatchObject({ status: 'pass' })
  hears(reader)
})
