import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { coupon, notify, publish } from '../harness.ts'
import { type Running, running } from '../running.ts'
import { type Cluster, startCluster, until } from './cluster.ts'
import { put, read, shows } from './nodes.ts'
import { query } from './place.ts'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster(['fsync=off'])
})
afterAll(() => cluster.remove())

async function start(onLog?: (line: string) => void): Promise<Running> {
  const node = await running({ DATABASE_URL: cluster.url() }, onLog)
  onTestFinished(node.close)
  return node
}

it('contract R3: while Postgres is stopped, reads continue and writes get 503; afterwards, everything works again', async () => {
  const [a, b] = await Promise.all([start(), start()])
  await put(a, 'before')
  await shows(b, 'before')
  const page = await b.fetch('/api/events/stream')
  let streamed = ''
  const following = (async () => {
    for await (const chunk of page.body ?? []) streamed += new TextDecoder().decode(chunk)
  })()
  following.catch(() => {})

  await cluster.stop()
  for (const node of [a, b]) {
    await until(async () => (await read(node)).stale)
    expect(await read(node)).toMatchObject({ status: 200, text: 'before', stale: true })
    expect((await publish(node)).status).toBe(503)
    expect((await notify(node, coupon('created'))).status).toBe(503)
    expect((await node.fetch('/readyz')).status).toBe(503)
    expect((await node.fetch('/')).status).toBe(200)
  }

  await cluster.start()
  await until(async () => (await publish(a)).status === 201)
  await put(a, 'after')
  await shows(b, 'after')
  await until(() => streamed.includes('"after"'))
  expect((await notify(b, coupon('created'))).status).toBe(200)
})

it('contract R6: a node that starts before Postgres waits for it, and logs this without a stack trace', async () => {
  await cluster.stop()
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  const starting = start((line) => line.includes('waiting for the database') && resolve())
  await waits
  await cluster.start()
  const node = await starting
  expect((await read(node)).status).toBe(200)
  expect(node.logged()).not.toContain('"stack"')
})

it('a crash of Postgres loses neither announcements nor the record of applied notifications', async () => {
  const node = await start()
  const notification = coupon('updated', { name: 'Before the crash' })
  await notify(node, notification)
  const rows = () => query(cluster.url(), 'select * from placard_event order by id')
  const before = await rows()
  await cluster.kill()
  await cluster.start()
  await until(async () => (await notify(node, notification)).status === 200)
  expect(await rows()).toEqual(before)
})
