import Stripe from 'stripe'
import type { WireAnnouncement } from '../src/core/announcement.ts'
import type { Clock } from '../src/core/clock.ts'
import type { WireHistoryEntry } from '../src/core/history.ts'
import { createPlacard, type Placard } from '../src/placard.ts'
import type { PlacardOptions } from '../src/placard-options.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { couponNotification, type SimulatedCoupon } from '../src/stripe/simulate.ts'
import { afterFile } from './after-file.ts'

export const API_SECRET = 'test-api-secret-0123456789'
export const STRIPE_SECRET = 'whsec_test-stripe-secret-0123456789'
export const SECRETS = { EVENT_API_SECRET: API_SECRET, STRIPE_WEBHOOK_SECRET: STRIPE_SECRET }

/** The smallest body that `POST /api/events` accepts. */
export const DRAFT = { text: 'We wrote about caching', type: 'post', slug: '/blog/caching' }

/** A service under test, wherever it runs. It must trust one proxy (`TRUST_PROXY=1`). */
export interface Mount {
  fetch(path: string, init?: RequestInit): Promise<Response>
  apiSecret: string
  stripeSecret: string
  /** Next.js redirects a trailing slash and fails on a broken escape before the service sees them. */
  inNext?: boolean
  /** The time by the service's clock: milliseconds since 1970. */
  now(): number
  close(): Promise<void>
}

/** A mount in this process, with its clock, its log and the service itself. Closed after the test file. */
export interface DirectMount extends Mount {
  placard: Placard
  clock: ManualClock
  log: CollectedLog
}

/** A clock that only the test moves. */
export interface ManualClock extends Clock {
  /** Lets time pass. */
  advance(ms: number): void
  /** Sets the wall clock, which may step back; the monotonic clock isn't affected. */
  set(now: number): void
}

export function manualClock(): ManualClock {
  let now = Date.UTC(2027, 0, 1)
  let monotonic = 1_000
  return {
    now: () => now,
    monotonic: () => monotonic,
    advance(ms) {
      now += ms
      monotonic += ms
    },
    set(to) {
      now = to
    },
  }
}

/** Time that also runs planned work when it is due. */
export interface TimedClock extends ManualClock {
  later(ms: number, work: () => unknown): () => void
  /** The planned work. */
  planned: ReadonlySet<unknown>
  /** Lets time pass, and waits for everything that is done meanwhile. */
  pass(ms: number): Promise<void>
}

export function timedClock(): TimedClock {
  const clock = manualClock()
  const planned = new Set<{ at: number; work: () => unknown }>()
  /** The effects of a response need turns of the event loop. */
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...clock,
    planned,
    later(ms, work) {
      // In whole milliseconds, like `setTimeout`. Postgres rejects a fraction in `now()`.
      const plan = { at: clock.monotonic() + Math.max(0, Math.trunc(ms)), work }
      planned.add(plan)
      return () => void planned.delete(plan)
    },
    async pass(ms) {
      const end = clock.monotonic() + ms
      for (;;) {
        await settle()
        const [next] = [...planned].toSorted((a, b) => a.at - b.at)
        if (!next || next.at > end) break
        planned.delete(next)
        clock.advance(Math.max(0, next.at - clock.monotonic()))
        await next.work()
      }
      clock.advance(Math.max(0, end - clock.monotonic()))
    },
  }
}

