import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { descriptorLimit, RESERVED_DESCRIPTORS } from '../src/local/descriptors.ts'
import { startNchan } from './nchan.ts'
import { publish, resident, type Source, startPlacard } from './processes.ts'
import { atMost, median, percentile, type Row } from './report.ts'

/** How many times each server is started. */
const STARTS = 4
/** How long to wait until a server has finished the work that follows a start or a change. */
const SETTLED_MS = 1_500

/** Measures open pages on one process: their memory, how fast changes reach them, and what other readers notice. */
export async function benchStreams(
  count: number,
  changes: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const name = `${count.toLocaleString('en')} streams`
  const limit = descriptorLimit() ?? Number.POSITIVE_INFINITY
  if (limit < count + RESERVED_DESCRIPTORS) {
    return [{ what: name, value: `skipped: the limit of open files is ${limit}` }]
  }
  const ours: Measured[] = []
  const theirs: Measured[] = []
  // The servers take turns, because the machine's speed varies over time.
  for (let start = 1; start <= STARTS; start++) {
    const each = Math.ceil(changes / STARTS)
    ours.push(await measure(await startOurs(count), count, each, progress))
    const nchan = await startNchan(count)
    if (nchan) theirs.push(await measure(nchan, count, each, progress))
  }
  const of = (key: 'each' | 'kernel' | 'resident' | 'last') => median(ours.map((one) => one[key]))
  const beside = (key: 'each' | 'kernel' | 'last') =>
    theirs.length === 0
      ? {}
      : {
          reference: 'nginx with nchan',
          ratio: median(ours.map((one, i) => one[key] / (theirs[i]?.[key] ?? Number.NaN))),
        }
  const all = (key: 'waits' | 'gets' | 'writes') => ours.flatMap((one) => one[key])
  const p99 = (key: 'waits' | 'gets') => percentile(all(key), 0.99)
  const last = beside('last')
  return [
    { ...atMost(8, `${name}, memory above idle per stream`, of('each'), 'KiB'), ...beside('each') },
    ...(Number.isNaN(of('kernel'))
      ? []
      : [
          {
            what: `${name}, kernel memory per stream`,
            value: `${of('kernel').toFixed(1)} KiB`,
            ...beside('kernel'),
          },
        ]),
    { what: `${name}, resident memory`, value: `${of('resident').toFixed(0)} MiB` },
    {
      what: `${name}, time until all pages have a change`,
      value: `${of('last').toFixed(0)} ms`,
      ...last,
      ...(last.ratio && { bound: '≤ 1.2', holds: last.ratio <= 1.2 }),
    },
    atMost(
      350,
      `${name}, time until a page has a change, p99 over all changes`,
      p99('waits'),
      'ms',
    ),
    atMost(20, `${name}, concurrent GET, p99`, p99('gets'), 'ms'),
    atMost(350, `${name}, slowest concurrent write`, Math.max(...all('writes')), 'ms'),
  ]
}

async function startOurs(streams: number): Promise<Source> {
  const placard = await startPlacard({ MAX_STREAMS: String(streams), TRUST_PROXY: '1' })
  const { url, pid, stop } = placard
  const change = (number: number) => publish(url, `Change number ${number}`, `10.0.0.${number}`)
  return { url, pid, read: `${url}/api/events`, stop, publish: change }
}

type Measured = Awaited<ReturnType<typeof measure>>

/** @returns KiB for each stream, MiB for the process, and milliseconds */
async function measure(
  source: Source,
  count: number,
  changes: number,
  progress: (text: string) => void,
) {
  const port = Number(new URL(source.url).port)
  const sockets: Socket[] = []
  const waits: number[] = []
  const lasts: number[] = []
  const writes: number[] = []
  let hear = (_at: number) => {}

  async function change(number: number) {
    progress(`streams: change ${number} of ${changes}`)
    let left = count
    let sent = 0
    const all = new Promise<number>((resolve) => {
      hear = (at) => {
        waits.push(at - sent)
        if (--left === 0) resolve(at - sent)
      }
    })
    sent = performance.now()
    await source.publish(number)
    writes.push(performance.now() - sent)
    lasts.push(await all)
  }

  try {
    // The first write loads code, which mustn't count as the streams' memory.
    await source.publish(0)
    await pause(SETTLED_MS)
    const idle = resident(source.pid)
    const kernelIdle = kernelMemory()
    for (let i = 0; i < count; i++) {
      sockets.push(await follow(port, (at) => hear(at)))
      if (i % 1000 === 999) progress(`streams: ${i + 1} of ${count} open`)
    }
    await change(1)
    await pause(SETTLED_MS)
    const each = (1024 * (resident(source.pid) - idle)) / count
    // Halved, because the other ends of the connections are on this machine too.
    const kernel = (1024 * (kernelMemory() - kernelIdle)) / 2 / count
    const reader = new Worker(new URL('reader.ts', import.meta.url), { workerData: source.read })
    await once(reader, 'message')
    for (let number = 2; number <= changes; number++) await change(number)
    const gets = once(reader, 'message') as Promise<[number[]]>
    reader.postMessage('stop')
    const [times] = await gets
    const last = median(lasts)
    return { each, kernel, resident: resident(source.pid), last, waits, gets: times, writes }
  } finally {
    for (const socket of sockets) socket.destroy()
    await source.stop()
  }
}

/**
 * The MiB that the kernel uses for objects of all kinds: sockets, inodes, buffers, timers.
 *
 * @returns NaN if only root may read that
 */
function kernelMemory(): number {
  try {
    const rows = readFileSync('/proc/slabinfo', 'utf8').split('\n').slice(2)
    const sizes = rows.map((row) => row.split(/\s+/).map(Number))
    return sizes.reduce((sum, [, active = 0, , size = 0]) => sum + active * size, 0) / 2 ** 20
  } catch {
    return Number.NaN
  }
}

/** The request of a page with the script tag, which gets the bar itself and makes no further request on a change. */
const REQUEST = [
  'GET /api/events/stream?bar=en&has= HTTP/1.1',
  'Host: bench',
  'Accept: text/event-stream',
]
/** All followers read into this buffer, so that they use as little memory and CPU as possible. */
const buffer = Buffer.alloc(65_536)

/** Opens a stream, resolves when the current state has arrived, and calls `heard` on each later message. */
export function follow(port: number, heard: (at: number) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let first = true
    const callback = (size: number) => {
      const text = buffer.toString('latin1', 0, size)
      if (/^HTTP\/1\.1 (?!200)/.test(text)) reject(new Error(text.slice(0, text.indexOf('\r'))))
      // An `alive` event announces no change.
      if (!text.replaceAll(/event: alive\ndata: .*\n\n/g, '').includes('data: ')) return true
      if (!first) heard(performance.now())
      first = false
      resolve(socket)
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } })
    socket.once('error', reject)
    socket.write(`${REQUEST.join('\r\n')}\r\n\r\n`)
  })
}
