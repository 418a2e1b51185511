import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { SECRET, startPlacard } from './processes.ts'
import { percentile, type Row } from './report.ts'

/** Open pages on one process: what they weigh, how fast they hear, and what readers notice of it. */
export async function benchStreams(
  count: number,
  changes: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ MAX_STREAMS: String(count), TRUST_PROXY: '1' })
  const { port } = new URL(placard.url)
  const heard: ((at: number) => void)[] = []
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < count; i++) {
      sockets.push(await follow(Number(port), (at) => heard[0]?.(at)))
      if (i % 1000 === 999) progress(`streams: ${i + 1} of ${count} open`)
    }

    const waits: number[] = []
    const reader = new Worker(new URL('reader.ts', import.meta.url), { workerData: placard.url })
    for (let change = 0; change < changes; change++) {
      progress(`streams: change ${change + 1} of ${changes}`)
      let left = count
      let sent = 0
      const all = new Promise<void>((resolve) => {
        heard[0] = (at) => {
          waits.push(at - sent)
          if (--left === 0) resolve()
        }
      })
      sent = performance.now()
      await publish(placard.url, change)
      await all
    }
    const gets = once(reader, 'message') as Promise<[number[]]>
    reader.postMessage('stop')
    const [times] = await gets
    const status = readFileSync(`/proc/${placard.pid}/status`, 'utf8')
    const resident = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    const name = `${count.toLocaleString('en')} streams`
    const wait = percentile(waits, 0.99)
    const get = percentile(times, 0.99)
    return [
      {
        what: `${name}, resident`,
        value: `${resident.toFixed(0)} MiB`,
        bound: '≤ 320 MiB',
        holds: resident <= 320,
      },
      {
        what: `${name}, a change heard, p99`,
        value: `${wait.toFixed(0)} ms`,
        bound: '≤ 400 ms',
        holds: wait <= 400,
      },
      {
        what: `${name}, GET meanwhile, p99`,
        value: `${get.toFixed(1)} ms`,
        bound: '< 30 ms',
        holds: get < 30,
      },
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    await placard.stop()
  }
}

/** Resolves when the current state has come; calls back on each later message. */
export function follow(port: number, heard: (at: number) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let first = true
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      if (!chunk.includes('data: ')) return
      if (!first) return heard(performance.now())
      first = false
      resolve(socket)
    })
    socket.write('GET /api/events/stream HTTP/1.1\r\nHost: bench\r\n\r\n')
  })
}

async function publish(url: string, change: number): Promise<void> {
  const response = await fetch(`${url}/api/events`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${SECRET}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': `10.0.0.${change}`,
    },
    body: JSON.stringify({ text: `Change number ${change}`, type: 'post', slug: '/' }),
  })
  if (response.status !== 201) throw new Error(`POST answered ${response.status}`)
}
