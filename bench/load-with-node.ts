/** Generates load from Node: keeps a number of connections busy, then prints `{ rate, p99 }`. */
import { Agent, get } from 'node:http'

const [, , url = '', seconds = '1', connections = '64', headers = '{}'] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const times: number[] = []
const start = performance.now()
const end = start + Number(seconds) * 1000

function ask(): void {
  const asked = performance.now()
  if (asked >= end) return
  get(url, { agent, headers: JSON.parse(headers) }, (response) => {
    response.resume().on('end', () => {
      times.push(performance.now() - asked)
      ask()
    })
  })
}

for (let i = 0; i < Number(connections); i++) ask()
process.on('exit', () => {
  times.sort((a, b) => a - b)
  const rate = times.length / ((performance.now() - start) / 1000)
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0
  process.stdout.write(JSON.stringify({ rate, p99 }))
})
setTimeout(() => process.exit(), Number(seconds) * 1000 + 500)
