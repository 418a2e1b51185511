import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { StripeRequestError, stripeClient } from '../../src/stripe/client.ts'
import { freePort } from '../free-port.ts'
import { listen } from '../raw.ts'
import { KEY, type Trouble } from './fake.ts'
import { stageForEach } from './stage.ts'

const { stripe, clock } = stageForEach()

/** The requests to the server at an address. */
function requestsTo(apiUrl: string) {
  const retryAfter = { leftMs: async () => 0, keep: async () => {} }
  return stripeClient({ apiKey: KEY, apiUrl }, clock).requests(retryAfter)
}

/** The settled results of requests that got no answer. */
const unanswered = (count: number) =>
  Array(count).fill({ status: 'rejected', reason: expect.any(StripeRequestError) })

it.each<Trouble>([
  'resets',
  { status: 200, body: '<html>' },
  { status: 200, body: 'null' },
  { status: 200, body: '{}' },
  { status: 200, body: '{"id":"OTHER","object":"coupon","valid":true}' },
  { status: 404, body: '<html>' },
  { status: 404, body: '{"error":"Not Found"}' },
  { status: 404, body: '{"error":{"type":"invalid_request_error"}}' },
])('contract T2, T3: %j counts as no answer, whatever the request', async (trouble) => {
  stripe.trouble = () => trouble
  const ask = requestsTo(stripe.url)
  const all = [ask.coupon('C'), ask.knowsEvent('evt_1'), ask.events(0), ask.codes('SALE')]
  expect(await Promise.allSettled<unknown>(all)).toEqual(unanswered(4))
})

it.each<Trouble>([
  { status: 404 },
  { status: 200, body: '{"data":null,"has_more":false}' },
  { status: 200, body: '{"data":[{}]}' },
])('contract T4, T7: %j counts as no answer to a request for a list', async (trouble) => {
  stripe.trouble = () => trouble
  const ask = requestsTo(stripe.url)
  const all = [ask.events(0), ask.codes('SALE')]
  expect(await Promise.allSettled<unknown>(all)).toEqual(unanswered(2))
})

it.each(['[null]', '[{}]', '["SALE"]'])(
  "contract T7: %s doesn't count as a list of promotion codes",
  async (data) => {
    stripe.trouble = () => ({ status: 200, body: `{"data":${data},"has_more":false}` })
    const answer = requestsTo(stripe.url).codes('SALE')
    expect(await Promise.allSettled([answer])).toEqual(unanswered(1))
  },
)

it("contract T2: the error says why Stripe can't be reached", async () => {
  const { coupon } = requestsTo(`http://127.0.0.1:${await freePort()}`)
  await expect(coupon('C')).rejects.toThrow("Stripe can't be reached (ECONNREFUSED)")
})

it('contract T3: the client stops reading an endless response after about 8 MiB, and counts it as no answer', async () => {
  let sent = 0
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"id":"C","a":"')
    const chunk = Buffer.alloc(1 << 20, 'a')
    const more = () => {
      while (!response.destroyed && sent < 100 << 20) {
        sent += chunk.length
        if (!response.write(chunk)) return response.once('drain', more)
      }
    }
    more()
  })
  const { coupon } = requestsTo(`http://127.0.0.1:${await listen(server)}`)
  await expect(coupon('C')).rejects.toThrow("can't be reached")
  // By then, the server has sent more than the client has read.
  expect(sent).toBeLessThan(32 << 20)
})
