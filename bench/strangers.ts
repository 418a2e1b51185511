import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Stripe from 'stripe'
import { couponNotification } from '../src/stripe/simulate.ts'
import { startCluster } from '../test/postgres/cluster.ts'
import {
  clientAddress,
  onCore,
  publish,
  resident,
  SIGNING_SECRET,
  startPlacard,
} from './processes.ts'
import { atMost, median, percentile, type Row } from './report.ts'

/** The names of the pipelined requests, by their keys in `stranger.ts`. */
const PIPELINED = {
  readyz: '`/readyz`',
  reads: 'read',
  writes: 'write',
  notifications: 'notification',
}

/** Measures what other clients notice while one client without a credential does its worst. */
export async function benchStrangers(
  seconds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const cluster = await startCluster()
  const stores = { SQLite: {}, Postgres: { DATABASE_URL: cluster.url() } }
  const rows: Row[] = []
  try {
    for (const [store, env] of Object.entries(stores)) {
      for (const [asked, name] of Object.entries(PIPELINED)) {
        const what = `pipelined ${name} requests, ${store}`
        progress(`strangers: ${what}`)
        const seen = await beside(['pipeline', asked], env, seconds)
        rows.push(
          atMost(20, `${what}: concurrent GET, p50`, median(seen.gets), 'ms'),
          atMost(1_000, `${what}: slowest concurrent POST`, Math.max(...seen.writes), 'ms'),
          atMost(150, `${what}: peak resident memory`, seen.most, 'MiB'),
        )
      }
    }
  } finally {
    await cluster.remove()
  }
  progress('strangers: notifications that are begun and not ended')
  const halves = await beside(['halves', '1500'], {}, seconds)
  progress('strangers: the same without them')
  const calm = await beside(['halves', '0'], {}, seconds)
  progress('strangers: forged notifications')
  const forged = await beside(['forged', '150'], {}, seconds)
  rows.push(
    {
      ...atMost(40, '1,500 half-sent notifications: added memory', halves.most - calm.most, 'MiB'),
      reference: `the same requests without them, ${calm.most.toFixed(0)} MiB`,
    },
    atMost(
      1000,
      '1,500 half-sent notifications: slowest genuine one',
      Math.max(...halves.notices),
      'ms',
    ),
    atMost(
      20,
      '150 forged notifications per second: concurrent GET, p99',
      percentile(forged.gets, 0.99),
      'ms',
    ),
  )
  return rows
}

/** Reads and writes normally while a stranger attacks. A failed request counts as infinitely slow. */
async function beside(stranger: string[], env: Record<string, string>, seconds: number) {
  const placard = await startPlacard({ TRUST_PROXY: '1', ...env })
  const gets: number[] = []
  const writes: number[] = []
  const notices: number[] = []
  let other: ChildProcess | undefined
  try {
    // The first request of each kind loads code, which mustn't count against the stranger.
    for (const ask of [get, post, notify]) await ask(placard.url)
    // This resets the peak of resident memory, so the system measures it from here on.
    writeFileSync(`/proc/${placard.pid}/clear_refs`, '5')
    const program = join(import.meta.dirname, 'stranger.ts')
    const [name, args] = onCore(1, ['node', program, placard.url, ...stranger])
    other = spawn(name, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    if (other.stdout) await once(other.stdout, 'data')
    const end = performance.now() + seconds * 1000
    const again = async (
      times: number[],
      ask: (url: string) => Promise<boolean>,
      pause: number,
    ) => {
      while (performance.now() < end) {
        const asked = performance.now()
        const answered = await ask(placard.url).catch(() => false)
        times.push(answered ? performance.now() - asked : Number.POSITIVE_INFINITY)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
    await Promise.all([again(gets, get, 5), again(writes, post, 100), again(notices, notify, 100)])
    return { gets, writes, notices, most: resident(placard.pid, 'VmHWM') }
  } finally {
    other?.kill('SIGKILL')
    await placard.stop()
  }
}

async function get(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/events`)
  await response.arrayBuffer()
  return response.status === 200
}

let count = 0

async function post(url: string): Promise<boolean> {
  await publish(url, 'Beside a stranger', clientAddress(count++))
  return true
}

export async function notify(url: string): Promise<boolean> {
  // The current milliseconds serve as `created`, so each notification is newer than the last.
  const notification = couponNotification('coupon.updated', { valid: true }, Date.now())
  const payload = JSON.stringify(notification)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SIGNING_SECRET })
  const response = await fetch(`${url}/api/webhooks`, {
    method: 'POST',
    headers: { 'Stripe-Signature': signature },
    body: payload,
  })
  await response.arrayBuffer()
  return response.status === 200
}
