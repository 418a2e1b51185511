import { startCluster } from '../test/postgres/cluster.ts'
import { clientAddress, publish, resident, SECRET, startPlacard } from './processes.ts'
import { atMost, type Row } from './report.ts'
import { notify } from './strangers.ts'

const CLIENTS = 8
const STREAMS = 100
/** How often a new stream is opened. Once all are open, the oldest is closed at the same time. */
const STREAM_EVERY_MS = 50

/** Measures a service's memory after minutes of mixed requests, while streams open and close. */
export async function benchMixed(
  seconds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  progress(`mixed work on both stores: ${seconds} s`)
  const cluster = await startCluster()
  const stores = { SQLite: {}, Postgres: { DATABASE_URL: cluster.url() } }
  try {
    const both = Object.entries(stores).map(([store, env]) => mixed(store, env, seconds))
    return (await Promise.all(both)).flat()
  } finally {
    await cluster.remove()
  }
}

async function mixed(store: string, env: Record<string, string>, seconds: number): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1', ...env })
  const { url, pid } = placard
  const now = () => performance.now()
  const end = now() + seconds * 1000
  let halfway = Number.NaN
  let asked = 0
  const client = async () => {
    while (now() < end) {
      for (const ask of ASKS) await ask(url)
      asked += ASKS.length
      if (now() > end - seconds * 500) halfway ||= resident(pid)
    }
  }
  try {
    await Promise.all([streams(url, end), ...Array.from({ length: CLIENTS }, client)])
    const after = resident(pid)
    const what = `${seconds} s of mixed work, ${store}`
    return [
      { what: `${what}: requests`, value: asked.toLocaleString('en') },
      atMost(170, `${what}: resident memory`, after, 'MiB'),
      atMost(10, `${what}: memory growth in the second half`, after - halfway, 'MiB', 0),
      atMost(256, `${what}: peak memory`, resident(pid, 'VmHWM'), 'MiB'),
    ]
  } finally {
    await placard.stop()
  }
}

/** Keeps a number of streams open, and keeps replacing the oldest with a new one. */
async function streams(url: string, end: number): Promise<void> {
  const open: AbortController[] = []
  while (performance.now() < end) {
    const stream = new AbortController()
    open.push(stream)
    fetch(`${url}/api/events/stream`, stream).then(drain, () => {})
    if (open.length > STREAMS) open.shift()?.abort()
    await new Promise((resolve) => setTimeout(resolve, STREAM_EVERY_MS))
  }
  for (const stream of open) stream.abort()
}

async function drain(response: Response): Promise<void> {
  await response.body?.pipeTo(new WritableStream()).catch(() => {})
}

let count = 0
const address = () => clientAddress(count++)

const get =
  (path: string, headers: Record<string, string> = {}) =>
  (url: string) =>
    send(url, path, { headers: { ...headers, 'X-Forwarded-For': address() } })

const bearer = { Authorization: `Bearer ${SECRET}` }
const json = { ...bearer, 'Content-Type': 'application/json' }

const write = (method: string, path: string, body: () => object) => (url: string) => {
  const headers = { ...json, 'X-Forwarded-For': address() }
  return send(url, path, { method, headers, body: JSON.stringify(body()) })
}

async function send(url: string, path: string, init: RequestInit): Promise<void> {
  const response = await fetch(url + path, init)
  await response.arrayBuffer()
  if (response.status >= 500) throw new Error(`${path} answered ${response.status}`)
}

const later = () => ({
  text: 'What comes next',
  type: 'product',
  slug: '/next',
  startsAt: Date.now() + 3_600_000,
})

/** The requests that each client makes in turn. */
const ASKS: ((url: string) => Promise<unknown>)[] = [
  (url) => publish(url, `Round ${count}`, address()),
  get('/api/events'),
  get('/api/events', { 'If-None-Match': '"another"' }),
  get('/'),
  get('/?lang=ar', { 'Accept-Encoding': 'identity' }),
  get('/embed.json?lang=de'),
  get('/placard.css'),
  get('/embed.js'),
  get('/api/openapi.json'),
  get('/nowhere'),
  get('/healthz'),
  get('/readyz'),
  get('/metrics', bearer),
  get('/api/doctor', bearer),
  get('/api/events/history?limit=20', bearer),
  get('/api/events/slots', bearer),
  get('/admin'),
  write('POST', '/api/events', later),
  get('/api/events/scheduled', bearer),
  write('POST', '/api/events/undo', () => ({})),
  notify,
  write('DELETE', '/api/events', () => ({ type: 'coupon' })),
  write('POST', '/api/events', () => ({ text: 'x' })),
  get('/api/events/history', { Authorization: 'Bearer guessed' }),
]