export interface CollectedLog {
  lines: { level: string; fields: Record<string, unknown>; message: string }[]
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export function collectedLog(): CollectedLog {
  const lines: CollectedLog['lines'] = []
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

export function makePlacard(
  store: Store,
  options: Partial<Omit<PlacardOptions, 'store' | 'clock' | 'log'>> = {},
  clock: ManualClock = manualClock(),
): DirectMount {
  const log = collectedLog()
  const placard = createPlacard({
    store,
    apiSecret: API_SECRET,
    stripeWebhookSecret: STRIPE_SECRET,
    trustProxy: 1,
    clock,
    log,
    ...options,
  })
  afterFile(placard.close)
  return {
    placard,
    clock,
    log,
    apiSecret: API_SECRET,
    stripeSecret: STRIPE_SECRET,
    now: clock.now,
    fetch: (path, init) => placard.fetch(new Request(`http://placard.test${path}`, init)),
    close: placard.close,
  }
}

/** A service with its database in memory. */
export const inMemory = (
  options?: Parameters<typeof makePlacard>[1],
  clock?: ManualClock,
): DirectMount => makePlacard(sqliteStore(':memory:'), options, clock)

/** A service that listens somewhere, known only by its address and its two secrets. */
export function httpMount(
  url: string,
  apiSecret = API_SECRET,
  stripeSecret = STRIPE_SECRET,
): Mount {
  return {
    fetch: (path, init) => fetch(`${url}${path}`, init),
    apiSecret,
    stripeSecret,
    now: Date.now,
    async close() {},
  }
}

let address = Math.floor(Math.random() * 0xff_ffff)

/** An address that no other request of this run comes from, so none of its allowance is used up. */
export function nextAddress(): string {
  address = (address + 1) % 0xff_ffff
  return `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
}

export type Extra = Record<string, string | undefined>
export type Body = NonNullable<RequestInit['body']>

/** Leaves out headers without a value. */
const given = (headers: Extra) =>
  Object.entries(headers).filter((header): header is [string, string] => !!header[1])

/** A valid write, from an address of its own unless `extra` says otherwise. */
export function write(
  mount: Mount,
  method: 'POST' | 'PUT' | 'DELETE',
  body: unknown,
  extra: Extra = {},
  path = '/api/events',
): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${mount.apiSecret}`,
    'Content-Type': body === undefined ? undefined : 'application/json',
    'X-Forwarded-For': nextAddress(),
    ...extra,
  }
  const isStream = body instanceof ReadableStream
  const isRaw = isStream || typeof body === 'string' || body instanceof Uint8Array
  return mount.fetch(path, {
    method,
    headers: given(headers),
    ...(body !== undefined && { body: isRaw ? (body as Body) : JSON.stringify(body) }),
    ...(isStream && { duplex: 'half' }),
  } as RequestInit)
}

export const publish = (mount: Mount, body: unknown = DRAFT, extra?: Extra) =>
  write(mount, 'POST', body, extra)

export const withdraw = (mount: Mount, body: unknown, extra?: Extra) =>
  write(mount, 'DELETE', body, extra)

/** A read that only the owner may make, from an address of its own unless `extra` says otherwise. */
export const readOwned = (mount: Mount, path: string, extra: Extra = {}): Promise<Response> =>
  mount.fetch(path, {
    headers: given({
      Authorization: `Bearer ${mount.apiSecret}`,
      'X-Forwarded-For': nextAddress(),
      ...extra,
    }),
  })

/** The history, newest first. */
export async function historyOf(mount: Mount, query = ''): Promise<WireHistoryEntry[]> {
  return (await (await readOwned(mount, `/api/events/history${query}`)).json()).entries
}

/** Undoes an entry of the history, or the last one. */
export const undo = (mount: Mount, id?: string, extra?: Extra) =>
  write(mount, 'POST', id === undefined ? {} : { id }, extra, '/api/events/undo')

/** Sends a tick, as a platform without a lasting process does (contract N3). */
export const tick = (mount: Mount, extra?: Extra) =>
  write(mount, 'POST', undefined, extra, '/api/events/tick')

export const put = (mount: Mount, id: unknown, body: unknown, extra?: Extra) =>
  write(mount, 'PUT', body, extra, `/api/events/${id}`)

/** The status of a response, together with its body. */
export async function answerOf(answer: Promise<Response>) {
  const response = await answer
  return { status: response.status, ...(await response.json()) }
}

/** The id of the published announcement, from the response. @throws if nothing was published */
export function idOf({ headers, status }: Response): string {
  const id = headers.get('placard-event-id')
  if (id === null) throw new Error(`Nothing was published: ${status}`)
  return id
}

export async function current(mount: Mount): Promise<WireAnnouncement | null> {
  const response = await mount.fetch('/api/events')
  return (await response.json()).event
}

/** What subscribers hear from now on: the text after each change, or `undefined` for none. */
export function told({ placard }: Pick<DirectMount, 'placard'>): (string | undefined)[] {
  const texts: (string | undefined)[] = []
  placard.subscribe(({ event }) => texts.push(event?.text))
  return texts
}

/** Takes everything down, so that a test on a shared service starts in the same state. */
export async function clear(mount: Mount): Promise<void> {
  for (const type of ['post', 'coupon', 'product']) await withdraw(mount, { type })
}

/** A body's `Stripe-Signature`, made by Stripe's own package. */
export function sign(payload: string, secret: string, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1000)
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
}

/** Delivers a notification as Stripe does: signed now, no matter when it was created. */
export function notify(mount: Mount, notification: unknown, extra: Extra = {}): Promise<Response> {
  const payload = typeof notification === 'string' ? notification : JSON.stringify(notification)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Stripe-Signature': sign(payload, mount.stripeSecret, mount.now()),
    ...extra,
  }
  return mount.fetch('/api/webhooks', { method: 'POST', headers: given(headers), body: payload })
}

// Counts from the current time in milliseconds, as if these were seconds: on a service that remembers earlier
// runs, each notification is still newer than all before it.
let created = Date.now()

/** A coupon notification that is newer than every other, unless the parts say otherwise. */
export function coupon(
  type: 'created' | 'updated' | 'deleted',
  options: SimulatedCoupon = {},
  at = ++created,
  id?: string,
) {
  return couponNotification(`coupon.${type}`, { valid: true, ...options }, at, id)
}
