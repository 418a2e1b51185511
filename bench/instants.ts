import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { publish, startPlacard } from './processes.ts'
import { percentile, type Row } from './report.ts'
import { follow } from './streams.ts'

const STREAMS = 50
const APART_MS = 300
/** More time than it takes to schedule all announcements, or to hear of the last end. */
const AROUND_MS = 3_000

/** Measures how soon open pages learn of a start or an end, without a read or a write at that time. */
export async function benchInstants(
  announcements: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const placard = await startPlacard({ TRUST_PROXY: '1' })
  const { port } = new URL(placard.url)
  const sockets: Socket[] = []
  const heard: number[][] = []
  try {
    for (let stream = 0; stream < STREAMS; stream++) {
      const times: number[] = []
      heard.push(times)
      sockets.push(await follow(Number(port), () => times.push(Date.now())))
    }
    const transitions = 2 * announcements
    progress(`instants: ${transitions} starts and ends, ${APART_MS} ms apart`)
    const first = Date.now() + AROUND_MS
    const instants = Array.from({ length: transitions }, (_, index) => first + index * APART_MS)
    for (let one = 0; one < announcements; one++) {
      await publish(placard.url, `Number ${one}`, `10.0.0.${one}`, {
        startsAt: instants[2 * one],
        expiresAt: instants[2 * one + 1],
      })
    }
    await sleep(first + transitions * APART_MS + AROUND_MS - Date.now())

    const missed = heard.filter((times) => times.length !== transitions).length
    const waits = heard.flatMap((times) => times.map((at, index) => at - (instants[index] ?? 0)))
    const [p95, worst] = [percentile(waits, 0.95), Math.max(...waits)]
    const what = `${transitions} starts and ends → ${STREAMS} open pages`
    const right = missed === 0 && Math.min(...waits) >= 0
    return [
      {
        what: `${what}, p95`,
        value: `${p95} ms`,
        bound: '≤ 100 ms',
        holds: right && p95 <= 100,
      },
      {
        what: `${what}, slowest`,
        value: missed === 0 ? `${worst} ms` : `${missed} missed some`,
        bound: '≤ 1,000 ms',
        holds: right && worst <= 1_000,
      },
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    await placard.stop()
  }
}
