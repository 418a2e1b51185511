import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  codeShape,
  couponShape,
  type StoredCode,
  type StoredCoupon,
  type StripeEvent,
  type Version,
} from './shapes.ts'

/** What the fake does with a request instead of answering it properly. */
export type Trouble =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Accepts the request and never responds. */
  | 'hangs'
  /** Begins a response and never finishes it. */
  | 'trickles'
  /** Closes the connection. */
  | 'resets'

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

export const KEY = 'rk_test_51FakeKeyOfTheFakeStripe0123456789'

/** Metadata without `isFeatured`. */
export const NOT_FEATURED: Record<string, string> = {}
export const FEATURED = { isFeatured: 'true' }

/**
 * Starts a fake Stripe on a local port, with the endpoints that Placard calls.
 *
 * @param now the time by Stripe's clock: milliseconds since 1970
 * @param into the object to fill and return, so that earlier references to it stay valid
 */
export async function startFakeStripe(now: () => number, into = {}) {
  const coupons = new Map<string, StoredCoupon>()
  const codes = new Map<string, StoredCode>()
  const events: StripeEvent[] = []
  const seconds = () => Math.floor(now() / 1000)
  const hanging = new Set<ServerResponse>()
  let made = 0

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://stripe.test')
    const { authorization = '' } = request.headers
    response.setHeader('Date', new Date(now()).toUTCString())
    const path = decodeURIComponent(url.pathname)
    fake.asked.push({ at: now(), path, query: url.searchParams, authorization })
    const latency = fake.latency()
    if (typeof latency !== 'number') await latency
    else if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
    const trouble = fake.trouble(path)
    if (trouble === 'resets') return request.socket.destroy()
    if (trouble === 'hangs' || trouble === 'trickles') {
      if (trouble === 'trickles') response.writeHead(200).write('{"id":')
      return hanging.add(response)
    }
    if (trouble?.body !== undefined) {
      return response.writeHead(trouble.status, trouble.headers).end(trouble.body)
    }
    if (trouble) return refuse(response, trouble.status, authorization, trouble.headers)
    if (!fake.keys.has(authorization.slice('Bearer '.length))) {
      return refuse(response, 401, authorization)
    }
    if (path === '/v1/events') return answer(response, 200, listed(url.searchParams))
    if (path === '/v1/promotion_codes') {
      const data = codesNamed(url.searchParams.get('code') ?? '')
      return answer(response, 200, { object: 'list', url: path, has_more: false, data })
    }
    const [, kind, id = ''] = /^\/v1\/(coupons|events)\/(.+)$/.exec(path) ?? []
    const version = fake.version
    const coupon = kind === 'coupons' ? coupons.get(id) : undefined
    if (coupon) return answer(response, 200, couponShape(coupon, version, seconds()))
    const event = kind === 'events' ? events.find((one) => one.id === id) : undefined
    if (event) return answer(response, 200, event)
    return refuse(response, 404, authorization, {}, id)
  })

  /** A page of events, newest first, as Stripe lists them. */
  function listed(query: URLSearchParams) {
    const types = [...query].filter(([key]) => /^types\[/.test(key)).map(([, type]) => type)
    const since = Number(query.get('created[gte]') ?? 0)
    const limit = Number(query.get('limit') ?? 10)
    const oldest = seconds() - 30 * 86_400
    const all = events
      .filter(({ type, created }) => types.includes(type) && created >= Math.max(since, oldest))
      .toReversed()
    const after = query.get('starting_after')
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const page = all.slice(from, from + limit)
    const data = page.map((event) => (fake.garbled.has(event) ? fake.garbled.get(event) : event))
    return { object: 'list', url: '/v1/events', has_more: from + limit < all.length, data }
  }

  /** The codes with this name in any letter case, newest first. */
  function codesNamed(name: string) {
    return [...codes.values()]
      .filter(({ code }) => code.toLowerCase() === name.toLowerCase())
      .toReversed()
      .map(shapeOfCode)
  }

  function shapeOfCode(code: StoredCode) {
    return codeShape(code, find(code.coupon), fake.version, seconds())
  }

  function note(type: string, object: Record<string, unknown>, previous?: object): StripeEvent {
    const { version, livemode } = fake
    const id = `evt_${livemode ? 'live' : ''}${String(++made).padStart(8, '0')}`
    const request = `req_${id}`
    const event: StripeEvent = {
      ...{ id, object: 'event', api_version: version, created: seconds(), type, livemode },
      ...{ pending_webhooks: 1 },
      request: version === '2017-04-06' ? request : { id: request, idempotency_key: null },
      data: { object, ...(previous && { previous_attributes: { ...previous } }) },
    }
    events.push(event)
    return event
  }

  const shape = (coupon: StoredCoupon) => couponShape(coupon, fake.version, seconds())
  function find(id: string): StoredCoupon {
    const coupon = coupons.get(id)
    if (!coupon) throw new Error(`There is no coupon ${id}`)
    return coupon
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const fake = Object.assign(into, {
    /** The value of `STRIPE_API_URL`. */
    url: `http://127.0.0.1:${port}`,
    /** The API keys that the fake accepts. */
    keys: new Set([KEY]),
    /** Replace this to cause trouble for requests with some paths. */
    trouble: (_path: string): Trouble | undefined => undefined,
    /** How long each response is delayed, in ms. */
    latency: (): number | Promise<void> => 0,
    version: '2026-10-28.endive' as Version,
    /** The mode of objects and events created from now on. */
    livemode: false,
    /** Every request that the fake has received, answered or not. */
    asked: [] as { at: number; path: string; query: URLSearchParams; authorization: string }[],
    /** What the list of events contains instead of an event. */
    garbled: new Map<StripeEvent, unknown>(),
    coupons,
    codes: codes as ReadonlyMap<string, StoredCode>,
    create(parts: Partial<StoredCoupon>): StripeEvent {
      const coupon: StoredCoupon = {
        id: `COUPON${made}`,
        name: null,
        created: seconds(),
        percentOff: 25,
        metadata: FEATURED,
        redeemBy: null,
        maxRedemptions: null,
        timesRedeemed: 0,
        livemode: fake.livemode,
        ...parts,
      }
      coupons.set(coupon.id, coupon)
      return note('coupon.created', shape(coupon))
    },
    edit(id: string, parts: Pick<Partial<StoredCoupon>, 'name' | 'metadata'>): StripeEvent {
      const coupon = find(id)
      const previous = Object.fromEntries(
        Object.keys(parts).map((key) => [key, coupon[key as keyof typeof parts]]),
      )
      Object.assign(coupon, parts)
      return note('coupon.updated', shape(coupon), previous)
    },
    /** A customer redeems the coupon. Stripe sends a notification about the sale, but not always about the coupon. */
    redeem(id: string, times = 1): StripeEvent {
      find(id).timesRedeemed += times
      return note('checkout.session.completed', {
        id: `cs_test_${made}`,
        object: 'checkout.session',
        status: 'complete',
        discounts: [{ coupon: id, promotion_code: null }],
      })
    },
    remove(id: string): StripeEvent {
      const coupon = find(id)
      const event = note('coupon.deleted', shape(coupon))
      coupons.delete(id)
      for (const one of codes.values()) if (one.coupon === id) codes.delete(one.id)
      return event
    },
    /** Creates a promotion code for a coupon. Pass an `id` if several have the same name. */
    createCode(coupon: string, code: string, parts: Partial<StoredCode> = {}): StripeEvent {
      const one: StoredCode = {
        id: `promo_${++made}`,
        ...{ code, coupon, active: true, customer: null, expiresAt: null },
        ...{ maxRedemptions: null, timesRedeemed: 0, livemode: fake.livemode },
        ...parts,
      }
      codes.set(one.id, one)
      return note('promotion_code.created', shapeOfCode(one))
    },
    editCode(id: string, parts: Partial<StoredCode>): StripeEvent {
      const code = codes.get(id)
      if (!code) throw new Error(`There is no promotion code ${id}`)
      Object.assign(code, parts)
      return note('promotion_code.updated', shapeOfCode(code))
    },
    async close(): Promise<void> {
      for (const response of hanging) response.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
  return fake
}

/** Sends an error like Stripe's, except that it repeats the whole key; Stripe repeats only part of it. */
function refuse(
  response: ServerResponse,
  status: number,
  authorization: string,
  headers: Record<string, string> = {},
  id = '',
) {
  const message =
    status === 404 ? `No such object: '${id}'` : `Refused: ${authorization.slice('Bearer '.length)}`
  const error = {
    type: status >= 500 ? 'api_error' : 'invalid_request_error',
    message,
    ...(status === 404 && { code: 'resource_missing', param: 'id' }),
    ...(status === 429 && { code: 'rate_limit' }),
  }
  answer(response, status, { error }, headers)
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
