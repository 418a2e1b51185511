import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { API_SECRET, current, type Mount, publish, STRIPE_SECRET } from '../harness.ts'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { LACKING, type Pooler, startPgBouncer } from '../postgres/pgbouncer.ts'

const DIST = join(import.meta.dirname, '../../dist')
/** Answers the one request that it is started for. */
const PROGRAM = `
  import { createPlacard } from '${DIST}/index.js'
  import { postgresStore } from '${DIST}/postgres.js'
  const { URL, SECRET, REQUEST } = process.env
  const { path, init } = JSON.parse(REQUEST)
  const placard = createPlacard({ store: postgresStore({ url: URL, listen: false }), apiSecret: SECRET, trustProxy: 1 })
  const response = await placard.fetch(new Request('http://one.test' + path, init))
  const { status, headers } = response
  console.log(JSON.stringify({ status, headers: [...headers], body: await response.text() }))
  setInterval(() => {}, 1_000)
`

let cluster: Cluster
let pooler: Pooler
beforeAll(async () => {
  if (LACKING) return
  cluster = await startCluster()
  pooler = await startPgBouncer(cluster.url())
})
afterAll(async () => {
  await pooler?.close()
  await cluster?.remove()
})
beforeEach((test) => skipAloud(test, LACKING, 'PgBouncer'))

/** Starts a process for a request, and kills it once it has answered. */
const mount: Mount = {
  apiSecret: API_SECRET,
  stripeSecret: STRIPE_SECRET,
  now: Date.now,
  async fetch(path, init) {
    const env = { ...process.env, URL: pooler.url, SECRET: API_SECRET }
    const args = ['--input-type=module', '--eval', PROGRAM]
    const child = spawn(process.execPath, args, {
      env: { ...env, REQUEST: JSON.stringify({ path, init }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    for await (const text of child.stdout) {
      output += text
      if (output.endsWith('\n')) break
    }
    child.kill('SIGKILL')
    const { status, headers, body } = JSON.parse(output)
    return new Response(body, { status, headers })
  },
  async close() {},
}

it('contract N1, N2: of 200 requests, each in a process of its own, every read shows the write before it', async () => {
  for (let i = 0; i < 100; i++) {
    const text = `Change ${i}`
    expect((await publish(mount, { type: 'post', text, slug: '/x' })).status).toBe(201)
    expect((await current(mount))?.text).toBe(text)
  }
  expect(await pooler.clients()).toBe(0)
}, 600_000)
