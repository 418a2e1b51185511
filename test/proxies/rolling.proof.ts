import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { build, serving } from '../command-line.ts'
import { freePort } from '../free-port.ts'
import { API_SECRET, DRAFT, STRIPE_SECRET } from '../harness.ts'
import { emptyDatabase } from '../postgres/place.ts'
import { temporaryDirectory } from '../stores.ts'
import { IN_FRONT_OF_TWO, isInstalled, type ProxyServer, startProxy } from './servers.ts'
import { nextSource } from './visitor.ts'

beforeAll(() => build())

const READERS = 8
const ROUNDS = 10

/** A request by HTTP/1.1 on a connection that is kept, as most clients send it. */
function ask(
  proxy: ProxyServer,
  agent: Agent,
  { method = 'GET', localAddress = '127.0.0.1', body = '' } = {},
): Promise<number> {
  const { port, certificate: ca } = proxy
  const headers = body && {
    authorization: `Bearer ${API_SECRET}`,
    'content-type': 'application/json',
  }
  const place = { host: 'localhost', family: 4, port, ca, path: '/api/events', localAddress }
  return new Promise((resolve) => {
    const asked = request({ ...place, method, agent, ...(headers && { headers }) })
    asked.once('response', (answer: IncomingMessage) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', () => resolve(0))
    })
    asked.once('error', () => {
      // A kept connection may close as it is used. Each client asks for a page again then, by itself.
      const isSafe = method === 'GET' && asked.reusedSocket
      resolve(isSafe ? ask(proxy, agent) : 0)
    })
    asked.end(body)
  })
}

describe.each(IN_FRONT_OF_TWO)('the guide’s $name in front of two nodes', (kind) => {
  const missing = process.platform !== 'linux' || !isInstalled(kind)
  beforeEach((context) => skipAloud(context, missing, `${kind.name}, openssl and Linux`))

  it('contract R3, A12: no read fails while both are restarted, and a write can be repeated', async () => {
    const environment = {
      DATABASE_URL: await emptyDatabase(),
      EVENT_API_SECRET: API_SECRET,
      STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
      TRUST_PROXY: '1',
    }
    const ports = [await freePort(), await freePort()]
    const start = (port: number) =>
      serving(temporaryDirectory(), { ...environment, PORT: String(port) })
    const nodes = [await start(ports[0] ?? 0), await start(ports[1] ?? 0)]
    const proxy = await startProxy(kind, ...ports)

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
        const write = {
          method: 'POST',
          localAddress: nextSource(),
          body: JSON.stringify({ ...DRAFT, text: `Write ${i}` }),
        }
        let status = await ask(proxy, agent, write)
        count(writes, status)
        // As a publisher would: until it is answered.
        while (status !== 201) {
          status = await ask(proxy, agent, { ...write, localAddress: nextSource() })
          expect([0, 201, 502, 503]).toContain(status)
        }
        agent.destroy()
      }
    }
    const load = [...Array.from({ length: READERS }, reader), writer()]
    for (let round = 0; round < ROUNDS; round++) {
      for (const index of [0, 1]) {
        nodes[index]?.child.kill('SIGTERM')
        expect((await nodes[index]?.finished)?.code).toBe(0)
        nodes[index] = await start(ports[index] ?? 0)
        // What the proxy was doing when the node came back is over, as it is wherever somebody looks before going on.
        const before = answered
        await vi.waitFor(() => expect(answered).toBeGreaterThan(before + 10 * READERS), {
          interval: 10,
          timeout: 20_000,
        })
      }
    }
    loaded = false
    await Promise.all(load)
    const total = [...reads.values()].reduce((sum, one) => sum + one, 0)
    process.stdout.write(
      `${kind.name}: ${total} reads ${JSON.stringify([...reads])}, writes ${JSON.stringify([...writes])}\n`,
    )
    expect([...reads.keys()]).toEqual([200])
    expect(total).toBeGreaterThan(300)
    expect(writes.get(201)).toBeGreaterThan(10)
    await proxy.stop()
    for (const { child, finished } of nodes) {
      child.kill()
      await finished
    }
  })
})
