/** Reads again and again in its own thread until a message stops it, then posts how long each read took. */
import { parentPort, workerData } from 'node:worker_threads'

const times: number[] = []
let reading = true
parentPort?.once('message', () => {
  reading = false
})
while (reading) {
  const asked = performance.now()
  await (await fetch(workerData)).arrayBuffer()
  times.push(performance.now() - asked)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
parentPort?.postMessage(times)
