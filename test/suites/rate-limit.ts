import { expect, it } from 'vitest'
import { DRAFT, type Extra, type Mount, nextAddress, publish, withdraw, write } from '../harness.ts'

const statuses = (responses: Response[]) => responses.map(({ status }) => status)
const count = (responses: Response[], status: number) =>
  statuses(responses).filter((other) => other === status).length

/** The limit on writes, as clients see it. */
export function rateLimit(mount: Mount): void {
  const from = (address: string): Extra => ({ 'X-Forwarded-For': address })

  it('contract A1, spec 8: exactly 10 of 200 parallel writes from one address are admitted', async () => {
    const address = from(nextAddress())
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 2 ? publish(mount, DRAFT, address) : withdraw(mount, { type: 'coupon' }, address),
      ),
    )
    expect(count(answers, 201) + count(answers, 200)).toBe(10)
    expect(count(answers, 429)).toBe(190)
  })

  it('contract A1, spec 7: POST and DELETE count together, whatever the outcome, and each response says how many are left', async () => {
    const address = from(nextAddress())
    const answers = [
      await publish(mount, DRAFT, address),
      await withdraw(mount, { type: 'post' }, address),
      await publish(mount, DRAFT, { ...address, Authorization: 'Basic Zm9vOmJhcg==' }),
      await publish(mount, DRAFT, { ...address, Authorization: 'Bearer wrong' }),
      await publish(mount, DRAFT, { ...address, 'Content-Type': 'text/plain' }),
      await publish(mount, 'x'.repeat(20_000), address),
      await publish(mount, 'no JSON', address),
      await publish(mount, {}, address),
      await withdraw(mount, {}, address),
      await write(mount, 'DELETE', undefined, address, '/api/events?type=post'),
      await publish(mount, DRAFT, address),
      await withdraw(mount, { type: 'post' }, address),
      await publish(mount, DRAFT, { ...address, Authorization: 'Bearer wrong' }),
    ]
    expect(statuses(answers)).toEqual([
      201, 200, 401, 401, 415, 413, 400, 400, 400, 200, 429, 429, 429,
    ])
    for (const [index, response] of answers.entries()) {
      const stands = response.headers.get('ratelimit')
      const [, wait] = /^"write";r=\d;t=([1-9]|10)$/.exec(stands ?? '') ?? []
      expect(stands).toBe(`"write";r=${Math.max(0, 9 - index)};t=${wait}`)
      if (index < 10) continue
      // Exactly what spec 7 shows.
      const body = { error: 'Too many requests', retryAfter: Number(wait) }
      expect(await response.json()).toEqual(body)
      expect(response.headers.get('retry-after')).toBe(wait)
    }
  })

  it("contract A1, spec 4.2: reads and notifications aren't limited, and use up no writes", async () => {
    const address = nextAddress()
    const headers = from(address) as Record<string, string>
    const reads = await Promise.all(
      Array.from({ length: 50 }, () => mount.fetch('/api/events', { headers })),
    )
    expect(count(reads, 200)).toBe(50)
    expect(reads[0]?.headers.has('ratelimit')).toBe(false)
    const posts = await Promise.all(
      Array.from({ length: 20 }, () =>
        mount.fetch('/api/webhooks', { method: 'POST', headers, body: '{}' }),
      ),
    )
    expect(count(posts, 400)).toBe(20)
    const first = await publish(mount, DRAFT, from(address))
    expect(first.headers.get('ratelimit')).toMatch(/r=9/)
  })

  it('contract A2: the X-Forwarded-For entry that the proxy added counts, not one that the client sent', async () => {
    const address = nextAddress()
    const left: (string | undefined)[] = []
    for (const entry of [address, `1.2.3.4, ${address}`, `${address}, ${nextAddress()}`]) {
      const { headers } = await publish(mount, '', from(entry))
      left.push(/r=\d/.exec(headers.get('ratelimit') ?? '')?.[0])
    }
    expect(left).toEqual(['r=9', 'r=8', 'r=9'])
  })
}
