import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { coupon, current, notify, STRIPE_SECRET, sign } from './harness.ts'
import { raw, soon } from './raw.ts'
import { type Running, running } from './running.ts'

const LARGEST = 256 * 1024

describe('notifications on the wire', () => {
  let server: Running
  afterEach(() => server.close())

  const head = (headers: string[], path = '/api/webhooks') =>
    `${[`POST ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
  const signature = (payload = 'another body') =>
    `Stripe-Signature: ${sign(payload, STRIPE_SECRET, Date.now())}`

  it('contract W1: among 1,500 that are half sent, a real one is answered, and the others make room', async () => {
    server = await running()
    const half = head([signature(), `Content-Length: ${LARGEST}`]) + 'x'.repeat(LARGEST / 2)
    const strangers = await Promise.all(Array.from({ length: 1_500 }, () => raw(server.port)))
    let open = strangers.length
    for (const { socket, send } of strangers) {
      socket.once('close', () => open--)
      send(half)
    }
    const started = performance.now()
    const response = await notify(server, coupon('created', { name: 'A real one' }))
    expect(response.status).toBe(200)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(await current(server)).toMatchObject({ text: 'A real one' })
    // 2 MiB have room for 14 halves. Each takes its bytes and one block.
    await soon(() => expect(open).toBe(14))
    for (const { socket } of strangers) socket.destroy()
  })

  it.each(['/api/webhooks', '/api/webhooks?by=stripe', '/api/x/../%77ebhooks'])(
    'contract W1, R6: %s without a signature is 400 before its body has come',
    async (path) => {
      server = await running()
      const { send, answers, socket } = await raw(server.port)
      const closed = once(socket, 'close')
      send(`${head(['Content-Length: 1000'], path)}{`)
      const answer = await answers(1)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(
        /\{"error":"The Stripe-Signature header is missing","code":"invalid_signature"\}$/,
      )
      const id = /^x-request-id: (.+)$/im.exec(answer)?.[1] ?? ''
      const line =
        server
          .logged()
          .split('\n')
          .find((one) => one.includes(id)) ?? '{}'
      expect(JSON.parse(line)).toMatchObject({ status: 400, msg: 'refused a request' })
      // The client has half a second to take the answer. Then its connection is closed.
      const answered = performance.now()
      await closed
      expect(performance.now() - answered).toBeLessThan(4_000)
    },
  )

  it('contract W1: after a refusal, a connection whose request has come in whole is used again', async () => {
    server = await running()
    const { send, answers } = await raw(server.port)
    const payload = JSON.stringify(coupon('created', { name: 'Second try' }))
    const request = (line: string) => head([line, `Content-Length: ${payload.length}`]) + payload
    send(request('X-Nothing: here') + request(signature('another body')))
    send(request(signature(payload)))
    const statuses = (await answers(3)).match(/HTTP\/1\.1 \d+/g)
    expect(statuses).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 200'])
  })

  it('contract W1: one that comes in pieces, chunked or not, is read as it was signed', async () => {
    server = await running()
    for (const chunked of [false, true]) {
      const name = `Stück für Stück 🎉 ${chunked}`
      const payload = Buffer.from(JSON.stringify(coupon('created', { name })))
      const { socket, send, answers } = await raw(server.port)
      const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${payload.length}`
      send(head([signature(payload.toString()), length]))
      for (let at = 0; at < payload.length; at += 500) {
        const piece = payload.subarray(at, at + 500)
        if (chunked) send(`${piece.length.toString(16)}\r\n`)
        socket.write(piece)
        if (chunked) send('\r\n')
        // It has arrived when a request that was sent later is answered.
        await server.fetch('/api/events')
      }
      if (chunked) send('0\r\n\r\n')
      expect(await answers(1)).toMatch(/^HTTP\/1\.1 200 /)
      expect(await current(server)).toMatchObject({ text: name })
      socket.destroy()
    }
  })

  it.each([
    ['by its length', [`Content-Length: ${LARGEST + 1}`], ''],
    ['by bytes counted', ['Transfer-Encoding: chunked'], `${(LARGEST + 1).toString(16)}\r\n`],
  ])('contract W1: more than 256 KiB is 413, %s', async (_, lines, frame) => {
    server = await running()
    const { send, answers } = await raw(server.port)
    send(head([signature(), ...lines]))
    if (frame) send(frame + 'x'.repeat(LARGEST + 1))
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 413 [\s\S]*\{"error":"[^"]+"\}$/)
  })

  it('contract W1: one that goes on after its refusal is read to its end, and the service lives', async () => {
    server = await running()
    const { socket, send, answers } = await raw(server.port)
    const closed = once(socket, 'close')
    const chunk = `${LARGEST.toString(16)}\r\n${'x'.repeat(LARGEST)}\r\n`
    send(head([signature(), 'Transfer-Encoding: chunked']) + chunk + chunk)
    expect(await answers(1)).toMatch(/^HTTP\/1\.1 413 /)
    send(chunk + chunk)
    await closed
    expect((await server.fetch('/healthz')).status).toBe(200)
  })

  it('contract W1: one whose sender leaves makes room', async () => {
    server = await running()
    const half = head([signature(), `Content-Length: ${LARGEST}`]) + 'x'.repeat(LARGEST / 2)
    const stay = await raw(server.port)
    stay.send(half)
    for (let round = 0; round < 20; round++) {
      const { send, socket } = await raw(server.port)
      send(half)
      await server.fetch('/api/events')
      socket.destroy()
    }
    await server.fetch('/api/events')
    expect(stay.received()).toBe('')
    expect(server.logged()).not.toContain('"status":503')
    // A stop would wait for it.
    stay.socket.destroy()
  })
})
