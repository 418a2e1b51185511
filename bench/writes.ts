import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { createPlacard, type Placard } from '../src/entries/index.ts'
import { openDatabase, sqliteStore } from '../src/store/sqlite.ts'
import { couponNotification } from '../src/stripe/simulate.ts'
import { clientAddress, SECRET, SIGNING_SECRET } from './processes.ts'
import { median, type Row } from './report.ts'

type Reference = 'bare' | 'bareNotification'
type Kind = 'publish' | 'post' | 'together' | 'notification'

const CLIENTS = 16
/** How many requests are prepared in advance. More would keep the garbage collector busy. */
const AHEAD = 10 * CLIENTS
const REFERENCE = 'the same commit in a bare loop'

/** Compares durable writes and notifications with the disk's own speed, and counts stale reads. */
export async function benchWrites(
  { rounds, writes }: { rounds: number; writes: number },
  progress: (text: string) => void,
): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'placard-bench-'))
  const placard = createPlacard({
    store: sqliteStore(join(directory, 'placard.db')),
    apiSecret: SECRET,
    stripeWebhookSecret: SIGNING_SECRET,
  })
  const bare = await bareLoops(join(directory, 'bare.db'))
  const speeds: Record<Reference | Kind, number[]> = {
    bare: [],
    bareNotification: [],
    publish: [],
    post: [],
    together: [],
    notification: [],
  }
  let stale = 0
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [name, write] of [
        ['bare', bare.write],
        ['bareNotification', bare.notification],
        ['publish', (i: number) => publish(placard, i)],
        ['post', (i: number) => post(placard, i)],
        ['together', (i: number) => post(placard, writes * 100 + i)],
        ['notification', (i: number) => notify(placard, i)],
      ] as const) {
        progress(`writes: round ${round}/${rounds}, ${name}`)
        let elapsed = 0
        for (let done = 0; done < writes; done += AHEAD) {
          // The client's work, creating and signing requests, isn't measured.
          const length = Math.min(AHEAD, writes - done)
          const prepared = Array.from({ length }, (_, i) => write(round * writes + done + i))
          const started = performance.now()
          const next = prepared.values()
          const client = async () => {
            for (const perform of next) await perform()
          }
          await Promise.all(Array.from({ length: name === 'together' ? CLIENTS : 1 }, client))
          elapsed += performance.now() - started
        }
        // The first round warms up.
        if (round > 0) speeds[name].push((writes / elapsed) * 1000)
      }
    }
    stale = await countStale(placard, progress)
  } finally {
    await placard.close()
    bare.close()
    rmSync(directory, { recursive: true })
  }
  const row = (what: string, name: Kind): Row => {
    const reference = speeds[name === 'notification' ? 'bareNotification' : 'bare']
    const ratio = median(speeds[name].map((speed, i) => speed / (reference[i] ?? Number.NaN)))
    return {
      what,
      value: `${Math.round(median(speeds[name])).toLocaleString('en')}/s`,
      reference: REFERENCE,
      ratio,
    }
  }
  return [
    row(`POST, durable, ${CLIENTS} clients`, 'together'),
    row('publish() in code, durable, one at a time', 'publish'),
    row('POST, durable, one at a time', 'post'),
    row('notifications, durable, one at a time', 'notification'),
    {
      what: `first GET after each of ${READS.toLocaleString('en')} writes`,
      value: `${stale} stale`,
      bound: '0',
      holds: stale === 0,
    },
  ]
}

function publish(placard: Placard, i: number): () => Promise<unknown> {
  return () => placard.publish({ text: `Write number ${i}`, type: 'post', slug: '/' })
}

function post(placard: Placard, i: number): () => Promise<void> {
  const request = new Request('http://bench/api/events', {
    method: 'POST',
    headers: { Authorization: `Bearer ${SECRET}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: `Write number ${i}`, type: 'post', slug: '/' }),
  })
  // The rate limit admits ten writes per address.
  const address = clientAddress(Math.floor(i / 10))
  return async () => {
    const { status } = await placard.fetch(request, { address })
    if (status !== 201) throw new Error(`POST answered ${status}`)
  }
}

function notify(placard: Placard, i: number): () => Promise<void> {
  const created = Math.floor(Date.now() / 1000)
  const payload = JSON.stringify(
    couponNotification('coupon.updated', { name: `Coupon ${i}` }, created),
  )
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SIGNING_SECRET })
  const request = new Request('http://bench/api/webhooks', {
    method: 'POST',
    headers: { 'Stripe-Signature': signature },
    body: payload,
  })
  return async () => {
    const { status } = await placard.fetch(request)
    if (status !== 200) throw new Error(`POST answered ${status}`)
  }
}

/**
 * The fastest possible single commits on this disk: the same rows in the same tables, with prepared statements and
 * nothing else.
 */
async function bareLoops(path: string) {
  const store = sqliteStore(path)
  await store.ping()
  await store.close()
  const database = openDatabase(path)
  const tick = database.prepare(
    'update placard_clock set last = case when last >= ? then last + 1 else ? end returning last',
  )
  const replace = database.prepare(`
    insert into placard_event (id, type, timestamp, expires_at, coupon, body)
    values (?, ?, ?, ?, ?, ?)
    on conflict (type) do update set id = excluded.id, timestamp = excluded.timestamp,
      expires_at = excluded.expires_at, coupon = excluded.coupon, body = excluded.body`)
  const note = database.prepare(`
    insert into placard_notification (id, type, created, coupon, effect, outcome, reason, received_at)
    values (?, ?, ?, ?, ?, ?, ?, ?)`)
  const commit = (type: string, i: number, before: (now: number) => void = () => {}) => {
    database.exec('begin immediate')
    const now = Date.now()
    const last = tick.get(now, now)?.last as number
    before(now)
    const body = JSON.stringify({ text: `Write number ${i}`, slug: '/' })
    replace.run(crypto.randomUUID(), type, last, null, null, body)
    database.exec('commit')
  }
  return {
    write: (i: number) => () => commit('post', i),
    notification: (i: number) => () =>
      commit('coupon', i, (now) => {
        const id = `evt_${crypto.randomUUID()}`
        note.run(id, 'coupon.updated', now, `coupon-${i}`, 'publish', 'published', null, now)
      }),
    close: () => database.close(),
  }
}

const READS = 10_000
const READERS = 8

/** Counts writes that the very next read doesn't show, while other clients keep reading. */
async function countStale(placard: Placard, progress: (text: string) => void): Promise<number> {
  let stale = 0
  let writing = true
  const read = async () => {
    const response = await placard.fetch(new Request('http://bench/api/events'))
    const { event } = await response.json()
    return event?.text as string | undefined
  }
  const crowd = Array.from({ length: READERS }, async () => {
    while (writing) {
      await read()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  for (let i = 0; i < READS; i++) {
    if (i % 1000 === 0)
      progress(`staleness: ${i.toLocaleString('en')} of ${READS.toLocaleString('en')}`)
    const text = `Read me ${i}`
    await placard.publish({ text, type: 'product', slug: '/' })
    if ((await read()) !== text) stale++
  }
  writing = false
  await Promise.all(crowd)
  return stale
}
