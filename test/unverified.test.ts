import { describe, expect, it } from 'vitest'
import { createUnverifiedBodies } from '../src/http/unverified.ts'
import type { DirectMount } from './harness.ts'
import { coupon, inMemory, manualClock, nextAddress, notify, sign } from './harness.ts'
import { soon } from './raw.ts'

const KIB = 1024

describe('room for bodies that are not verified yet', () => {
  const clock = manualClock()
  /** Bodies by name, in the order in which they went. */
  function room() {
    const unverified = createUnverifiedBodies(clock.monotonic)
    const gone: string[] = []
    const enter = (address: string, bytes = 0, name = address) => {
      const body = unverified.enter(address, () => gone.push(name))
      body.grow(bytes)
      return body
    }
    return { enter, gone }
  }

  it('contract W1: one of the address that holds most goes first, the oldest of it', () => {
    const { enter, gone } = room()
    enter('other', 60 * KIB)
    for (let i = 0; i < 60; i++) enter('greedy', 0, `greedy ${i}`)
    for (let i = 0; i < 64; i++) enter(`${i}`)
    expect(gone).toEqual([])
    enter('late')
    enter('later')
    expect(gone).toEqual(['greedy 0', 'greedy 1'])
  })

  it('contract W1: a slow one goes before one of an address that holds more', () => {
    const { enter, gone } = room()
    enter('slow')
    clock.advance(1_000)
    for (let i = 0; i < 128; i++) enter('many', 0, `many ${i}`)
    expect(gone).toEqual(['slow'])
    enter('many', 0, 'the last')
    expect(gone).toEqual(['slow', 'many 0'])
  })

  it('contract W1: a body that is through, or has gone, takes no room', () => {
    const { enter, gone } = room()
    for (let i = 0; i < 1_000; i++) {
      const body = enter('quick', 256 * KIB)
      body.leave()
      body.leave()
      body.grow(256 * KIB)
    }
    for (let i = 0; i < 128; i++) enter('quick')
    expect(gone).toEqual([])
  })
})

describe('notifications that come slowly', () => {
  /** A body that a test sends piece by piece, and that counts how often more was asked for. */
  function sending(text: string) {
    let asked = 0
    let send: (rest: string | null) => void = () => {}
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          if (text) controller.enqueue(new TextEncoder().encode(text))
          send = (rest) => {
            if (rest === null) controller.close()
            else controller.enqueue(new TextEncoder().encode(rest))
          }
        },
        pull() {
          asked++
        },
      },
      { highWaterMark: 0 },
    )
    return { body, asked: () => asked, send: (rest: string | null) => send(rest) }
  }

  const deliver = (mount: DirectMount, body: unknown, headers: Record<string, string>) =>
    mount.fetch('/api/webhooks', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)

  const plausible = (mount: DirectMount) => ({
    'Stripe-Signature': sign('another body', mount.stripeSecret, mount.now()),
  })

  const hex = 'a'.repeat(64)
  it.each<[number, (seconds: number) => string]>([
    [400, () => ''],
    [400, (now) => `t=${now},v0=${hex}`],
    [400, (now) => `t=${now},v1=${hex}a`],
    [400, () => `t=now,v1=${hex}`],
    [400, (now) => `t=${now - 301},v1=${hex}`],
    [400, (now) => `t=${now + 301},v1=${hex}`],
    [413, (now) => `t=${now},v1=${hex}`],
  ])(
    'contract W1: what the header or the length shows is refused before the body is read: %i %s',
    async (status, signature) => {
      const mount = inMemory()
      const { body, asked } = sending('')
      const length = status === 413 ? 256 * KIB + 1 : 1
      const response = await deliver(mount, body, {
        'Stripe-Signature': signature(Math.floor(mount.now() / 1_000)),
        'Content-Length': String(length),
      })
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ error: expect.any(String) })
      expect(asked()).toBe(0)
    },
  )

  it('contract W1: more than 256 KiB is 413 by bytes counted, and exactly as much is read', async () => {
    const mount = inMemory()
    const long = sending('x'.repeat(256 * KIB))
    const answer = deliver(mount, long.body, plausible(mount))
    long.send('x')
    expect((await answer).status).toBe(413)
    const whole = sending('x'.repeat(256 * KIB))
    whole.send(null)
    expect((await deliver(mount, whole.body, plausible(mount))).status).toBe(400)
  })

  it('contract W1: strangers who begin and never end get 503, a real notification among them 200', async () => {
    const mount = inMemory()
    const stranger = nextAddress()
    const refused: Response[] = []
    for (let round = 0; round < 300; round++) {
      const { body } = sending('x'.repeat(20 * KIB))
      const headers = { ...plausible(mount), 'X-Forwarded-For': stranger }
      deliver(mount, body, headers).then((response) => refused.push(response))
      if (round % 10 === 0) {
        const real = coupon('created', { name: `Real ${round}` })
        const response = await notify(mount, real, { 'X-Forwarded-For': nextAddress() })
        expect(response.status).toBe(200)
      }
    }
    // 2 MiB hold 64 of them.
    await soon(() => expect(refused.length).toBe(300 - 64))
    for (const response of refused) {
      expect(response.status).toBe(503)
      expect(response.headers.get('connection')).toBe('close')
    }
    expect(await refused[0]?.json()).toEqual({ error: expect.any(String) })
  })
})
