/**
 * Reads again and again in its own thread. Posts `ready` when it begins; a message stops it, and it posts how long each
 * read took.
 */
import { parentPort, workerData } from 'node:worker_threads'

const times: number[] = []
let reading = true
parentPort?.once('message', () => {
  reading = false
})
const read = async () => (await fetch(workerData)).arrayBuffer()
// The first call of `fetch` loads its code, for which the server isn't responsible.
await read()
parentPort?.postMessage('ready')
while (reading) {
  const asked = performance.now()
  await read()
  times.push(performance.now() - asked)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
parentPort?.postMessage(times)
