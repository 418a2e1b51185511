import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlacard } from '../src/placard.ts'
import { postgresStore } from '../src/store/postgres.ts'
import { couponNotification } from '../src/stripe/simulate.ts'
import { freePort } from '../test/free-port.ts'
import { sign } from '../test/harness.ts'
import { startCluster, until } from '../test/postgres/cluster.ts'
import { query as queryAt } from '../test/postgres/place.ts'
import { startProxy } from '../test/postgres/proxy.ts'
import { clientAddress, isReady, kill, launch, SECRET, SIGNING_SECRET } from './processes.ts'

/** How many times a node, and then Postgres, is killed in the middle of writes. */
const KILLS = Number(process.argv[2] ?? 25)

const print = (line: string) => console.log(line)
const cluster = await startCluster()
const directory = mkdtempSync(join(tmpdir(), 'placard-soak-'))

/** Starts a node as operators do. After `kill -9`, the same command starts it again on the same port. */
async function startNode() {
  const PORT = String(await freePort())
  const env = { PORT, DATABASE_URL: cluster.url(), NODE_ENV: 'production' }
  const url = `http://127.0.0.1:${PORT}`
  let child: ChildProcess
  const node = {
    url,
    async start() {
      child = launch(directory, env)
      await until(() => isReady(url), 30_000)
    },
    kill: () => kill(child),
  }
  await node.start()
  return node
}

const nodes = [await startNode(), await startNode()] as const
let paused = false
let stopped = false
let acknowledgements = 0
let lost = 0

/**
 * Writes increasing numbers, one after the other, to both nodes in turn. The stored number must lie between the last
 * that was acknowledged and the last that was tried.
 */
function startWriter(type: string, send: (url: string, number: number) => Promise<Response>) {
  const writer = { type, tried: 0, acknowledged: 0, busy: false, done: Promise.resolve() }
  writer.done = (async () => {
    while (!stopped) {
      if (paused) {
        writer.busy = false
        await new Promise((resolve) => setTimeout(resolve, 5))
        continue
      }
      writer.busy = true
      const number = ++writer.tried
      const url = (number % 2 ? nodes[0] : nodes[1]).url
      const answer = await send(url, number).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => {})
      if (answer && answer.status < 300) {
        writer.acknowledged = number
        acknowledgements++
      }
    }
  })()
  return writer
}

let posted = 0
const post = (type: string) => (url: string, number: number) =>
  fetch(`${url}/api/events`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${SECRET}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': clientAddress(posted++),
    },
    body: JSON.stringify({ type, text: `number ${number}`, slug: '/soak' }),
  })

/** Acknowledged notifications. A repeat must get the same response and have no second effect. */
const received: string[] = []
const deliver = (url: string, payload: string) =>
  fetch(`${url}/api/webhooks`, {
    method: 'POST',
    headers: { 'Stripe-Signature': sign(payload, SIGNING_SECRET, Date.now()) },
    body: payload,
  })
const firstNotification = Math.floor(Date.now() / 1000)
const notify = async (url: string, number: number) => {
  const coupon = { name: `number ${number}`, valid: true }
  const created = firstNotification + number
  const payload = JSON.stringify(couponNotification('coupon.updated', coupon, created))
  const answer = await deliver(url, payload)
  if (answer.ok) received.push(payload)
  return answer
}

const writers = [
  startWriter('post', post('post')),
  startWriter('product', post('product')),
  startWriter('coupon', notify),
]

const query = <Row>(text: string) => queryAt<Row>(cluster.url(), text)

async function stored(): Promise<Map<string, number>> {
  const rows = await query<{ type: string; text: string }>(
    "select type, body::json ->> 'text' as text from placard_event",
  )
  return new Map(rows.map(({ type, text }) => [type, Number(text.replace('number ', ''))]))
}

/** Waits for the writes under way, then compares the stored numbers with those that the nodes acknowledged. */
async function check(label: string) {
  paused = true
  await until(() => writers.every(({ busy }) => !busy), 30_000)
  const there = await stored()
  for (const { type, tried, acknowledged } of writers) {
    const number = there.get(type) ?? 0
    if (number < acknowledged || number > tried) {
      lost++
      print(`LOST: ${type} has ${number}; last acknowledged ${acknowledged}, last tried ${tried}`)
    }
  }
  const last = received.at(-1)
  if (last) {
    const answer = await deliver(nodes[0].url, last)
    const body = await answer.text()
    if (body !== '{"received":true,"outcome":"published"}') {
      lost++
      print(`LOST: a repeated notification got ${answer.status} ${body}`)
    }
    if ((await stored()).get('coupon') !== there.get('coupon')) {
      lost++
      print('TWICE: a repeated notification had a second effect')
    }
  }
  print(`${label} · ${acknowledgements} writes acknowledged · ${lost} lost`)
  paused = false
}

/** Waits until every writer has a new acknowledgement, so that a kill interrupts writes and not a start. */
async function writing() {
  const before = writers.map(({ acknowledged }) => acknowledged)
  const moved = () =>
    writers.every(({ acknowledged }, index) => acknowledged > (before[index] ?? 0))
  await until(moved, 30_000)
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 500))
}

/** How long a node serves an old announcement after its listening connection freezes, with the real heartbeat. */
async function staleFor(phaseMs: number): Promise<number> {
  await query(`create database frozen_${phaseMs}`)
  const url = cluster.url(`frozen_${phaseMs}`)
  const proxy = await startProxy(url)
  const other = createPlacard({ store: postgresStore(url), apiSecret: SECRET })
  const deaf = createPlacard({ store: postgresStore(proxy.url), apiSecret: SECRET })
  await other.publish({ type: 'post', text: 'before', slug: '/' })
  await until(async () => (await deaf.current())?.text === 'before')
  await until(() => [...proxy.links].some(({ listening }) => listening))
  await new Promise((resolve) => setTimeout(resolve, phaseMs))
  for (const link of proxy.links) if (link.listening) link.freeze()
  await other.publish({ type: 'post', text: 'unheard', slug: '/' })
  const written = performance.now()
  await until(async () => (await deaf.current())?.text === 'unheard', 30_000)
  const ms = performance.now() - written
  await Promise.all([other.close(), deaf.close()])
  await proxy.close()
  return ms
}

try {
  for (let round = 1; round <= KILLS; round++) {
    await writing()
    const victim = nodes[round % 2 ? 0 : 1]
    await victim.kill()
    await victim.start()
    await check(`kill -9 of a node ${round}/${KILLS}`)
  }
  for (let round = 1; round <= KILLS; round++) {
    await writing()
    await cluster.kill()
    const started = performance.now()
    await cluster.start()
    await writing()
    const back = ((performance.now() - started) / 1000).toFixed(1)
    await check(`kill -9 of Postgres ${round}/${KILLS}, writing again ${back} s after its start`)
  }
  stopped = true
  await Promise.all(writers.map(({ done }) => done))
  print('frozen listening connections, with the real heartbeat …')
  const stale = await Promise.all([0, 2_500, 5_000, 7_500, 9_500].map(staleFor))
  print(`stale for ${stale.map((ms) => (ms / 1000).toFixed(2)).join(', ')} s`)
  if (Math.max(...stale) > 15_000) lost++
} finally {
  stopped = true
  await Promise.all(nodes.map((node) => node.kill()))
  await cluster.remove()
  rmSync(directory, { recursive: true, force: true })
}
print(lost === 0 ? 'Nothing that was acknowledged was lost.' : `${lost} faults`)
process.exitCode = lost === 0 ? 0 : 1
