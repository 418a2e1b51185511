import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type Load, load } from './load.ts'
import { startStatic } from './nginx.ts'
import { has, publish, startBare, startPlacard, type Target } from './processes.ts'
import { median, type Row } from './report.ts'

export interface RoundOptions {
  /** How many rounds count. In each, every server answers for a second. */
  rounds: number
  progress(text: string): void
}

export interface ReadOptions extends RoundOptions {
  /**
   * How many times all servers are started, each time for `rounds` rounds. Of two processes of the same program, one
   * can stay up to 5% faster.
   */
  starts: number
}

/**
 * Rounds that don't count. In the first of them, the compiler still runs on the server's core and stops the server for
 * up to 20 ms at a time. The compiler does so once more when all connections first close.
 */
const WARM_UP = 3

/** Loads by request, then by server. */
type Loads = Map<string, Record<string, Load[]>>

/** Compares reads with bare `node:http` that sends the same bytes. The servers take turns within each round. */
export async function benchReads(options: ReadOptions): Promise<Row[]> {
  const loads: Loads = new Map()
  for (let start = 1; start <= options.starts; start++) {
    const progress = (text: string) => options.progress(`start ${start}/${options.starts}, ${text}`)
    const placard = await startPlacard()
    try {
      const fields = { type: 'coupon', slug: '#coupon' }
      await publish(placard.url, 'Black Friday: 25% off', '10.0.0.1', fields)
      for (const path of ['/embed.js', '/embed.json?lang=de', '/', '/api/events']) {
        await compare(placard, path, loads, { ...options, progress })
      }
    } finally {
      await placard.stop()
    }
  }
  return [...loads].flatMap(([what, measured]) => rowsOf(what, measured))
}

async function compare(placard: Target, path: string, loads: Loads, options: RoundOptions) {
  const url = placard.url + path
  // Browsers ask for gzip, except through some proxies.
  for (const coding of path === '/api/events' ? ['identity'] : ['gzip', 'identity']) {
    const headers = { 'Accept-Encoding': coding }
    const { full, bytes } = await raw(url, headers)
    const etag = full.etag ?? ''
    const unchanged = await raw(url, { ...headers, 'If-None-Match': etag })
    const bare = await startBare({
      headers: written(full),
      body: bytes.toString('base64'),
      encoding: 'base64',
      etag,
      unchanged: written(unchanged.full),
    })
    const isEvent = path === '/api/events' && has('nginx')
    const nginx = isEvent ? await startStatic(bytes.toString()) : undefined
    try {
      const both = { placard: url, bare: bare.url }
      // Node is slower right after another Node process than after nginx. In this order, each of the two follows the
      // other as often as it follows nginx.
      const all = nginx ? { memory: `${nginx.url}/memory`, ...both, file: nginx.url } : both
      const name = coding === 'gzip' ? `${path} gzip` : path
      run(`${name} 200`, all, headers, loads, options)
      run(`${name} 304`, both, { ...headers, 'If-None-Match': etag }, loads, options)
    } finally {
      await bare.stop()
      await nginx?.stop()
    }
  }
}

/** Reads a response as it is on the wire: `fetch` would decompress it. */
async function raw(url: string, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  const bytes = Buffer.concat(await response.toArray())
  const full = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  )
  return { full, bytes }
}

/** Headers that every server writes by itself. */
const CONNECTION = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

function written(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION.has(name)))
}

function run(
  what: string,
  targets: Record<string, string>,
  headers: Record<string, string>,
  loads: Loads,
  { rounds, progress }: RoundOptions,
): void {
  const measured = loads.get(what) ?? {}
  loads.set(what, measured)
  let last = ''
  for (let round = 1 - WARM_UP; round <= rounds; round++) {
    const order = Object.entries(targets)
    // The machine's speed varies over time, so no server always comes first.
    if (round % 2 === 0) order.reverse()
    for (const [name, url] of order) {
      progress(`${what}: round ${Math.max(round, 0)}/${rounds}, ${name}${last}`)
      const one = load(url, 1, headers)
      last = ` (before: ${Math.round(one.rate).toLocaleString('en')}/s, p99 ${one.p99} ms)`
      if (round > 0) measured[name] = [...(measured[name] ?? []), one]
    }
  }
}

function rowsOf(what: string, loads: Record<string, Load[]>): Row[] {
  const of = (name: string, key: keyof Load) => (loads[name] ?? []).map((entry) => entry[key])
  const ratio = (key: keyof Load, name: string) =>
    median(of('placard', key).map((value, i) => value / (of(name, key)[i] ?? Number.NaN)))
  const bound = what.startsWith('/api/events') ? 0.92 : 0.9
  const rate = Math.round(median(of('placard', 'rate')))
  const rows: Row[] = [
    {
      what: `GET ${what}, responses per second`,
      value: `${rate.toLocaleString('en')}/s`,
      reference: 'bare node:http',
      ratio: ratio('rate', 'bare'),
      bound: `≥ ${bound}`,
      holds: ratio('rate', 'bare') >= bound,
    },
    {
      what: `GET ${what}, p99`,
      value: `${median(of('placard', 'p99')).toFixed(2)} ms`,
      reference: 'bare node:http',
      ratio: ratio('p99', 'bare'),
      bound: '≤ 1.2',
      holds: ratio('p99', 'bare') <= 1.2,
    },
  ]
  for (const [name, reference] of [
    ['memory', 'nginx, the same body from memory'],
    ['file', 'nginx, the same body from a file'],
  ] as const) {
    if (!loads[name]) continue
    rows.push({
      what: `GET ${what}, responses per second`,
      value: `${rate.toLocaleString('en')}/s`,
      reference,
      ratio: ratio('rate', name),
    })
  }
  return rows
}
