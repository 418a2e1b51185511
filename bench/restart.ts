import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../test/free-port.ts'
import { clientAddress, publish, startPlacard } from './processes.ts'
import { atMost, type Row } from './report.ts'
import { follow } from './streams.ts'

/** How long pages keep trying to reconnect. */
const PATIENCE_MS = 60_000

/** Restarts a node with many open pages, and measures how long it takes until all are connected and current again. */
export async function benchRestart(
  count: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const port = await freePort()
  const env = { MAX_STREAMS: String(count), TRUST_PROXY: '1' }
  const before = await startPlacard(env, port)
  progress(`restart: ${count} pages open`)
  for (let i = 0; i < count; i++) await follow(port, () => {})
  await before.stop()
  const stopped = performance.now()
  const after = await startPlacard(env, port)
  const listening = performance.now()
  let refused = 0
  /** Reconnects as the script does: after 0.5 to 1 s, then after twice as long each time. */
  async function reconnect() {
    for (let wait = 500; performance.now() - stopped < PATIENCE_MS; wait *= 2) {
      await pause(wait + wait * Math.random())
      const socket = await follow(port, () => {}).catch(() => undefined)
      if (socket) return
      if (performance.now() > listening) refused++
    }
    throw new Error('a page never came back')
  }
  try {
    progress('restart: pages come back')
    const back = Promise.all(Array.from({ length: count }, reconnect))
    let failed = 0
    let isOver = false
    const others = (async () => {
      for (let i = 0; !isOver; i++) {
        await publish(after.url, `During the rush ${i}`, clientAddress(i)).catch(() => failed++)
        await pause(100)
      }
    })()
    await back
    const seconds = (performance.now() - listening) / 1000
    isOver = true
    await others
    const name = `${count.toLocaleString('en')} pages after a restart`
    return [
      atMost(5, `${name}: all are connected again after`, seconds, 's', 1),
      atMost(
        0,
        `${name}: connections refused, and failed writes beside them`,
        refused + failed,
        '',
      ),
    ]
  } finally {
    await after.stop()
  }
}
