import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createPlacard } from '../src/entries/index.ts'
import { detachStreams } from '../src/server/detach-streams.ts'
import { createCounts } from '../src/server/metrics.ts'
import { answerFromMemory } from '../src/server/reads-from-memory.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import { SECRET } from './processes.ts'
import { atMost, type Row } from './report.ts'

/**
 * Makes a reader stop reading while changes continue. Measures how long the service keeps the stream once the system's
 * buffers are full, and the maximum number of bytes that wait in this process.
 */
export async function benchStoppedReader(progress: (text: string) => void): Promise<Row[]> {
  const placard = createPlacard({ store: sqliteStore(':memory:'), apiSecret: SECRET })
  await placard.snapshot()
  let held: Socket | undefined
  const server = createServer()
  const reads = answerFromMemory(placard, createCounts(), detachStreams(server), () => {})
  server.on('request', reads)
  server.once('connection', (socket) => {
    held = socket
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    socket.write('GET /api/events/stream HTTP/1.1\r\nHost: bench\r\n\r\n')
    await once(socket, 'readable')
    let most = 0
    let since: number | undefined
    const deadline = performance.now() + 120_000
    for (let change = 0; placard.streams.size > 0; change++) {
      if (performance.now() > deadline) throw new Error('the reader was never dropped')
      // The text has nearly the maximum length. Changes follow fast until bytes wait for the reader, then more slowly.
      await placard.publish({ text: `${change} ${'x'.repeat(490)}`, type: 'post', slug: '/' })
      // By the next turn of the event loop, the system's buffers have taken what they can. The rest waits here.
      await new Promise((resolve) => setTimeout(resolve, since ? 20 : 0))
      if (placard.streams.size === 0) break
      const waiting = held?.writableLength ?? 0
      most = Math.max(most, waiting)
      if (waiting === 0) since = undefined
      else since ??= performance.now()
      if (change % 100 === 0) progress(`stopped reader: ${waiting} bytes wait for it`)
    }
    const seconds = (performance.now() - (since ?? Number.NaN)) / 1000
    return [
      atMost(30, 'a reader that stops reading: dropped after', seconds, 's', 0),
      atMost(1, 'a reader that stops reading: most memory held for it', most / 2 ** 20, 'MiB', 2),
    ]
  } finally {
    socket.destroy()
    server.close()
    await placard.close()
  }
}
