import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/free-port.ts'
import { startCluster } from '../test/postgres/cluster.ts'
import { PURGE_TOKEN, startVarnish, varnishIsMissing } from '../test/proxies/varnish-server.ts'
import { load } from './load.ts'
import { startMicroCache, startStatic } from './nginx.ts'
import {
  clientAddress,
  has,
  liveText,
  onCore,
  publish,
  SECRET,
  startBare,
  startPlacard,
  type Target,
} from './processes.ts'
import { median, type Row } from './report.ts'

export interface EdgeOptions {
  rounds: number
  seconds: number
  /** How many changes are made, each followed by a read. */
  changes: number
  progress(text: string): void
}

const READERS = 16

/** Measures a cache set up as in the guide: throughput, requests to the service, and stale responses. */
export async function benchEdge(options: EdgeOptions): Promise<Row[]> {
  return [...(await throughNginx(options)), ...(await throughVarnish(options))]
}

async function throughVarnish(options: EdgeOptions): Promise<Row[]> {
  if (varnishIsMissing) {
    return [{ what: 'reads through Varnish', value: 'Varnish is not installed' }]
  }
  const one = await withFront([{}], async (front, [node]) => [
    ...(await reads(front, node as Target, options)),
    await firstReads(front, 'one node', options),
  ])
  const cluster = await startCluster()
  try {
    const env = { DATABASE_URL: cluster.url() }
    return [
      ...one,
      ...(await withFront([env, env], async (front) => [
        await firstReads(front, 'two nodes', options),
      ])),
    ]
  } finally {
    await cluster.remove()
  }
}

/** Runs Varnish in front of one node for each of these settings. */
async function withFront<T>(
  settings: readonly Record<string, string>[],
  measure: (front: string, nodes: readonly Target[]) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const front = `http://127.0.0.1:${port}`
  const nodes: Target[] = []
  const directory = mkdtempSync(join(tmpdir(), 'placard-edge-'))
  let stop = async () => {}
  try {
    for (const env of settings) {
      const edge = { PURGE: `varnish:${front}`, PURGE_TOKEN, TRUST_PROXY: '2' }
      nodes.push(await startPlacard({ ...edge, ...env }))
    }
    const ports = nodes.map(({ url }) => Number(new URL(url).port)) as [number] | [number, number]
    const prefix = onCore(0, [])
    stop = await startVarnish({ directory, port, nodes: ports, prefix: prefix.flat() })
    return await measure(front, nodes)
  } finally {
    for (const node of nodes) await node.stop()
    await stop()
    rmSync(directory, { recursive: true })
  }
}

/** Compares Varnish in front of Placard with Varnish in front of the same bytes, which it may cache for a day. */
async function reads(front: string, node: Target, options: EdgeOptions): Promise<Row[]> {
  await publish(front, 'Black Friday: 25% off', '10.9.0.1')
  const { headers, body } = await copied(front)
  const unchanging = { ...headers, 'Surrogate-Control': 'max-age=86400' }
  const file = await startBare({ headers: unchanging, body, etag: '"file"', unchanged: {} })
  const directory = mkdtempSync(join(tmpdir(), 'placard-edge-'))
  const port = await freePort()
  const nodes = [Number(new URL(file.url).port)] as const
  const stop = await startVarnish({ directory, port, nodes, prefix: onCore(0, []).flat() })
  try {
    const { rate, ratio } = inTurns(
      `${front}/api/events`,
      `http://127.0.0.1:${port}/`,
      'through Varnish',
      options,
    )
    const before = await readsOf(node)
    load(`${front}/api/events`, 10)
    const asked = (await readsOf(node)) - before
    return [
      {
        what: 'GET /api/events through Varnish, responses per second',
        value: `${rate.toLocaleString('en')}/s`,
        reference: 'Varnish, the same bytes that never change',
        ratio,
        bound: '≥ 0.9',
        holds: ratio >= 0.9,
      },
      {
        what: '10 s of reads through Varnish, requests that reach the service',
        value: String(asked),
        bound: '≤ 2',
        holds: asked <= 2,
      },
    ]
  } finally {
    await stop()
    await file.stop()
    rmSync(directory, { recursive: true })
  }
}

/** Compares nginx that keeps a response for a second with nginx that serves the same body from a file. */
async function throughNginx(options: EdgeOptions): Promise<Row[]> {
  if (!has('nginx')) return [{ what: 'reads through nginx', value: 'nginx is not installed' }]
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  await publish(placard.url, 'Black Friday: 25% off', '10.9.0.1')
  const front = await startMicroCache(placard)
  const file = await startStatic((await copied(placard.url)).body)
  try {
    const { rate, ratio } = inTurns(`${front.url}/api/events`, file.url, 'through nginx', options)
    return [
      {
        what: 'GET /api/events through nginx, cached for a second, responses per second',
        value: `${rate.toLocaleString('en')}/s`,
        reference: 'nginx, the same body from a file',
        ratio,
      },
    ]
  } finally {
    await front.stop()
    await file.stop()
    await placard.stop()
  }
}

/** The body of the API's read, and its content type. */
async function copied(url: string) {
  const answer = await fetch(`${url}/api/events`)
  const type = answer.headers.get('content-type') ?? ''
  return { headers: { 'Content-Type': type }, body: await answer.text() }
}

/** Returns the median rate of the first address, and the median ratio of its rate to the second's in the same round. */
function inTurns(
  first: string,
  second: string,
  what: string,
  { rounds, seconds, progress }: EdgeOptions,
): { rate: number; ratio: number } {
  const rates: number[] = []
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round++) {
    progress(`${what}: round ${round}/${rounds}`)
    const one = load(first, seconds).rate
    const other = load(second, seconds).rate
    // The first round warms up.
    if (round === 0) continue
    rates.push(one)
    ratios.push(one / other)
  }
  return { rate: Math.round(median(rates)), ratio: median(ratios) }
}

/** How many reads a service has answered. */
async function readsOf({ url }: Target): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${SECRET}` } })
  const count = /^placard_reads_total (\d+)$/m.exec(await answer.text())?.[1]
  if (count === undefined) throw new Error(`/metrics answered ${answer.status}`)
  return Number(count)
}

/** Counts the changes that the very next read doesn't show, while other clients read. */
async function firstReads(
  front: string,
  nodes: string,
  { changes, progress }: EdgeOptions,
): Promise<Row> {
  let stale = 0
  let changing = true
  const crowd = Array.from({ length: READERS }, async () => {
    while (changing) await liveText(front)
  })
  for (let i = 0; i < changes; i++) {
    if (i % 500 === 0) progress(`changes through Varnish, ${nodes}: ${i} of ${changes}`)
    const text = `Change ${i}`
    // The rate limit admits ten writes per address.
    await publish(front, text, clientAddress(Math.floor(i / 10)))
    if ((await liveText(front)) !== text) stale++
  }
  changing = false
  await Promise.all(crowd)
  return {
    what: `first read through Varnish after each of ${changes.toLocaleString('en')} changes, ${nodes}`,
    value: `${stale} stale`,
    bound: '0',
    holds: stale === 0,
  }
}
