import { Agent, request } from 'node:https'
import { afterAll, describe, expect, it } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { API_SECRET, DRAFT } from '../harness.ts'
import { isInstalled, KINDS, type ProxyServer, startProxy } from '../proxies/servers.ts'
import { nextSource } from '../proxies/visitor.ts'
import { running } from '../running.ts'

/** Longer than the 6 s after which Node by itself closes a connection that nothing came over. */
const IDLE_MS = 7_000
/** Until what was written has been sent. */
const SENT_MS = 50
/** How many connections to the service a proxy keeps here. */
const CLIENTS = 16

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** Somebody who writes over one connection, in HTTP/1.1: over HTTP/2 a client may ask again by itself. */
function writer({ port, certificate: ca }: ProxyServer) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: nextSource(), ca })
  closing.push(() => agent.destroy())
  const headers = { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json' }
  const to = { host: 'localhost', family: 4, port, path: '/api/events', method: 'POST' }
  /** Resolves with the status, or with what went wrong. */
  return () =>
    new Promise((resolve) => {
      request({ ...to, headers, agent }, (answer) => answer.resume() && resolve(answer.statusCode))
        .on('error', resolve)
        .end(JSON.stringify(DRAFT))
    })
}

describe('a write that a proxy sends over a connection which was idle for long', () => {
  it.concurrent.for(KINDS)(
    'contract R10: is answered behind $name, and not lost in a close',
    async (kind, context) => {
      const missing = process.platform !== 'linux' || !isInstalled(kind)
      skipAloud(context, missing, `${kind.name}, openssl and Linux`)
      const service = await running({ TRUST_PROXY: '1' })
      const proxy = await startProxy(kind, service.port)
      closing.push(service.close, proxy.stop)
      const writers = Array.from({ length: CLIENTS }, () => writer(proxy))
      const answered = writers.map(() => 201)
      expect(await Promise.all(writers.map((write) => write()))).toEqual(answered)
      // While it is stopped, the proxy can't see that a connection was closed. Then it sees that and the write at once.
      proxy.send('SIGSTOP')
      await sleep(IDLE_MS)
      const answers = Promise.all(writers.map((write) => write()))
      await sleep(SENT_MS)
      proxy.send('SIGCONT')
      expect(await answers).toEqual(answered)
    },
  )
})
