/**
 * Keeps reading in its own thread. Posts `ready` when it begins. Any message stops it; it then posts how long each read
 * took.
 */
import { parentPort, workerData } from 'node:worker_threads'

const times: number[] = []
let reading = true
parentPort?.once('message', () => {
  reading = false
})
const read = async () => (await fetch(workerData)).arrayBuffer()
// The first call of `fetch` loads code, which mustn't count as the server's time.
await read()
parentPort?.postMessage('ready')
while (reading) {
  const asked = performance.now()
  await read()
  times.push(performance.now() - asked)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
parentPort?.postMessage(times)
