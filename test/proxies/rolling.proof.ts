import { Agent } from 'node:https'
import { expect, it, type TestContext } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { serving } from '../command-line.ts'
import { freePort } from '../free-port.ts'
import { DRAFT, SECRETS } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { soon } from '../soon.ts'
import { temporaryDirectory } from '../stores.ts'
import { IN_FRONT_OF_TWO, isMissing, type Kind, type ProxyServer, startProxy } from './servers.ts'
import { askInHttp1, nextSource, WRITES } from './visitor.ts'

const READERS = 8
const ROUNDS = 10

/** Sends a request on a keep-alive connection, as most clients do. Resolves with its status, or 0. */
async function ask(proxy: ProxyServer, agent: Agent, body?: string): Promise<number> {
  const from = { localAddress: nextSource() }
  const write = body !== undefined && { method: 'POST', headers: WRITES, ...from }
  try {
    return (await askInHttp1(proxy, { agent, ...write }, body)).statusCode ?? 0
  } catch (error) {
    // A kept connection may close just as it is used. Clients then repeat a read by themselves.
    return !write && (error as { reused?: boolean }).reused ? ask(proxy, agent) : 0
  }
}

/** Starts a proxy in front of two nodes that share a database. */
async function inFrontOfTwo(kind: Kind, context: TestContext) {
  skipAloud(context, isMissing(kind), `${kind.name} and Linux`)
  const shared = { ...SECRETS, DATABASE_URL: await emptyDatabase(), TRUST_PROXY: '1' }
  const start = async (port: number) => {
    const settings = { ...shared, PORT: String(port) }
    return { port, ...(await serving(temporaryDirectory(), settings)) }
  }
  const nodes = [await start(await freePort()), await start(await freePort())]
  return { start, nodes, proxy: await startProxy(kind, ...nodes.map(({ port }) => port)) }
}

it.for(IN_FRONT_OF_TWO)(
  "contract A12: behind the guide's $name, one node handles all writes while the other is dead",
  async (kind, context) => {
    const { nodes, proxy } = await inFrontOfTwo(kind, context)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const write = () => ask(proxy, agent, JSON.stringify(DRAFT))
    await soon(async () => expect(await write()).toBe(201))
    nodes[0]?.child.kill('SIGKILL')
    await nodes[0]?.finished
    // A health check a second later takes the node out.
    await soon(async () => {
      for (let count = 0; count < 10; count++) expect(await write()).toBe(201)
    })
    for (let count = 0; count < 20; count++) expect(await write()).toBe(201)
    agent.destroy()
  },
)

it.for(IN_FRONT_OF_TWO)(
  "contract R3, A12: behind the guide's $name, no read fails while nodes restart (Apache: at most 1 in 1,000), and a write can be repeated",
  async (kind, context) => {
    const { start, nodes, proxy } = await inFrontOfTwo(kind, context)
    const reads = new Map<number, number>()
    const writes = new Map<number, number>()
    const count = (counts: Map<number, number>, status: number) =>
      counts.set(status, (counts.get(status) ?? 0) + 1)
    let answered = 0
    let loaded = true
    const reader = async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (; loaded; answered++) count(reads, await ask(proxy, agent))
      agent.destroy()
    }
    const writer = async () => {
      for (let i = 0; loaded; i++) {
        const agent = new Agent({ keepAlive: false })
        const body = JSON.stringify({ ...DRAFT, text: `Write ${i}` })
        let status = await ask(proxy, agent, body)
        count(writes, status)
        // Repeats the write until it succeeds, as a publisher would.
        while (status !== 201) {
          status = await ask(proxy, agent, body)
          expect([0, 201, 502, 503]).toContain(status)
        }
        agent.destroy()
      }
    }
    const load = [...Array.from({ length: READERS }, reader), writer()]
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const { port, child, finished } = nodes.shift() ?? expect.fail()
      child.kill('SIGTERM')
      expect((await finished).code).toBe(0)
      nodes.push(await start(port))
      // Gives the proxy time to take the node back before the next restart, as an operator would.
      const before = answered
      const enough = () => expect(answered).toBeGreaterThan(before + 10 * READERS)
      await soon(enough)
    }
    loaded = false
    await Promise.all(load)
    const total = [...reads.values()].reduce((sum, one) => sum + one, 0)
    process.stdout.write(
      `${kind.name}: ${total} reads ${JSON.stringify([...reads])}, writes ${JSON.stringify([...writes])}\n`,
    )
    // Apache itself returns 503 now and then, though a node is ready.
    const mayFail = kind.name === 'Apache' ? total / 1_000 : 0
    expect(total - (reads.get(200) ?? 0)).toBeLessThanOrEqual(mayFail)
    expect(total).toBeGreaterThan(300)
    expect(writes.get(201)).toBeGreaterThan(10)
  },
)
