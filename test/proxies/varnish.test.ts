import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { skipAloud } from '../aloud.ts'
import { freePort } from '../free-port.ts'
import { current, DRAFT, httpMount, type Mount, publish } from '../harness.ts'
import { blockAfter } from '../printed.ts'
import { type Running, running } from '../running.ts'
import { temporaryDirectory } from '../stores.ts'

const TOKEN = 'of-this-test'
const LACKING = spawnSync('varnishd', ['-V']).error !== undefined

/** The guide's Varnish in front of a service. Only ports and the token are other ones. */
async function startVarnish(port: number, service: number) {
  const directory = temporaryDirectory()
  const file = join(directory, 'placard.vcl')
  const block = blockAfter('docs/scaling.md', '### Varnish')
    .replace('"3000"', `"${service}"`)
    .replace('change-this-token', TOKEN)
  writeFileSync(file, block)
  const place = ['-F', '-j', 'none', '-n', directory, '-f', file, '-a', `127.0.0.1:${port}`]
  const varnish = spawn('varnishd', [...place, '-s', 'malloc,32m'], { stdio: 'pipe' })
  let said = ''
  varnish.stderr.on('data', (text) => {
    said += text
  })
  const ended = once(varnish, 'exit')
  await vi.waitFor(
    async () => {
      if (varnish.exitCode !== null) return
      await fetch(`http://127.0.0.1:${port}/healthz`)
    },
    { timeout: 30_000, interval: 50 },
  )
  if (varnish.exitCode !== null) throw new Error(`Varnish does not start:\n${said}`)
  return async () => {
    varnish.kill()
    await ended
  }
}

let service: Running
let front: Mount
let stop = async () => {}
beforeAll(async () => {
  if (LACKING) return
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  // Varnish adds whom it talks to, as a second proxy behind one with TLS would.
  service = await running({ PURGE: `varnish:${address}`, PURGE_TOKEN: TOKEN, TRUST_PROXY: '2' })
  stop = await startVarnish(port, service.port)
  front = httpMount(address, service.apiSecret, '')
}, 60_000)
afterAll(async () => {
  await service?.close()
  await stop()
})
beforeEach((test) => skipAloud(test, LACKING, 'Varnish'))

/** The id that the service gave: the same for all whom the cache answers by itself. */
const idOf = async (path = '/api/events', init?: RequestInit) =>
  (await front.fetch(path, init)).headers.get('x-request-id')

it.each(['/api/events', '/', '/embed.html'])(
  'contract R13: Varnish answers %s by itself, until something changes',
  async (path) => {
    await publish(front)
    const first = await vi.waitFor(async () => {
      const [one, other] = [await idOf(path), await idOf(path)]
      expect(other).toBe(one)
      return one
    })
    const response = await front.fetch(path)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const etag = response.headers.get('etag') ?? ''
    expect((await front.fetch(path, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    await publish(front, { ...DRAFT, text: `Not what ${path} had` })
    expect(await idOf(path)).not.toBe(first)
  },
)

it('contract R13, W7: the first read after each of 200 changes shows it, while others read', async () => {
  let over = false
  const readers = Array.from({ length: 4 }, async () => {
    while (!over) await current(front)
  })
  for (let i = 0; i < 200; i++) {
    const text = `Change ${i}`
    const response = await publish(front, { ...DRAFT, text })
    expect(response.status).toBe(201)
    expect(await current(front)).toMatchObject({ text })
  }
  over = true
  await Promise.all(readers)
})

it('contract R13: an end is neither early nor late through Varnish', async () => {
  const expiresAt = Date.now() + 2_500
  await publish(front, { ...DRAFT, text: 'Ends soon', expiresAt })
  let last = 0
  for (;;) {
    const before = Date.now()
    const event = await current(front)
    if (event?.text !== 'Ends soon') {
      expect(before).toBeLessThan(expiresAt + 1_000)
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
      break
    }
    last = before
  }
  expect(last).toBeLessThan(expiresAt + 1_000)
})

it('contract R4: the stream passes through', async () => {
  const response = await front.fetch('/api/events/stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await publish(front, { ...DRAFT, text: 'Through the stream' })
  let heard = ''
  while (!heard.includes('Through the stream')) heard += (await reader?.read())?.value ?? ''
  await reader?.cancel()
  expect(response.status).toBe(200)
})

it('contract R7, O3: what carries a bearer, and the admin, are never kept', async () => {
  const headers = { Authorization: `Bearer ${front.apiSecret}` }
  for (const [path, init] of [
    ['/api/events/history', { headers }],
    ['/admin', {}],
    ['/readyz', {}],
  ] as const) {
    expect(await idOf(path, init)).not.toBe(await idOf(path, init))
  }
})

it('contract R13: nobody else purges', async () => {
  for (const headers of [{}, { Authorization: 'Bearer of-another' }]) {
    const response = await front.fetch('/', {
      method: 'PURGE',
      headers: { ...headers, 'Surrogate-Key': 'event' },
    })
    expect(response.status).toBe(403)
  }
})
