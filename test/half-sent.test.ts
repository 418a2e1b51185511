import { beforeEach, expect, it } from 'vitest'
import { coupon, current, notify, STRIPE_SECRET, sign } from './harness.ts'
import { raw, wire } from './raw.ts'
import { type Running, running } from './running.ts'
import { soon } from './soon.ts'

const LARGEST = 256 * 1024

let server: Running
beforeEach(async () => {
  server = await running()
})

const signature = (payload = 'another body') =>
  `Stripe-Signature: ${sign(payload, STRIPE_SECRET, Date.now())}`
const notification = (headers: string[], body = '') => wire('POST /api/webhooks', headers, body)
const half = () =>
  notification([signature(), `Content-Length: ${LARGEST}`], 'x'.repeat(LARGEST / 2))

it('contract W1: a genuine notification among 300 half-sent ones is handled, and the oldest of the others are disconnected', async () => {
  const strangers = await Promise.all(Array.from({ length: 300 }, () => raw(server.port)))
  let open = strangers.length
  const sent = half()
  for (const { closed, send } of strangers) {
    closed.then(() => open--)
    send(sent)
  }
  const response = await notify(server, coupon('created', { name: 'A real one' }))
  expect(response.status).toBe(200)
  expect(await current(server)).toMatchObject({ text: 'A real one' })
  // The genuine notification arrived last, and has been handled.
  await soon(() => expect(open).toBeLessThanOrEqual(128))
  expect(open).toBeGreaterThan(120)
  for (const { socket } of strangers) socket.destroy()
})

it('contract W1: a request without a body or a signature gets 400 at once', async () => {
  const { answers } = await raw(server.port, wire('POST /api/webhooks'))
  expect(await answers(1)).toMatch(/^HTTP\/1\.1 400 [\s\S]*The Stripe-Signature header is missing/)
})

it.each(['/api/webhooks?by=stripe', '/api/x/../%77ebhooks'])(
  'contract W1: the oldest of 129 half-sent notifications is disconnected at the path %s, too',
  async (path) => {
    const head = wire(`POST ${path}`, [signature(), 'Content-Length: 1000'])
    const oldest = await raw(server.port, `${head}{`)
    await server.fetch('/healthz')
    for (let count = 0; count < 128; count++) await raw(server.port, `${head}{`)
    await oldest.closed
    expect(oldest.received()).toBe('')
  },
)

it("contract R5: a path that begins with two slashes isn't mistaken for a host", async () => {
  const { send, answers } = await raw(server.port)
  send(wire('POST //x/api/webhooks', ['Content-Length: 2'], '{}'))
  expect(await answers(1)).toMatch(/^HTTP\/1\.1 404 /)
})

it('contract W1: a connection can be reused after a rejection if the whole request has arrived', async () => {
  const { send, answers } = await raw(server.port)
  const payload = JSON.stringify(coupon('created', { name: 'Second try' }))
  for (const [index, line] of ['X-Nothing: here', signature(), signature(payload)].entries()) {
    send(notification([line, `Content-Length: ${payload.length}`], payload))
    await answers(index + 1)
  }
  const statuses = (await answers(3)).match(/HTTP\/1\.1 \d+/g)
  expect(statuses).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 200'])
})

it.each([false, true])(
  'contract W1: the signature of a notification that arrives in pieces is verified over the whole body (chunked: %s)',
  async (chunked) => {
    const name = 'Stück für Stück 🎉'
    const payload = Buffer.from(JSON.stringify(coupon('created', { name })))
    const { socket, send, answers } = await raw(server.port)
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${payload.length}`
    send(notification([signature(payload.toString()), length]))
    for (let at = 0; at < payload.length; at += 500) {
      const piece = payload.subarray(at, at + 500)
      if (chunked) send(`${piece.length.toString(16)}\r\n`)
      socket.write(piece)
      if (chunked) send('\r\n')
      // Once a later request has its response, the piece has arrived.
      await server.fetch('/api/events')
    }
    if (chunked) send('0\r\n\r\n')
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await current(server)).toMatchObject({ text: name })
  },
)

it('contract W1: a notification over 256 KiB gets 413, whether its length is stated or counted, and its connection closes', async () => {
  const long = await raw(server.port, notification([signature(), `Content-Length: ${LARGEST + 1}`]))
  expect(await long.answers(1)).toMatch(/^HTTP\/1\.1 413 [\s\S]*\{"error":"[^"]+"\}$/)
  const { send, answers, closed } = await raw(server.port)
  const chunk = `${LARGEST.toString(16)}\r\n${'x'.repeat(LARGEST)}\r\n`
  send(notification([signature(), 'Transfer-Encoding: chunked'], chunk + chunk))
  expect(await answers(1)).toMatch(/^HTTP\/1\.1 413 /)
  send(chunk + chunk)
  await closed
  expect((await server.fetch('/healthz')).status).toBe(200)
})

it('contract W1: a half-sent notification no longer counts once its sender has disconnected', async () => {
  const stay = await raw(server.port, half())
  // The service has room for 128 of them.
  for (let round = 0; round < 200; round++) {
    const { socket } = await raw(server.port, notification([signature(), 'Content-Length: 9'], '{'))
    await server.fetch('/api/events')
    socket.destroy()
  }
  await server.fetch('/api/events')
  expect(stay.socket.readyState).toBe('open')
  expect(stay.received()).toBe('')
  expect(server.logged()).not.toContain('"status":503')
  // Otherwise, stopping the server would wait for this request.
  stay.socket.destroy()
})
