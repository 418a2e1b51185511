import { Agent, request } from 'node:https'
import { expect, it, vi } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { serving } from '../command-line.ts'
import { freePort } from '../free-port.ts'
import { DRAFT, SECRETS } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { temporaryDirectory } from '../stores.ts'
import { IN_FRONT_OF_TWO, isMissing, type ProxyServer, startProxy } from './servers.ts'
import { nextSource, WRITES } from './visitor.ts'

const READERS = 8
const ROUNDS = 10

/** A request by HTTP/1.1 on a connection that is kept, as most clients send it. Resolves with its status, or 0. */
function ask(proxy: ProxyServer, agent: Agent, body?: string): Promise<number> {
  const { port, certificate: ca } = proxy
  const to = { host: 'localhost', family: 4, port, ca, path: '/api/events', agent }
  const write = body !== undefined && {
    method: 'POST',
    headers: WRITES,
    localAddress: nextSource(),
  }
  return new Promise((resolve) => {
    const asked = request({ ...to, ...write })
    asked.once('response', (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', () => resolve(0))
    })
    asked.once('error', () => {
      // A kept connection may close as it is used. Each client asks for a page again then, by itself.
      resolve(!write && asked.reusedSocket ? ask(proxy, agent) : 0)
    })
    asked.end(body)
  })
}

it.for(IN_FRONT_OF_TWO)(
  'contract R3, A12: no read fails while both nodes behind the guide’s $name are restarted, and a write can be repeated',
  // Twenty restarts under load, for which a busy machine takes its time.
  { timeout: 120_000 },
  async (kind, context) => {
    skipAloud(context, isMissing(kind), `${kind.name}, openssl and Linux`)
    const shared = { ...SECRETS, DATABASE_URL: await emptyDatabase(), TRUST_PROXY: '1' }
    const start = async (port: number) => {
      const settings = { ...shared, PORT: String(port) }
      return { port, ...(await serving(temporaryDirectory(), settings)) }
    }
    const nodes = [await start(await freePort()), await start(await freePort())]
    const proxy = await startProxy(kind, ...nodes.map(({ port }) => port))

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
        // As a publisher would: until it is answered.
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
      // What the proxy was doing when the node came back is over, as it is wherever somebody looks before going on.
      const before = answered
      const enough = () => expect(answered).toBeGreaterThan(before + 10 * READERS)
      await vi.waitFor(enough, { interval: 10, timeout: 20_000 })
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
    await proxy.stop()
    for (const { child, finished } of nodes) {
      child.kill()
      await finished
    }
  },
)
