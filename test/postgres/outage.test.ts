import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { type Service, serve } from '../../src/server/serve.ts'
import { coupon, DRAFT, httpMount, notify, publish } from '../harness.ts'
import { temporaryDirectory } from '../stores.ts'
import { type Cluster, startCluster, until } from './cluster.ts'
import { query, read } from './nodes.ts'

const API_SECRET = 'outage-api-secret-0123'
const STRIPE_SECRET = 'whsec_outage-secret-0123'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster(['fsync=off'])
})
afterAll(() => cluster.remove())

function start(url = cluster.url()): Promise<Service> {
  const config = readConfig(
    {
      DATABASE_URL: url,
      EVENT_API_SECRET: API_SECRET,
      STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
      TRUST_PROXY: '1',
      PORT: '0',
      LOG_LEVEL: 'silent',
    },
    temporaryDirectory(),
  )
  return serve(config, createLogger(config))
}

const mountOf = (service: Service) => httpMount(service.url, API_SECRET, STRIPE_SECRET)

it('contract R3: while Postgres is stopped, reads go on and writes are 503; all is back within 5 s', async () => {
  const services = await Promise.all([start(), start()])
  const [a, b] = services.map(mountOf) as [ReturnType<typeof mountOf>, ReturnType<typeof mountOf>]
  expect((await publish(a, { ...DRAFT, text: 'before' })).status).toBe(201)
  await until(async () => (await read(b)).text === 'before', 1_000)
  const page = await fetch(`${services[1]?.url}/api/events/stream`)
  let streamed = ''
  const following = (async () => {
    for await (const chunk of page.body ?? []) streamed += new TextDecoder().decode(chunk)
  })()

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
  const back = performance.now()
  await until(async () => (await publish(a, { ...DRAFT, text: 'after' })).status === 201, 5_000)
  await until(async () => {
    const { text, stale } = await read(b)
    return text === 'after' && !stale && streamed.includes('"after"')
  }, 5_000)
  expect(performance.now() - back).toBeLessThan(5_000)
  expect((await notify(b, coupon('created'))).status).toBe(200)
  await Promise.all(services.map((service) => service.stop()))
  await following.catch(() => {})
})

it('a node that starts before Postgres waits for it', async () => {
  await cluster.stop()
  const starting = start()
  await new Promise((resolve) => setTimeout(resolve, 200))
  await cluster.start()
  const service = await starting
  expect((await read(mountOf(service))).status).toBe(200)
  await service.stop()
})

it('a restart forgets neither announcements nor notifications, nor the clock', async () => {
  const service = await start()
  const mount = mountOf(service)
  const notification = coupon('updated', { name: 'Before the crash' })
  await notify(mount, notification)
  const before = await query(cluster.url(), 'select * from placard_event order by id')
  await cluster.kill()
  await cluster.start()
  await until(async () => (await notify(mount, notification)).status === 200, 5_000)
  expect(await query(cluster.url(), 'select * from placard_event order by id')).toEqual(before)
  await service.stop()
})
